"""What the browser is told of the memories of a recurrent cell, and which of its numbers are gates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def group(fields: Sequence[str], gates: bool) -> list[str]:
    return [name for name in fields if name.startswith("gate.") == gates]


def memory(part: Any) -> dict[str, Any]:
    """A `Memory` of engine.nn.cells for the browser."""
    return {
        "state": part.state,
        "keep": part.keep,
        "complement": part.complement,
        "write": list(part.write),
    }
