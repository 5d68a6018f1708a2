"""Frequencies: how often words and runs of words come up, and how the vocabulary grows with the
text.

What      Zipf: count(rank) ~ C rank^-a · Heaps: types(tokens) ~ k tokens^b · the commonest n-grams,
          n = 1 to 5
Source    Zipf, Human Behavior and the Principle of Least Effort, 1949; Herdan, Type-token
          Mathematics, 1960; Heaps, Information Retrieval, 1978
Shapes    T = tokens with a 0 at each line's end, V = different words, R = ranks
Differs   Words are in small letters, punctuation is left out, n-grams end at line ends.  Of a long
          text SAMPLE characters are read, from places evenly spread over it.  Exponents are least
          squares on logarithmic scales, over points evenly spread on them; ranks of words that come
          up fewer than FEWEST times are left out, because their counts are mostly chance.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from engine.text.collection.scan import BLOCK, blocks
from engine.text.paged import Paged
from engine.text.segmentation import WORDS

SAMPLE = 8 * BLOCK
POINTS = 200
TOP = 30
LONGEST = 5
FEWEST = 3


@dataclass(frozen=True, slots=True)
class Curve:
    """y = scale x^exponent fitted to `x` and `y`; both are None where there are fewer than five
    points."""

    x: np.ndarray
    y: np.ndarray
    scale: float | None
    exponent: float | None


@dataclass(frozen=True, slots=True)
class Frequencies:
    """zipf: count by rank; heaps: types by tokens; words: the word of each point of `zipf`;
    ngrams[n]: (n-gram, count), commonest first."""

    tokens: int
    types: int
    once: int  # types that come up once (hapax legomena)
    characters: int  # that were read for this
    zipf: Curve
    words: tuple[str, ...]
    heaps: Curve
    ngrams: dict[int, tuple[tuple[str, int], ...]]


def sample(text: str | Paged, size: int = SAMPLE) -> str:
    """The text, or whole blocks of it, together about `size` characters from evenly spread
    places."""
    if len(text) <= size:
        return text[: len(text)]
    n = max(size // BLOCK, 1)
    wanted = {round(k * (len(text) / BLOCK - 1) / max(n - 1, 1)) for k in range(n)}
    return "".join(
        block if block.endswith("\n") else f"{block}\n"
        for k, (_, block) in enumerate(blocks(text))
        if k in wanted
    )


def frequencies(text: str | Paged, size: int = SAMPLE) -> Frequencies:
    some = sample(text, size)
    seen: defaultdict[str, int] = defaultdict()
    seen.default_factory = seen.__len__  # a new word gets the next number
    seen["\n"]
    found = [token for line in some.lower().split("\n") for token in (*WORDS.findall(line), "\n")]
    id_T = np.fromiter(map(seen.__getitem__, found), np.int64, len(found))
    vocabulary = list(seen)
    count_V = np.bincount(id_T, minlength=len(vocabulary))[1:]
    order = np.argsort(-count_V, kind="stable")
    # numbers are given in order, so the highest counts types
    grown = np.maximum.accumulate(id_T[id_T > 0]) if len(order) else np.zeros(0, np.int64)
    at_rank, at_token = _spread(len(order)), _spread(len(grown))
    sorted_R = count_V[order]
    kept = sorted_R[at_rank - 1] >= FEWEST
    zipf = _fitted(at_rank, sorted_R[at_rank - 1], kept)
    heaps = _fitted(at_token, grown[at_token - 1], at_token >= min(100, len(grown) // 10))
    words = tuple(vocabulary[order[r - 1] + 1] for r in at_rank)
    return Frequencies(
        len(grown),
        len(order),
        int((count_V == 1).sum()),
        len(some),
        zipf,
        words,
        heaps,
        _ngrams(id_T, vocabulary),
    )


def _spread(n: int) -> np.ndarray:
    """Whole numbers 1 to n, evenly spread on a logarithmic scale."""
    return (
        np.unique(np.geomspace(1, n, POINTS).round().astype(np.int64))
        if n
        else np.zeros(0, np.int64)
    )


def _fitted(x: np.ndarray, y: np.ndarray, kept: np.ndarray) -> Curve:
    if kept.sum() < 5:
        return Curve(x, y, None, None)
    exponent, log_scale = np.polyfit(np.log(x[kept]), np.log(y[kept]), 1)
    return Curve(x, y, float(np.exp(log_scale)), float(exponent))


def _ngrams(id_T: np.ndarray, vocabulary: list[str]) -> dict[int, tuple[tuple[str, int], ...]]:
    found: dict[int, tuple[tuple[str, int], ...]] = {}
    at = np.flatnonzero(id_T)  # where n-grams of this length begin
    code = id_T[at]
    for n in range(1, LONGEST + 1):
        if n > 1:
            inside = at + n - 1 < len(id_T)
            at, code = at[inside], code[inside]
            next_ = id_T[at + n - 1]
            at, code = at[next_ > 0], code[next_ > 0] * len(vocabulary) + next_[next_ > 0]
        _, first, code, times = np.unique(
            code, return_index=True, return_inverse=True, return_counts=True
        )
        top = (
            sorted(
                np.argpartition(-times, min(TOP, len(times)) - 1)[:TOP].tolist(),
                key=lambda k: (-times[k], at[first[k]]),
            )
            if len(times)
            else []
        )
        found[n] = tuple(
            (" ".join(vocabulary[i] for i in id_T[at[first[k]] : at[first[k]] + n]), int(times[k]))
            for k in top
        )
    return found
