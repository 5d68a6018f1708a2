"""Memory of a training step: what the way forward keeps, and what is computed a second time.

What      N parts in s segments: the way forward keeps what goes into each segment; the way back
          computes one segment again and keeps its parts: s + N / s at most, which is least,
          2 sqrt N, at s = sqrt N; one more way forward
Source    Chen, Xu, Zhang & Guestrin, Training Deep Nets with Sublinear Memory Cost, 2016, sec. 4
Shapes    N = parts: layers or steps
Differs   What a part keeps counts as one, and what goes into it as `entry` of one.  `measured` is
          every allocation of one step on the processor, as torch's profiler lists them.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from itertools import pairwise
from threading import Lock

import torch
from torch.autograd.profiler import profile

from engine.nn.cells.lstm import LSTM
from engine.nn.recompute import switch_on
from engine.nn.stack import Stack

ONE_AT_A_TIME = Lock()  # there is one profiler in a process


@dataclass(frozen=True, slots=True)
class Moment:
    """One part computed: forward, again or backward; `held`: parts kept then, and entries of
    segments."""

    part: int
    what: str
    held: tuple[int, ...]
    entries: int

    def size(self, entry: float) -> float:
        return len(self.held) + entry * self.entries


def timeline(parts: int, segments: int) -> list[Moment]:
    """One step; with one part in each segment, or 0 segments, nothing is put away: all is kept."""
    if not segments:
        forward = [Moment(n, "forward", tuple(range(n + 1)), 0) for n in range(parts)]
        return forward + [
            Moment(n, "backward", tuple(range(n + 1)), 0) for n in reversed(range(parts))
        ]
    ends = [parts * n // segments for n in range(segments + 1)]
    found = []
    for s, (a, b) in enumerate(pairwise(ends)):
        found += [Moment(n, "forward", (n,), s + 1) for n in range(a, b)]
    for s in reversed(range(segments)):
        a, b = ends[s], ends[s + 1]
        found += [Moment(n, "again", tuple(range(a, n + 1)), s + 1) for n in range(a, b)]
        found += [
            Moment(n, "backward", tuple(range(a, n + 1)), s + 1) for n in reversed(range(a, b))
        ]
    return found


def peak(parts: int, segments: int, entry: float = 1.0) -> float:
    return max(moment.size(entry) for moment in timeline(parts, segments))


@dataclass(frozen=True, slots=True)
class Measured:
    """Bytes held above those at the start, after each allocation and each release, with seconds;
    `seconds` is that of a step without a profiler; gradient: its length."""

    at: tuple[float, ...]
    held: tuple[int, ...]
    seconds: float
    gradient: float

    @property
    def peak(self) -> int:
        return max(self.held)


def measured(
    recompute: bool, layers: int = 6, rows: int = 16, tokens: int = 64, units: int = 64
) -> Measured:
    """One step of the engine's own LSTM layers."""
    with torch.random.fork_rng(devices=[]), torch.enable_grad():
        torch.manual_seed(0)
        stack = Stack(LSTM, units, units, layers).train()
        x = torch.randn(rows, tokens, units)
    if recompute:
        switch_on(stack)
    weights = list(stack.parameters())

    def step() -> list[torch.Tensor]:
        with torch.enable_grad():
            return list(torch.autograd.grad(stack.read(x).square().mean(), weights))

    step()
    begun = time.perf_counter()
    step()
    seconds = time.perf_counter() - begun
    with ONE_AT_A_TIME, profile(profile_memory=True) as seen:  # torch.profiler loads the compiler
        found = step()
    results = seen.kineto_results
    assert results is not None
    events = sorted((e.start_ns(), e.nbytes()) for e in results.events() if e.name() == "[memory]")
    at, held, now = [], [], 0
    for when, size in events:
        now += size
        at.append((when - events[0][0]) / 1e9)
        held.append(now)
    length = torch.stack([g.norm() for g in found]).norm().item()
    return Measured(tuple(at), tuple(held), seconds, length)
