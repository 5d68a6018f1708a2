"""Windows: how a long text becomes batches of inputs and targets.

What      drawn     half of the windows of a step start at the start of a passage, the others
          anywhere: that is how a typed
                    sentence starts, and how a text goes on
          tracks    the text is cut into as many tracks as a batch has windows; each step reads on
                    where the one before stopped, with the state that it left (truncated
                    backpropagation through time, stateful)
          passages  whole passages of about one length, the short ones filled up at their end; what
                    is filled up is no target, and nothing before it looks there, so it changes no
                    loss
          replaced  some of the tokens that are read are others, drawn at random among those of the
                    text; the targets stay as they were
          echoed    some drawn windows say a stretch a second time; how far back it stands is drawn
                    too, so that only looking for the same tokens helps, not counting places
Source    tracks: Williams & Peng, An Efficient Gradient-Based Algorithm for On-Line Training of
          Recurrent Network Trajectories, 1990;
          what repetition teaches: Olsson et al., In-context Learning and Induction Heads, 2022
Shapes    N = tokens of the stream, B = windows in a batch, T = tokens in a window
Differs   A step depends on (seed, step) only, and on the state where there is one.  A carried state
          goes on over the ends of passages, which the net reads as a mark, and begins anew from
          zeros whenever the tracks do.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from engine.language.message import refusal
from engine.nn.plan import Plan

NOTHING = -100  # a target that does not count
SHORTEST = 8  # tokens that come twice
CHOICE = 8  # a batch of passages is this share of those drawn: the ones of about one length

Pair = tuple[Tensor, Tensor]


def drawn(ids_N: Tensor, starts: np.ndarray, plan: Plan, seed: int, step: int) -> Pair:
    """Inputs and targets (B, T) of one step, from (seed, step) alone."""
    rng = np.random.default_rng((seed, step))
    span = min(plan.span, len(ids_N) - 1)
    start_B = rng.integers(0, len(ids_N) - span, plan.batch)
    if len(starts):
        half = plan.batch // 2
        start_B[:half] = np.minimum(rng.choice(starts, half), len(ids_N) - span - 1)
    at_BT = torch.from_numpy(start_B)[:, None] + torch.arange(span + 1)
    both = ids_N[at_BT]
    return both[:, :-1], both[:, 1:]


def echoed(pair: Pair, plan: Plan, share: float, seed: int, step: int) -> Pair:
    """In the second half of training a `share` of the windows of `drawn` with a stretch of theirs,
    up to half of it, written over a later place."""
    x_BT, y_BT = pair
    size = x_BT.shape[1] + 1
    if not share or 2 * step <= plan.steps or size < 4:
        return pair
    rng = np.random.default_rng((seed, step, 1))
    both = torch.cat((x_BT, y_BT[:, -1:]), 1)
    for i in np.flatnonzero(rng.random(len(both)) < share):
        long = int(rng.integers(min(SHORTEST, size // 2), size // 2 + 1))
        first = int(rng.integers(0, size - 2 * long + 1))
        again = int(rng.integers(first + long, size - long + 1))
        both[i, again : again + long] = both[i, first : first + long].clone()
    return both[:, :-1], both[:, 1:]


def replaced(pair: Pair, known_V: Tensor, share: float, seed: int, step: int) -> Pair:
    """A `share` of the inputs as other tokens, each of `known_V` (sorted ids) as likely; what is not
    among them, as the mark between passages, stays."""
    x_BT, y_BT = pair
    if not share or len(known_V) < 2:
        return pair
    draw = torch.Generator().manual_seed((seed * 1_000_003 + step) * 2 + 1)
    at_BT = torch.searchsorted(known_V, x_BT.contiguous()).clamp(max=len(known_V) - 1)
    hit_BT = (torch.rand(x_BT.shape, generator=draw) < share) & (known_V[at_BT] == x_BT)
    moved_BT = torch.randint(1, len(known_V), x_BT.shape, generator=draw)  # by which it is another
    return torch.where(hit_BT, known_V[(at_BT + moved_BT) % len(known_V)], x_BT), y_BT


class Passages:
    """Of a stream with a boundary before each passage and one at its end; a long passage is
    several, `span` tokens each."""

    def __init__(self, stream_N: np.ndarray, plan: Plan, boundary: int) -> None:
        marks = np.flatnonzero(stream_N == boundary)
        ends = [(a, b) for a, b in pairwise(marks.tolist()) if b > a + 1] or [
            (0, len(stream_N) - 1)
        ]
        self.parts = [
            stream_N[at : min(at + plan.span, b) + 1]
            for a, b in ends
            for at in range(a, b, plan.span)
        ]
        self.lengths, self.batch = np.array([len(part) - 1 for part in self.parts]), plan.batch

    def draw(self, seed: int, step: int) -> Pair:
        rng = np.random.default_rng((seed, step))
        some = rng.integers(0, len(self.parts), CHOICE * self.batch)
        some = some[np.argsort(self.lengths[some], kind="stable")]
        return filled(
            [self.parts[i] for i in some[rng.integers(0, CHOICE) * self.batch :][: self.batch]]
        )


def filled(parts: list[np.ndarray]) -> Pair:
    """Rows of ids, each with the one that follows its last: inputs and targets (B, T), T that of
    the longest."""
    x_BT = np.zeros((len(parts), max(map(len, parts)) - 1), np.int64)
    y_BT = np.full_like(x_BT, NOTHING)
    for i, part in enumerate(parts):
        x_BT[i, : len(part) - 1], y_BT[i, : len(part) - 1] = part[:-1], part[1:]
    return torch.from_numpy(x_BT), torch.from_numpy(y_BT)


class Tracks:
    """Consecutive windows, and the state of the net between them: per layer its parts (B, H).

    ValueError when the text is too short for a track of two tokens each.
    """

    def __init__(self, ids_N: Tensor, plan: Plan) -> None:
        long = (len(ids_N) - 1) // plan.batch
        if long < 1:
            raise refusal(
                "the text has {n} tokens, too few for {plan.batch} tracks side by side; take a"
                " smaller batch",
                n=len(ids_N),
            )
        self.ids_N, self.span, self.rounds = (
            ids_N,
            min(plan.span, long),
            long // min(plan.span, long),
        )
        self.start_B = torch.arange(plan.batch)[:, None] * long
        self.before: list[tuple[Tensor, ...]] = []
        self._after: list[list[tuple[Tensor, ...]]] = []

    def draw(self, step: int) -> Pair:
        window = (step - 1) % self.rounds
        both = self.ids_N[self.start_B + window * self.span + torch.arange(self.span + 1)]
        self.before = [] if window == 0 else self.joined()
        self._after = []
        return both[:, :-1], both[:, 1:]

    def read(self, net: nn.Module, x_BT: Tensor, rows: slice) -> Tensor:
        """Logits of these rows of the batch, read behind what the step before left of them."""
        after: list[tuple[Tensor, ...]] = []
        before = [tuple(part[rows].to(x_BT.device) for part in layer) for layer in self.before]
        found: Tensor = net(x_BT, before=before, after=after)
        self._after.append(after)
        return found

    def joined(self) -> list[tuple[Tensor, ...]]:
        """The state after the last step, all rows."""
        return [tuple(torch.cat(parts) for parts in zip(*layer)) for layer in zip(*self._after)]

    def state(self) -> Mapping[str, Any]:
        return {
            f"{i}/{j}": part.float().cpu().numpy().copy()
            for i, layer in enumerate(self.joined())
            for j, part in enumerate(layer)
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        layers: dict[int, list[Tensor]] = {}
        for key in sorted(state, key=lambda key: [int(part) for part in key.split("/")]):
            layers.setdefault(int(key.split("/")[0]), []).append(
                torch.from_numpy(np.array(state[key]))
            )
        self._after = [[tuple(parts) for parts in layers.values()]]
