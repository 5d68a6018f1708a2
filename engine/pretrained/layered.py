"""Layered: layers of several kinds that take turns.

What      every n-th layer is of the other kind: layers n, 2 n, 3 n ..., counted from 1
Source    the configs of the families that have them
Differs   Another order is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.language.message import refusal

KINDS = ("sliding_attention", "full_attention")


def every(other: Sequence[bool], name: str, found: Any) -> int:
    """n, of layers that are of the other kind or not; 0 where none is.

    name, found  of the setting that says it

    ValueError for another order.
    """
    n = next((i + 1 for i, one in enumerate(other) if one), 0)
    if n and list(other) != [(i + 1) % n == 0 for i in range(len(other))]:
        raise refusal(
            "checkpoints with {name} = {found} can't be shown; only every second, third ... layer"
            " can be of another kind",
            name=name,
            found=repr(found)[:200],
        )
    return n


def windows(c: Any) -> dict[str, Any]:
    """Our settings of layers that look back through a window, but for every n-th."""
    kinds = list(c.layer_types)
    c.ignores("sliding_window")  # where no layer uses it
    if strange := next((kind for kind in kinds if kind not in KINDS), None):
        raise refusal(
            "checkpoints with layer_types = {found} can't be shown; only {known} can",
            found=repr(strange),
            known=", ".join(KINDS),
        )
    full = [kind == KINDS[1] for kind in kinds]
    if not all(full) and not c.sliding_window:
        raise refusal(
            "checkpoints with sliding_window = {found} can't be shown, where layers look back"
            " through a window",
            found=repr(c.sliding_window),
        )
    if all(full):
        return {"sliding_window": 0}
    return {"sliding_window": c.sliding_window, "full_every": every(full, "layer_types", kinds)}
