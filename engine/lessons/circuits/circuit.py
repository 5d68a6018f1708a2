"""Circuit: which edges of a net a behaviour goes through, found by path patching, and how much of it they keep.

What      m = logit(right answer) - logit(wrong answer), on average over texts;
          effect of an edge = m - m(with that edge alone cut);
          circuit at a threshold: the edges whose |effect| >= threshold x (m - m(all cut)) that lie on a way from the
          text to the answer;
          faithfulness = (m(circuit) - m(all cut)) / (m - m(all cut)), all edges but the circuit's cut;
          completeness: the same of the net without the circuit, all else left in place, 0 where nothing is left.
          Greedy (ACDC): from the answer back, an edge goes where m falls by no more than the threshold without it
Source    path patching: Goldowsky-Dill et al., 2023; ACDC: Conmy et al., 2023, algorithm 1; faithfulness and
          completeness: Wang et al., Interpretability in the Wild, 2023, sec. 4, normalised as in Hanna, Pezzelle &
          Belinkov, Have Faith in Faithfulness, 2024
Shapes    C = circuits, E = edges, B = texts
Differs   ACDC measures the KL divergence of all answers; here m, as the rest of the page.  Its random circuits are our
          own: put together from random ways from the text to the answer, for edges drawn one by one join nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from engine.lessons.circuits.wires import Batch, Node, Wires, mean_of

Other = Literal["twin", "mean", "zero"]
OTHERS: dict[Other, str] = {
    "twin": "what the twin's run has there",
    "mean": "its mean over all texts",
    "zero": "zero",
}
NUMBERS = (
    2_000_000  # that the senders of the circuits run at once may hold: what lies near is faster
)
RANDOM, FEWER_RANDOM, SEED = 20, 8, 5
DRAWN = 1_000  # of the bootstrap


@dataclass(frozen=True, eq=False)
class Question:
    """A net and the texts it is asked, with what stands in for what is cut."""

    wires: Wires
    batch: Batch
    other: Other = "twin"

    @cached_property
    def _both(self) -> Tensor:
        """What each sender writes in the texts, and in their twins behind them."""
        return self.wires.written(torch.cat([self.batch.ids_BT, self.batch.twin_BT]))

    @property
    def clean(self) -> Tensor:
        return self._both[:, : len(self.batch)]

    @cached_property
    def instead(self) -> Tensor:
        if self.other == "twin":
            return self._both[:, len(self.batch) :]
        return mean_of(self.clean, self.batch.last_B) if self.other == "mean" else 0 * self.clean

    @property
    def together(self) -> int:
        """How many circuits are run at once."""
        return max(1, NUMBERS // self.clean.numel())

    def gaps(self, keep_CSR: np.ndarray, first: int = 0) -> tuple[np.ndarray, np.ndarray]:
        """m of each text (C, B), and whether the right answer is the likeliest."""
        gap, right = [], []
        for n in range(0, len(keep_CSR), self.together):
            some = keep_CSR[n : n + self.together]
            found = self.wires.answers(self.batch, some, self.instead, self.clean, first)
            gap.append(found.gap)
            right.append(found.first)
        return np.concatenate(gap), np.concatenate(right)

    @cached_property
    def ends(self) -> tuple[np.ndarray, np.ndarray]:
        """m of each text (B,) in the whole net, and with all edges cut."""
        may = self.wires.may_SR  # with all cut, the answer reads nothing but what stands in for it
        gap_2B, _ = self.gaps(np.stack([may, np.zeros_like(may)]), self.wires.layers)
        return gap_2B[0], gap_2B[1]

    @property
    def span(self) -> float:
        """What there is to keep.  ValueError where the net does not do it."""
        whole_B, none_B = self.ends
        found = float((whole_B - none_B).mean())
        if found <= 0:
            raise ValueError(
                "This net does not tell these texts from their twins: there is nothing to explain."
            )
        return found


def sweep(of: Question) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Every edge cut alone, some at a time: their numbers, and the effects (edges, B)."""
    wires = of.wires
    s_E, r_E = wires.places
    layer_E = np.array([wires.receivers[r][0].layer for r in r_E])
    whole_B = of.ends[0]
    for layer in range(wires.layers + 1):
        here = np.flatnonzero(layer_E == layer)
        for n in range(0, len(here), of.together):
            some = here[n : n + of.together]
            keep = np.repeat(wires.may_SR[None], len(some), 0)
            keep[np.arange(len(some)), s_E[some], r_E[some]] = False
            yield some, whole_B - of.gaps(keep, layer)[0]


def joined(wires: Wires, on_E: np.ndarray) -> np.ndarray:
    """Those of the edges that lie on a way from the text to the answer."""
    found = on_E.copy()
    while True:
        fed = {edge.receiver for edge, on in zip(wires.edges, found, strict=True) if on}
        fed.add(wires.senders[0])
        read = {edge.sender for edge, on in zip(wires.edges, found, strict=True) if on}
        read.add(wires.receivers[-1][0])
        left = np.array(
            [
                on and edge.sender in fed and edge.receiver in read
                for edge, on in zip(wires.edges, found, strict=True)
            ]
        )
        if (left == found).all():
            return left
        found = left


def chosen(wires: Wires, effect_E: np.ndarray, least: float) -> np.ndarray:
    """The circuit at a threshold."""
    return joined(wires, np.abs(effect_E) >= least)


def strongest(
    wires: Wires, effect_E: np.ndarray, counts: list[int]
) -> tuple[np.ndarray, list[int]]:
    """Circuits (C, E) of about so many of the strongest edges, and how many are in each."""
    order = np.argsort(-np.abs(effect_E), kind="stable")
    found = []
    for count in counts:
        on_E = np.zeros(len(effect_E), bool)
        on_E[order[:count]] = True
        found.append(joined(wires, on_E))
    return np.array(found), [int(on.sum()) for on in found]


def at_random(wires: Wires, count: int, rng: np.random.Generator) -> np.ndarray:
    """At least so many edges, of random ways from the text to the answer."""
    into: dict[Node, list[int]] = {}
    for n, edge in enumerate(wires.edges):
        into.setdefault(edge.receiver, []).append(n)
    on_E = np.zeros(len(wires.edges), bool)
    while on_E.sum() < min(count, len(on_E)):
        node = wires.receivers[-1][0]
        while node != wires.senders[0]:
            n = into[node][rng.integers(len(into[node]))]
            on_E[n], node = True, wires.edges[n].sender
    return on_E


@dataclass(frozen=True, eq=False)
class Kept:
    """Of circuits (C,): the share of m that each keeps, and how often the right answer is the likeliest.

    gap_CB  m of each text
    """

    share: np.ndarray
    right: np.ndarray
    gap_CB: np.ndarray


def judge(of: Question, on_CE: np.ndarray) -> Kept:
    gap_CB, right_CB = of.gaps(of.wires.kept(on_CE))
    none_B = of.ends[1]
    return Kept((gap_CB - none_B).mean(1) / of.span, right_CB.mean(1), gap_CB)


def interval(of: Question, gap_B: np.ndarray, seed: int = 0) -> tuple[float, float]:
    """95 % of the share that a circuit keeps, by bootstrap over the texts."""
    whole_B, none_B = of.ends
    draw = np.random.default_rng(seed).integers(len(gap_B), size=(DRAWN, len(gap_B)))
    share = (gap_B - none_B)[draw].mean(1) / (whole_B - none_B)[draw].mean(1)
    low, high = np.quantile(share, (0.025, 0.975))
    return float(low), float(high)


def greedy(of: Question, least: float) -> Iterator[tuple[float, np.ndarray]]:
    """How far it is, and which edges are left of those tried so far; `least` as a share of what there is to keep."""
    wires, on_E = of.wires, np.ones(len(of.wires.edges), bool)
    now = float(of.ends[0].mean())
    for n in reversed(range(len(on_E))):
        on_E[n] = False
        then = float(of.gaps(wires.kept(on_E[None]))[0].mean())
        if abs(now - then) > least * of.span:
            on_E[n] = True
        else:
            now = then
        yield 1 - n / len(on_E), on_E
    yield 1.0, joined(wires, on_E)


def nodes(of: Question) -> np.ndarray:
    """(S, B) what m loses where all that a sender writes is replaced, for every reader of it."""
    wires = of.wires
    keep = np.repeat(wires.may_SR[None], len(wires.senders), 0)
    for s in range(len(keep)):
        keep[s, s] = False
    found: np.ndarray = of.ends[0] - of.gaps(keep)[0]
    return found


def joint_effects(of: Question) -> np.ndarray:
    """What m loses where all edges from one node to another are cut (joints, B)."""
    every, keep = of.wires.layout.joints, of.wires.layout.without_joint
    found = np.zeros((len(every), len(of.batch)))
    layer_C = np.array([receiver.layer for _sender, receiver in every])
    for layer in range(of.wires.layers + 1):
        here = layer_C == layer
        found[here] = of.ends[0] - of.gaps(keep[here], layer)[0]
    return found
