"""Training of word2vec: batches of a text, one step each, with a rate that falls in a line.

What      step n reads words n batch .. (n + 1) batch of the text, round after round; common words
          are thinned out first
Source    Mikolov, Sutskever, Chen, Corrado & Dean, Distributed Representations of Words and
          Phrases, 2013, sec. 2.3
Shapes    N = words of the text, V = vocabulary, D = width, M = words kept, G = groups, S = noise
          words of a group
Differs   A second thread lays out the next batch while this one is learned from.  A step depends on
          (seed, step) and the tables only, so a stopped training goes on bit for bit, on one thread
          or two; on a GPU sums are rounded in any order.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import torch

from engine.language.message import refusal
from engine.nn.word2vec.bags import Bags
from engine.nn.word2vec.batch import Batch, batch
from engine.nn.word2vec.chances import keep_probability, noise_table
from engine.nn.word2vec.hierarchical import Hierarchical
from engine.nn.word2vec.negative import Negative
from engine.nn.word2vec.softmax import Softmax
from engine.nn.word2vec.task import Output
from engine.nn.word2vec.update import Tables, update

GROUP = 32  # centres that share their noise words; a group has as many noise words
# the same where a group is compared with less (CBOW: one target a centre) or with much (a tree: all
# nodes of many paths)
FEW = 16
# words in a step, steps in an epoch, at least: a small text is read in smaller batches
LEAST, PARTS = 32, 64
REPORTS = 500  # in a whole training, at most about twice as many


@dataclass(frozen=True, slots=True)
class Plan:
    """`epochs` times over the text, or `steps` updates when that is not 0, of `batch` words of the
    text at most."""

    cbow: bool = False
    output: str = "negative"
    window: int = 5
    negatives: int = 5
    sample: float = 1e-3
    epochs: int = 5
    steps: int = 0
    batch: int = 2048
    rate: float = 0.05


def output_of(plan: Plan, count_V: np.ndarray) -> Output:
    """ValueError for an output that there is not."""
    if plan.output == "negative":
        return Negative(plan.negatives)
    if plan.output == "softmax":
        return Softmax(torch.from_numpy(count_V))
    if plan.output == "hierarchical":
        return Hierarchical(count_V)
    raise refusal("no output {plan.output!r}; there are negative, softmax, hierarchical")


def start(v: int, d: int, seed: int) -> Tables:
    """Small random input vectors, output vectors of zeros."""
    random_VD = (np.random.default_rng(seed).random((v, d), np.float32) - 0.5) / d
    return torch.from_numpy(random_VD), torch.zeros(v, d)


def report_steps(total: int) -> int:
    """Steps from one report to the next."""
    return max(1, total // REPORTS)


class Batches:
    """The batch of each step, the same whenever it is asked for."""

    def __init__(
        self, stream_N: np.ndarray, boundary: int, count_V: np.ndarray, plan: Plan, seed: int
    ) -> None:
        self.stream_N, self.boundary, self.plan, self.seed = stream_N, boundary, plan, seed
        self.keep_V = np.where(count_V > 0, keep_probability(count_V, plan.sample), 0).astype(
            np.float32
        )
        self.noise = noise_table(count_V)
        self.size = min(plan.batch, max(LEAST, len(stream_N) // PARTS))
        self.around = math.ceil(len(stream_N) / self.size)
        self.total = plan.steps or self.around * plan.epochs
        self.group = FEW if plan.cbow or plan.output == "hierarchical" else GROUP

    def __call__(self, step: int) -> tuple[int, Batch | None]:
        """Words read, without line ends; what is learned from, None where no word was kept."""
        rng = np.random.default_rng((self.seed, step))
        at = (step - 1) % self.around * self.size
        read_N = self.stream_N[at : at + self.size]
        kept_N = rng.random(len(read_N), np.float32) < self.keep_V[read_N]
        ends_N = read_N == self.boundary
        word_M, line_M = read_N[kept_N].astype(np.int64), np.cumsum(ends_N)[kept_N]
        words = len(read_N) - int(ends_N.sum())
        if not len(word_M):
            return words, None
        reach_M = rng.integers(1, self.plan.window + 1, len(word_M))
        noise_GS = self.noise[
            rng.integers(0, len(self.noise), (math.ceil(len(word_M) / self.group), self.group))
        ]
        return words, batch(word_M, line_M, reach_M, noise_GS, self.plan.window)


def _in_turn(batches: Batches, first: int, beside: bool) -> Iterator[tuple[int, Batch | None]]:
    """The batches from step `first` + 1 on; laid out `beside` what is done with the one before, or
    when asked for."""
    steps = range(first + 1, batches.total + 1)
    if not beside:
        yield from map(batches, steps)
        return
    with ThreadPoolExecutor(1) as pool:
        coming = pool.submit(batches, first + 1)
        for step in steps:
            now = coming.result()
            if step < batches.total:
                coming = pool.submit(batches, step + 1)
            yield now


def train(
    stream_N: np.ndarray,
    boundary: int,
    count_V: np.ndarray,
    tables: Tables,
    plan: Plan,
    seed: int,
    first: int = 0,
    beside: bool = True,
    bags: Bags | None = None,
) -> Iterator[tuple[int, int, dict[str, float]]]:
    """Change the tables in place, from step `first` + 1 on; (step, steps in all, metrics) at every
    report.

    The tables may lie on any device.  Words with count 0 are not read.  ValueError when the loss is
    no longer a number.
    """
    batches, output, device = (
        Batches(stream_N, boundary, count_V, plan, seed),
        output_of(plan, count_V),
        tables[0].device,
    )
    total = batches.total
    words, since = 0, time.perf_counter()
    for step, (read, now) in enumerate(_in_turn(batches, first, beside), first + 1):
        words += read
        report = step == total or step % report_steps(total) == 0
        rate = plan.rate * max(1e-3, 1 - (step - 1) / total)
        metrics = {"rate": rate}
        if now is not None:
            loss = update(
                tables, now.to(device), rate, output, plan.cbow, measure=report, bags=bags
            )
            if report:
                metrics = {"loss_nats": loss, **metrics}
                if not math.isfinite(loss):
                    raise refusal(
                        "the loss is no longer a number at step {step}; try a rate below"
                        " {plan.rate:g}"
                    )
        if report:
            metrics["words_per_second"] = words / max(1e-9, time.perf_counter() - since)
            yield step, total, metrics
            words, since = 0, time.perf_counter()
