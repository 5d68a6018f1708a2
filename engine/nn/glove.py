"""GloVe: vectors whose products are the logarithms of counts.

What      J = sum over X_ij > 0 of f(X_ij) (w_i . c_j + b_i + a_j - ln X_ij)^2,  f(x) = min(1, (x /
          x_max)^power);
          each number moves by - rate * gradient / sqrt(sum of its squared gradients so far); vector
          of word i = w_i + c_i
Source    Pennington, Socher & Manning, GloVe: Global Vectors for Word Representation, 2014, sec.
          3-4;
          Duchi, Hazan & Singer, Adaptive Subgradient Methods (AdaGrad), 2011
Shapes    V = vocabulary, D = width, B = words in a group, G = groups, E = D + 2, P = pairs of a
          tile
Differs   A step takes all pairs of a tile, one group of words against one group of contexts, in
          three matrix products; the original takes one pair.  The groups are drawn once, so that
          tiles are about equally full. The biases are two more columns: (w, b, 1) . (c, 1, a) = w .
          c + b + a.  The factor 2 of the gradient is left out, as in the original.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from engine.language.message import refusal

# words in a group at most, groups at least (as long as that leaves SMALLEST words in one)
GROUP, GROUPS = 1024, 8
SMALLEST = 8
REPORTS = 500  # in a whole training, at most about twice as many
TINY = 1e-8


def weight(x: np.ndarray, x_max: float = 100.0, power: float = 0.75) -> np.ndarray:
    """f(x): what a pair that was counted x times weighs; 1 at most, 0 for a pair that was never
    seen."""
    found: np.ndarray = np.minimum(1.0, (np.asarray(x, np.float64) / x_max) ** power)
    return found


@dataclass(frozen=True, slots=True)
class Tile:
    """The pairs of words from one group with contexts from another.

    rows, columns   where the two groups stand in the tables
    at_P            row * B + column of each pair within the tile, int64
    log_P, weight_P ln X and f(X), float32
    """

    rows: slice
    columns: slice
    at_P: Tensor
    log_P: Tensor
    weight_P: Tensor


@dataclass(frozen=True, slots=True)
class Tables:
    """Words and contexts in the order of the tiles: (V, E) numbers, and the sum of squared
    gradients of each.

    place_V   where each word stands
    """

    word_VE: Tensor
    context_VE: Tensor
    word_sum_VE: Tensor
    context_sum_VE: Tensor
    place_V: np.ndarray

    def arrays(self) -> dict[str, np.ndarray]:
        """Copies of all that a step changes."""
        names = ("word_VE", "context_VE", "word_sum_VE", "context_sum_VE")
        return {name.removesuffix("_VE"): getattr(self, name).numpy().copy() for name in names}

    def load(self, arrays: dict[str, np.ndarray]) -> None:
        for name in ("word", "context", "word_sum", "context_sum"):
            getattr(self, f"{name}_VE").copy_(torch.from_numpy(np.array(arrays[name], np.float32)))

    def parts(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """(w_VD, c_VD, b_V, a_V) in the order of the vocabulary."""
        word_VE, context_VE = (
            self.word_VE.numpy()[self.place_V],
            self.context_VE.numpy()[self.place_V],
        )
        return word_VE[:, :-2], context_VE[:, :-2], word_VE[:, -2], context_VE[:, -1]

    def vectors(self) -> np.ndarray:
        """w + c (V, D)."""
        w_VD, c_VD, _, _ = self.parts()
        return w_VD + c_VD


def start(v: int, d: int, seed: int) -> Tables:
    """Small random vectors, biases of 0."""
    rng = np.random.default_rng(seed)
    place_V = rng.permutation(v)
    word_VE, context_VE = (
        torch.from_numpy((rng.random((v, d + 2), np.float32) - 0.5) / d) for _ in range(2)
    )
    word_VE[:, d], word_VE[:, d + 1] = 0, 1
    context_VE[:, d], context_VE[:, d + 1] = 1, 0
    return Tables(word_VE, context_VE, torch.zeros(v, d + 2), torch.zeros(v, d + 2), place_V)


def tiles(
    row_N: np.ndarray,
    column_N: np.ndarray,
    x_N: np.ndarray,
    place_V: np.ndarray,
    x_max: float,
    power: float,
) -> list[Tile]:
    """The pairs (rows, columns, counts above 0) by tile; a tile without pairs is left out."""
    v = len(place_V)
    b = min(GROUP, max(SMALLEST, math.ceil(v / GROUPS)))
    g = math.ceil(v / b)
    row_N, column_N = place_V[row_N], place_V[column_N]
    tile_N = (row_N // b * g + column_N // b).astype(np.int32)
    order_N = np.argsort(tile_N, kind="stable")
    at_N = (row_N % b * b + column_N % b)[order_N]
    x_N = np.asarray(x_N, np.float64)[order_N]
    log_N, weight_N = np.log(x_N).astype(np.float32), weight(x_N, x_max, power).astype(np.float32)
    edges = np.searchsorted(tile_N[order_N], np.arange(g * g + 1))
    made = []
    for k in np.flatnonzero(np.diff(edges)):
        part = slice(edges[k], edges[k + 1])
        row, column = (slice(n * b, min(v, n * b + b)) for n in divmod(int(k), g))
        wide = column.stop - column.start  # the last group can be smaller
        at_P = at_N[part] // b * wide + at_N[part] % b
        made.append(
            Tile(
                row,
                column,
                torch.from_numpy(at_P),
                torch.from_numpy(log_N[part]),
                torch.from_numpy(weight_N[part]),
            )
        )
    return made


@torch.no_grad()
def gradients(tables: Tables, tile: Tile) -> tuple[float, Tensor, Tensor]:
    """(sum of f times squared error, half of d J / d words, half of d J / d contexts), the last two
    (B, E)."""
    word_BE, context_BE = tables.word_VE[tile.rows], tables.context_VE[tile.columns]
    score_BB = word_BE @ context_BE.T
    error_P = score_BB.view(-1)[tile.at_P].sub_(tile.log_P)
    pull_P = error_P * tile.weight_P
    pull_BB = score_BB.zero_()
    pull_BB.view(-1)[tile.at_P] = pull_P
    word_step_BE, context_step_BE = pull_BB @ context_BE, pull_BB.T @ word_BE
    word_step_BE[:, -1] = 0  # the columns of ones stay
    context_step_BE[:, -2] = 0
    return float(pull_P @ error_P), word_step_BE, context_step_BE


@torch.no_grad()
def update(tables: Tables, tile: Tile, rate: float) -> float:
    """Change the tables in place by one AdaGrad step; the sum of f times squared error before
    it."""
    loss, word_step_BE, context_step_BE = gradients(tables, tile)
    for table_VE, sum_VE, part, step_BE in (
        (tables.word_VE, tables.word_sum_VE, tile.rows, word_step_BE),
        (tables.context_VE, tables.context_sum_VE, tile.columns, context_step_BE),
    ):
        sum_BE = sum_VE[part].addcmul_(step_BE, step_BE)
        table_VE[part].addcdiv_(step_BE, sum_BE.sqrt().add_(TINY), value=-rate)
    return loss


def report_steps(total: int) -> int:
    """Steps from one report to the next."""
    return max(1, total // REPORTS)


def train(
    found: list[Tile],
    tables: Tables,
    epochs: int,
    steps: int,
    rate: float,
    seed: int,
    first: int = 0,
) -> Iterator[tuple[int, int, dict[str, float]]]:
    """Change the tables in place, from step `first` + 1 on; (step, steps in all, metrics) at every
    report.

    A step is one tile, an epoch all of them in an order drawn anew; the order depends on (seed,
    epoch) only.
    """
    around = len(found)
    total = steps or around * epochs
    loss, pairs, since = 0.0, 0, time.perf_counter()
    order: np.ndarray | None = None
    for step in range(first + 1, total + 1):
        epoch, at = divmod(step - 1, around)
        if order is None or at == 0:
            order = np.random.default_rng((seed, epoch)).permutation(around)
        tile = found[order[at]]
        loss += update(tables, tile, rate)
        pairs += len(tile.at_P)
        if step == total or step % report_steps(total) == 0:
            if not math.isfinite(loss):
                raise refusal(
                    "the loss is no longer a number at step {step}; try a rate below {rate:g}"
                )
            yield (
                step,
                total,
                {
                    "loss": loss / pairs,
                    "pairs_per_second": pairs / max(1e-9, time.perf_counter() - since),
                },
            )
            loss, pairs, since = 0.0, 0, time.perf_counter()
