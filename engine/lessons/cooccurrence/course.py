"""A small GloVe training kept whole: the tables at some steps on the way, the loss at every report,
the counts it fits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.models.glove import Config
from engine.models.wordspace import MARKS, learn
from engine.nn import glove
from engine.text.tokenizers.base import passages
from engine.text.tokenizers.words import Words
from engine.vectors import cooccurrence

SNAPSHOTS, VOCABULARY, CHARACTERS = 24, 1000, 100_000
Parts = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Course:
    """
    words      V words, commonest first; count_V how often each stands in the text
    row_P ...  the pairs with X above 0: word, context, X and f(X)
    losses     (step, sum of f times squared error by the number of pairs) at every report
    parts      step: (w_VD, c_VD, b_V, a_V) before training (0) and at some steps
    """

    words: tuple[str, ...]
    count_V: np.ndarray
    row_P: np.ndarray
    column_P: np.ndarray
    x_P: np.ndarray
    f_P: np.ndarray
    losses: tuple[tuple[int, float], ...]
    parts: dict[int, Parts]
    pairs_per_second: float

    def fit(self, step: int) -> np.ndarray:
        """w . c + b + a of every pair (P,) at a step."""
        w_VD, c_VD, b_V, a_V = self.parts[step]
        found: np.ndarray = (
            (w_VD[self.row_P] * c_VD[self.column_P]).sum(1) + b_V[self.row_P] + a_V[self.column_P]
        )
        return found

    def loss(self, step: int) -> float:
        """J: the sum over all pairs of f times squared error."""
        return float((self.f_P * (self.fit(step) - np.log(self.x_P)) ** 2).sum())


def train(text: str, config: Config, seed: int = 0) -> Course:
    """ValueError with a sentence where no line has two words."""
    tokenizer, stream_N = learn(passages(text[:CHARACTERS]), config)
    word_M, line_M = cooccurrence.lines_of(stream_N, Words.boundary, Words.unknown)
    word_M, v = word_M - MARKS, len(tokenizer.vocab) - MARKS
    count_VV = cooccurrence.count(word_M, line_M, v, config.window, weighting="distance").tocoo()
    if count_VV.nnz == 0:
        raise ValueError("nothing to learn from: no line of the text has two words")
    tables = glove.start(v, config.width, seed)
    row_P, column_P = count_VV.coords
    tiles = glove.tiles(row_P, column_P, count_VV.data, tables.place_V, config.x_max, config.power)
    total = len(tiles) * config.epochs
    marked = np.unique(np.geomspace(1, total, SNAPSHOTS).round().astype(int)).tolist()
    parts, losses, speed = {0: tables.parts()}, [], []
    for step, _, metrics in glove.train(tiles, tables, config.epochs, 0, config.rate, seed):
        losses.append((step, metrics["loss"]))
        speed.append(metrics["pairs_per_second"])
        if marked and step >= marked[0]:
            parts[step] = tables.parts()
            marked = [m for m in marked if m > step]
    f_P = glove.weight(count_VV.data, config.x_max, config.power)
    count_V = np.bincount(word_M, minlength=v)
    return Course(
        tokenizer.vocab[MARKS:],
        count_V,
        row_P,
        column_P,
        count_VV.data,
        f_P,
        tuple(losses),
        parts,
        float(np.median(speed)),
    )
