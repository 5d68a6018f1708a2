"""Skip-gram with negative sampling: pull a word and its neighbours together, push it from words drawn at random.

What      loss = - sum ln s(h . o) over pairs - (k pairs / S) sum ln s(- h . o) over S noise words, s = sigmoid;
          d loss / d score = s - 1 for a pair, (k pairs / S) s for noise; each row moves by - rate * gradient
Source    Mikolov, Sutskever, Chen, Corrado & Dean, Distributed Representations of Words and Phrases, 2013, sec. 2.2-2.3;
          a shared set of noise words: Ji, Satish, Li & Dubey, Parallelizing Word2Vec in Shared and Distributed Memory, 2016
Shapes    V = vocabulary, D = width, G = groups in a step, B = centres in a group, C = candidates, S = noise words
Differs   The centres of a group follow each other in the text, so one product of B centres with the B + 2 windows
          words around them holds all their pairs.  A group shares its S noise words, each weighted so that a
          centre gets k noise words per pair on average.  All rows of a step are read before any is changed.
          Noise that happens to be a neighbour still counts as noise.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

GROUP, NOISE = 32, 32  # centres that share their noise words, noise words of a group
PARTS = 64  # steps in an epoch, at least: a small text is read in smaller batches
REPORTS = 500  # in a whole training, at most about twice as many

Tables = tuple[Tensor, Tensor]


@dataclass(frozen=True, slots=True)
class Plan:
    """`epochs` times over the text, or `steps` updates when that is not 0, of `batch` words of the text at most."""

    window: int = 5
    negatives: int = 5
    sample: float = 1e-3
    epochs: int = 5
    steps: int = 0
    batch: int = 2048
    rate: float = 0.05


@dataclass(frozen=True, slots=True)
class Batch:
    """centre_GB, near_GC, noise_GS  word ids, int64
    pair_GBC     1 where candidate c is inside the window of centre b, else 0, float32
    weight_GB1   what a noise word counts for a centre: k pairs / S
    """

    centre_GB: Tensor
    near_GC: Tensor
    noise_GS: Tensor
    pair_GBC: Tensor
    weight_GB1: Tensor


@torch.no_grad()
def update(in_VD: Tensor, out_VD: Tensor, batch: Batch, rate: float, most: float = 1.0, measure: bool = False) -> float:
    """Change both tables in place by one step; the mean loss of a pair in nats before it, or nan unless `measure`.

    most   how far the updates of one row may add up in a step, rate times updates; beyond it they are scaled
           down, because all were computed from the same stale row and would overshoot together
    """
    limit = most / rate
    h_GBD = F.embedding(batch.centre_GB, in_VD)
    near_GCD, noise_GSD = F.embedding(batch.near_GC, out_VD), F.embedding(batch.noise_GS, out_VD)
    near_GBC, noise_GBS = torch.bmm(h_GBD, near_GCD.mT), torch.bmm(h_GBD, noise_GSD.mT)
    loss = _loss(near_GBC, noise_GBS, batch) if measure else float("nan")
    # From here the scores become steps: minus rate times d loss / d score.
    near_GBC.neg_().sigmoid_().mul_(batch.pair_GBC).mul_(rate)
    noise_GBS.sigmoid_().mul_(batch.weight_GB1 * -rate)
    step_GBD = torch.bmm(near_GBC, near_GCD)
    step_GBD.baddbmm_(noise_GBS, noise_GSD)
    near_GCD, noise_GSD = torch.bmm(near_GBC.mT, h_GBD), torch.bmm(noise_GBS.mT, h_GBD)
    pairs_GB = batch.pair_GBC.sum(-1)
    share_V = _share(len(in_VD), limit, (batch.centre_GB, pairs_GB))
    _add(in_VD, batch.centre_GB, step_GBD, share_V)
    drawn_GS = batch.weight_GB1.sum(1).expand_as(batch.noise_GS)
    share_V = _share(len(in_VD), limit, (batch.near_GC, batch.pair_GBC.sum(1)), (batch.noise_GS, drawn_GS))
    _add(out_VD, batch.near_GC, near_GCD, share_V)
    _add(out_VD, batch.noise_GS, noise_GSD, share_V)
    return loss


def _share(v: int, limit: float, *updates: tuple[Tensor, Tensor]) -> Tensor:
    """Per row (V,) what of its updates is taken: 1, or limit / updates when there are more than the limit."""
    count_V = torch.zeros(v)
    for id, count in updates:
        count_V.index_add_(0, id.flatten(), count.flatten())
    return limit / count_V.clamp_(min=limit)


def _add(table_VD: Tensor, id: Tensor, step: Tensor, share_V: Tensor) -> None:
    step.mul_(share_V[id][..., None])
    table_VD.index_add_(0, id.flatten(), step.flatten(0, 1))


def _loss(near_GBC: Tensor, noise_GBS: Tensor, batch: Batch) -> float:
    nats = (F.softplus(-near_GBC) * batch.pair_GBC).sum() + (F.softplus(noise_GBS) * batch.weight_GB1).sum()
    return float(nats / batch.pair_GBC.sum().clamp(min=1))


def keep_probability(count_V: np.ndarray, sample: float) -> np.ndarray:
    """Chance (V,) that an occurrence of a word is read: min(1, sqrt(t / f) + t / f), f its share of the text; 0 keeps all.

    The program's rule.  The paper's formula is sqrt(t / f) alone.
    """
    if sample <= 0:
        return np.ones(len(count_V))
    ratio_V = sample * max(1, count_V.sum()) / np.maximum(count_V, 1)  # a word that does not occur is never asked for
    return np.minimum(1.0, np.sqrt(ratio_V) + ratio_V)


def noise_probability(count_V: np.ndarray, power: float = 0.75) -> np.ndarray:
    """Chance (V,) that a word is drawn as noise: count^0.75, normalised."""
    raw_V = np.asarray(count_V, np.float64) ** power
    found: np.ndarray = raw_V / raw_V.sum()
    return found


def noise_table(count_V: np.ndarray, size: int = 1 << 20) -> np.ndarray:
    """Word ids (size,) of which a uniform draw is a draw of noise; each word's share is right to 1 in `size`."""
    edge_V = np.round(np.cumsum(noise_probability(count_V)) * size).astype(np.int64)
    return np.repeat(np.arange(len(count_V)), np.diff(edge_V, prepend=0))


def spans(line_M: np.ndarray, reach_M: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """First and last position (M,) of the window of each word: `reach` each side, never past the ends of its line."""
    at_M = np.arange(len(line_M))
    start_M = np.searchsorted(line_M, line_M, "left")
    stop_M = np.searchsorted(line_M, line_M, "right") - 1
    return np.maximum(at_M - reach_M, start_M), np.minimum(at_M + reach_M, stop_M)


def batch(
    word_M: np.ndarray, line_M: np.ndarray, reach_M: np.ndarray, noise_GS: np.ndarray, negatives: int, window: int
) -> Batch:
    """Lay M words out in groups of B = M / G, rounded up.  `line_M` ascends: a window stays within one value of it."""
    g, s = noise_GS.shape
    m = len(word_M)
    b = -(-m // g)
    near_N = np.zeros(g * b + 2 * window, np.int64)
    near_N[window : window + m] = word_M
    near_GC = np.lib.stride_tricks.sliding_window_view(near_N, b + 2 * window)[::b]
    reach_2GB = np.zeros((2, g * b), np.int64)
    reach_2GB[0] = g * b  # the filling at the end has an empty window: its first position lies behind its last
    reach_2GB[:, :m] = spans(line_M, reach_M)
    origin_G1 = np.arange(g)[:, None] * b - window  # the position in the text of a group's first candidate
    low_GB1, high_GB1 = (reach_2GB.reshape(2, g, b) - origin_G1).astype(np.int32)[..., None]
    c_C = np.arange(b + 2 * window, dtype=np.int32)
    inside_GBC = (c_C >= low_GB1) & (c_C <= high_GB1)
    inside_GBC[:, np.arange(b), np.arange(b) + window] = False  # a word is not its own neighbour
    pair_GBC = torch.from_numpy(inside_GBC).float()
    return Batch(
        torch.from_numpy(near_N[window : window + g * b].reshape(g, b)),
        torch.from_numpy(near_GC.copy()),
        torch.from_numpy(noise_GS),
        pair_GBC,
        pair_GBC.sum(-1, keepdim=True) * (negatives / s),
    )


def start(v: int, d: int, seed: int) -> Tables:
    """Small random input vectors, output vectors of zeros."""
    random_VD = (np.random.default_rng(seed).random((v, d), np.float32) - 0.5) / d
    return torch.from_numpy(random_VD), torch.zeros(v, d)


def every(total: int) -> int:
    """Steps from one report to the next."""
    return max(1, total // REPORTS)


def train(
    stream_N: np.ndarray, boundary: int, count_V: np.ndarray, tables: Tables, plan: Plan, seed: int, first: int = 0
) -> Iterator[tuple[int, int, dict[str, float]]]:
    """Change the tables in place, from step `first` + 1 on; (step, steps in all, metrics) at every report.

    A step depends on (seed, step) only.  Words with count 0 are not read.  On one thread: the products are small.
    """
    keep_V = np.where(count_V > 0, keep_probability(count_V, plan.sample), 0).astype(np.float32)
    noise = noise_table(count_V)
    size = min(plan.batch, max(GROUP, len(stream_N) // PARTS))
    around = math.ceil(len(stream_N) / size)
    total = plan.steps or around * plan.epochs
    words, since = 0, time.perf_counter()
    for step in range(first + 1, total + 1):
        rng = np.random.default_rng((seed, step))
        at = (step - 1) % around * size
        read_N = stream_N[at : at + size]
        kept_N = rng.random(len(read_N), np.float32) < keep_V[read_N]
        ends_N = read_N == boundary
        word_M, line_M = read_N[kept_N].astype(np.int64), np.cumsum(ends_N)[kept_N]
        words += len(read_N) - int(ends_N.sum())
        report = step == total or step % every(total) == 0
        rate = plan.rate * max(1e-3, 1 - (step - 1) / total)
        metrics = {"rate": rate}
        if len(word_M):
            reach_M = rng.integers(1, plan.window + 1, len(word_M))
            noise_GS = noise[rng.integers(0, len(noise), (math.ceil(len(word_M) / GROUP), NOISE))]
            loss = update(*tables, batch(word_M, line_M, reach_M, noise_GS, plan.negatives, plan.window), rate, measure=report)
            if report:
                metrics = {"loss_nats": loss, **metrics}
                if not math.isfinite(loss):
                    raise ValueError(f"the loss is no longer a number at step {step}; try a rate below {plan.rate:g}")
        if report:
            metrics["words_per_second"] = words / max(1e-9, time.perf_counter() - since)
            yield step, total, metrics
            words, since = 0, time.perf_counter()
