"""Soft lookup: a library of keys and values, and a query that reads all of them at once.

What      weight_m = exp(s_m / T) / sum_n exp(s_n / T), reading = sum_m weight_m value_m; s_m is the
          cosine of query and key, or their dot product divided by the root of their width.  With T
          towards 0 all weight goes to the best key (hard lookup), with a large T to all alike
Source    Graves, Wayne & Danihelka, Neural Turing Machines, 2014, sec. 3.3.1 (content addressing);
          Vaswani et al., Attention Is All You Need, 2017, sec. 3.2.1
Shapes    M = keys, D = width of a word vector, K = numbers of a value
Differs   A key or query of several words is the mean of their vectors, as trained; words without a
          vector are left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.models.wordspace import MARKS, WordSpace

MOST = 12  # keys of a library
NUMBERS = 4  # of a value
NUMBER = re.compile(r"[-−+]?\d{1,9}(?:\.\d{1,9})?")


@dataclass(frozen=True, slots=True)
class Typed:
    """A library as it was typed: the query, and per line a key and its value, both as words.

    left  lines that are no pair, or too many
    """

    query: str
    keys: tuple[str, ...]
    values: tuple[str, ...]
    left: tuple[str, ...] = ()


def read(text: str) -> Typed:
    """The first line is the query, every other one `key: value`."""
    first, *lines = text.split("\n")
    pairs: list[tuple[str, str]] = []
    left: list[str] = []
    for line in lines:
        key, colon, value = (part.strip() for part in line.partition(":"))
        if colon and key and value and len(pairs) < MOST:
            pairs.append((key, value))
        elif line.strip():
            left.append(line.strip())
    keys, values = zip(*pairs, strict=True) if pairs else ((), ())
    return Typed(first.strip(), keys, values, tuple(left))


def numbers(values: tuple[str, ...]) -> np.ndarray | None:
    """(M, K) where every value is the same count of numbers, with commas between; else None."""
    rows = [[part.strip().replace("−", "-") for part in value.split(",")] for value in values]
    sizes = {len(row) for row in rows}
    if len(sizes) != 1 or max(sizes) > NUMBERS:
        return None
    if not all(NUMBER.fullmatch(part) for row in rows for part in row):
        return None
    return np.array(rows, float)


@dataclass(frozen=True, eq=False)
class Meaning:
    """The mean (D,) of the vectors of some words, and the words that have none."""

    vector_D: np.ndarray
    unknown: tuple[str, ...]

    @property
    def known(self) -> bool:
        return bool(self.vector_D.any())


def meaning(model: WordSpace[Any], words: str) -> Meaning:
    """Signs are no words and are left out."""
    tokens = model.tokenizer.encode(words)
    found, unknown = [], []
    for id, label in zip(tokens.ids.tolist(), tokens.labels, strict=True):
        if not any(map(str.isalnum, label)):
            continue
        vector = model.in_VD[id] if id >= MARKS else model.compose(label)
        (unknown.append(label) if vector is None else found.append(vector))
    d = model.in_VD.shape[1]
    return Meaning(np.mean(found, 0, dtype=float) if found else np.zeros(d), tuple(unknown))


@dataclass(frozen=True, eq=False)
class Match:
    """How a query meets the keys: dot_M of the vectors, cosine_M (0 where one has no vector), and
    their lengths."""

    dot_M: np.ndarray
    cosine_M: np.ndarray
    query: float
    key_M: np.ndarray


def match(query_D: np.ndarray, key_MD: np.ndarray) -> Match:
    dot_M = key_MD @ query_D
    one, each_M = float(np.linalg.norm(query_D)), np.linalg.norm(key_MD, axis=1)
    product_M = one * each_M
    cosine_M = np.divide(dot_M, product_M, out=np.zeros_like(dot_M), where=product_M > 0)
    return Match(dot_M, cosine_M.clip(-1, 1), one, each_M)


def weights(score_M: np.ndarray, t: float) -> np.ndarray:
    """(M,) softmax of the scores at a temperature; all weight to the first best where T is 0."""
    if not t:
        return np.eye(len(score_M))[int(score_M.argmax())]
    grown_M = np.exp((score_M - score_M.max()) / t)
    made: np.ndarray = grown_M / grown_M.sum()
    return made


def entropy(weight_M: np.ndarray) -> float:
    """In bits: how many yes-or-no questions say which key was read."""
    kept = weight_M[weight_M > 0]
    return float(-(kept * np.log2(kept)).sum()) + 0.0
