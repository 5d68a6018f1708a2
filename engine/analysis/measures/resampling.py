"""Resampling: how far a score would move with other lines, and whether two systems differ by more than that.

What      bootstrap: as many lines are drawn again, with replacement, many times; the interval holds the middle 95 % of
          the scores.  Paired: both systems are scored on the same draws d; with D the difference on the lines there
          are, p = (1 + draws with |d| - mean |d| > |D|) / (1 + draws).  Approximate randomisation: for each line a coin
          says which output is whose; p = (1 + draws with |d| > |D|) / (1 + draws)
Source    Koehn, Statistical Significance Tests for Machine Translation Evaluation, 2004; Riezler & Maxwell, On Some
          Pitfalls in Automatic Evaluation and Significance Testing for MT, 2005; as in sacrebleu, which draws the same
          lines (seed 12345)
Shapes    L = lines, K = numbers of a line, D = draws, M = measures
Differs   sacrebleu gives the interval as half its width, taken at ranks; here both ends are quantiles.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from engine.analysis.measures.base import Measure

SEED, DRAWS, SHARE = 12345, 1000, 0.95
ROOM = 4_000_000  # drawn at a time


@dataclass(frozen=True)
class Paired:
    """Of two systems: the difference of the scores, its interval, and the p of both tests."""

    difference: float
    interval: tuple[float, float]
    bootstrap: float
    randomisation: float


def cut(measures: Sequence[Measure], total_DK: np.ndarray) -> list[np.ndarray]:
    """The columns of each measure."""
    ends = np.cumsum([one.columns for one in measures])
    return np.split(total_DK, ends[:-1].tolist(), axis=1)


def scores(measures: Sequence[Measure], total_DK: np.ndarray) -> np.ndarray:
    """(D, M) of sums of the numbers of all measures."""
    pieces = zip(measures, cut(measures, total_DK), strict=True)
    return np.stack([one.score(part) for one, part in pieces], 1)


def alone(measures: Sequence[Measure], row_LK: np.ndarray) -> np.ndarray:
    """(L, M) of each line by itself."""
    pieces = zip(measures, cut(measures, row_LK), strict=True)
    return np.stack([one.alone(part) for one, part in pieces], 1)


def draw(lines: int, draws: int = DRAWS, seed: int = SEED) -> Iterator[np.ndarray]:
    """How often each line is drawn, (some draws, L), until there are `draws` of them."""
    rng = np.random.default_rng(seed)
    step = max(1, ROOM // max(1, lines))
    for first in range(0, draws, step):
        some = rng.choice(lines, size=(min(step, draws - first), lines), replace=True)
        some += np.arange(len(some))[:, None] * lines
        yield np.bincount(some.ravel(), minlength=len(some) * lines).reshape(len(some), lines)


def toss(lines: int, draws: int = DRAWS, seed: int = SEED) -> Iterator[np.ndarray]:
    """Which line is whose, (some draws, L)."""
    rng = np.random.default_rng(seed)
    step = max(1, 12 * ROOM // max(1, lines))
    for first in range(0, draws, step):
        yield rng.integers(2, size=(min(step, draws - first), lines), dtype=bool)


def bootstrap(
    measures: Sequence[Measure], row_LK: np.ndarray, draws: int = DRAWS, seed: int = SEED
) -> np.ndarray:
    """Scores (D, M) of lines drawn again."""
    drawn = (some.astype(float) @ row_LK for some in draw(len(row_LK), draws, seed))
    return np.concatenate([scores(measures, total_DK) for total_DK in drawn])


def interval(score_D: np.ndarray) -> tuple[float, float]:
    low, high = np.quantile(score_D, [(1 - SHARE) / 2, (1 + SHARE) / 2]).tolist()
    return low, high


def compare(
    measures: Sequence[Measure],
    one_LK: np.ndarray,
    other_LK: np.ndarray,
    drawn_2DM: Sequence[np.ndarray],
    seed: int = SEED,
) -> list[Paired]:
    """Of each measure, the second system against the first; `drawn_2DM`: what `bootstrap` gave of both."""
    one_LK, other_LK = np.asarray(one_LK, float), np.asarray(other_LK, float)
    total_2K = np.stack([one_LK.sum(0), other_LK.sum(0)])
    real_M = np.diff(scores(measures, total_2K), axis=0)[0]
    drawn_DM = drawn_2DM[1] - drawn_2DM[0]
    draws, swapped = len(drawn_DM), []
    for some in toss(len(one_LK), draws, seed):
        for part in np.array_split(some, max(1, some.size // ROOM)):
            first_DK = part.astype(float) @ (one_LK - other_LK) + total_2K[1]
            swapped.append(
                scores(measures, first_DK) - scores(measures, total_2K.sum(0) - first_DK)
            )
    away_DM, tossed_DM = np.abs(drawn_DM), np.abs(np.concatenate(swapped))
    over_M = (away_DM - away_DM.mean(0) > np.abs(real_M)).sum(0)
    beyond_M = (tossed_DM > np.abs(real_M)).sum(0)
    return [
        Paired(
            float(real_M[m]),
            interval(drawn_DM[:, m]),
            float(over_M[m] + 1) / (draws + 1),
            float(beyond_M[m] + 1) / (draws + 1),
        )
        for m in range(len(measures))
    ]
