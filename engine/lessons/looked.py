"""What is looked at: the positions that a link or the browser names, kept within what there is."""

from __future__ import annotations

from engine.core.trace import Trace
from engine.live.drawing import Look


def token(trace: Trace, look: Look) -> int:
    """The token looked at, counted in the window of the trace; the last one where none is named."""
    return max(0, min(int(look.get("token", 10**9)) - trace.offset, len(trace.tokens) - 1))


def position(look: Look, axis: str, count: int) -> int:
    """The position looked at along an axis of so many."""
    return max(0, min(int(look.get(axis) or 0), count - 1))
