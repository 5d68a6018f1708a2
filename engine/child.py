"""Child: a process of its own for what takes long, and how far it is.

What      start(module, *arguments): `python -m module` in a session of its own, so that what ends its starter's terminal does not end it
Differs   It reads nothing, and what it writes is lost but for its errors, where a file is given for them.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO


@dataclass(frozen=True, slots=True)
class State:
    """running; share done of `what`; problem: why it ended without a result, in one sentence."""

    running: bool = False
    share: float = 0.0
    what: str = ""
    problem: str = ""


def start(module: str, *arguments: str, errors: IO[bytes] | None = None, env: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
    """`env`: beside the variables that stand.  OSError where there is no room for one more process."""
    silent = subprocess.DEVNULL
    return subprocess.Popen(
        [sys.executable, "-m", module, *arguments], cwd=Path(__file__).parents[1], env={**os.environ, **(env or {})},
        stdin=silent, stdout=silent, stderr=errors or silent, start_new_session=True,
    )  # fmt: skip


def niced() -> None:
    """Said by the child: from now on behind whatever answers a person."""
    with contextlib.suppress(AttributeError, OSError):
        os.nice(10)
