"""The typed words that have a vector."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from engine.core.trace import Table, Trace

MOST = 40  # different words that are compared, as in assets/live/sums/typedwords.js


def neighbours(name: str, says: str, rows: Sequence[tuple[str, str, float, int]]) -> Table:
    """(word, one of its neighbours, their cosine, which of them it is, from 1) as the view
    `neighbours` draws them."""
    return Table.of_rows(name, says, ("word", "neighbour", "cosine", "rank"), rows)


def nearest(trace: Trace, at: int) -> Table:
    """What the model says is near the token at a position of the window."""
    found = trace["neighbours"]
    assert isinstance(found, Table)
    mine = found.columns["position"] == at
    near = (found.columns[name][mine] for name in ("word", "cosine", "rank"))
    rows = [(trace.tokens[at], *row) for row in zip(*near, strict=True)]
    return neighbours("nearest", "True nearest words, by cosine in all dimensions.", rows)


def looked_at(trace: Trace, look: Mapping[str, Any]) -> int:
    """Place in the window of the word looked at, or of the last one before it that has a vector."""
    at = min(max(0, int(look.get("token", 10**9)) - trace.offset), len(trace.tokens) - 1)
    while at > 0 and not trace.field("vector").values[at].any():
        at -= 1
    return at


def words_of(trace: Trace) -> tuple[list[str], np.ndarray]:
    """The typed words with a vector, each once, and their unit vectors (N, D)."""
    vector_TD = trace.field("vector").values if len(trace) else np.zeros((0, 1), np.float32)
    seen: dict[str, tuple[str, np.ndarray]] = {}
    for word, span, vector_D in zip(trace.tokens, trace.spans, vector_TD, strict=True):
        if span[1] and np.any(vector_D):
            seen.setdefault(word.lower(), (word, vector_D / np.linalg.norm(vector_D)))
    kept = list(seen.values())[:MOST]
    return [word for word, _ in kept], np.array(
        [vector_D for _, vector_D in kept], np.float32
    ).reshape(len(kept), vector_TD.shape[1])
