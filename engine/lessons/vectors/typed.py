"""The typed words that have a vector, and the picture of what is nearest to one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.core.trace import Table, Trace
from engine.frame import picture as pic

MOST = 40  # different words that are compared


def neighbours(name: str, says: str, rows: Sequence[tuple[str, str, float, int]]) -> Table:
    """(word, one of its neighbours, their cosine, which of them it is, from 1) as the view
    `neighbours` draws them."""
    return Table.of_rows(name, says, ("word", "neighbour", "cosine", "rank"), rows)


def words_of(trace: Trace) -> tuple[list[int], np.ndarray]:
    """The typed words with a vector, each once: their tokens, and their unit vectors (N, D)."""
    vector_TD = trace.field("vector").values if len(trace) else np.zeros((0, 1), np.float32)
    seen: dict[str, int] = {}
    for t, (word, (_, stop)) in enumerate(zip(trace.tokens, trace.spans, strict=True)):
        if stop and vector_TD[t].any():
            seen.setdefault(word.lower(), t)
    kept = [*seen.values()]
    unit_ND = vector_TD[kept] / np.linalg.norm(vector_TD[kept], axis=1, keepdims=True)
    return kept, unit_ND.astype(np.float32)


def find_seen(trace: Trace) -> np.ndarray:
    """(T,): of each token the last one up to it that has a vector; nan before the first."""
    known_T = np.asarray(trace.field("vector").values.any(-1))
    last_T = np.maximum.accumulate(np.where(known_T, np.arange(len(known_T)), -1))
    found: np.ndarray = np.where(last_T < 0, np.nan, last_T)
    return found


NEIGHBOURS = pic.Picture(
    "neighbours",
    pic.Columns(
        pic.Rows("top"),
        (
            pic.Words("Word", "{top[token=seen]}", 2),
            pic.Column("Cosine", "top.p[token=seen]", largest=True, wide=3),
        ),
    ),
    "True neighbours",
    "True neighbours of “{seen:token}”",
    "Of all words of the model the nearest by cosine, in all dimensions.",
    (
        "“{top[token=seen]}” has a cosine of {top.p[token=seen]} with “{seen:token}”.",
        "Nearest to “{seen:token}” is “{top[token=seen,top=0]}”, with a cosine of {top.p[token=seen,top=0]}.",
        "Type a word that has a vector.",
    ),
    side="right",
    table=pic.table("top", "neighbour: {top[token=seen]} | cosine: {top.p[token=seen]}"),
    saves=pic.Saves(("vector",)),
)
