"""Prefetch: a training on a device of its own waits for it as rarely as it can.

What      batches are drawn and copied there while steps are computed; the numbers of a step stay
          there, and come back together with those of the steps behind it
Source    NVIDIA, CUDA C++ Best Practices Guide: Pinned Memory; Asynchronous and Overlapping
          Transfers with Computation
Shapes    N = numbers that are told of a step
Differs   On a processor nothing is gained by it: there each step's numbers are read at once.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

Batch = tuple[Tensor, ...]

STEPS = {"cpu": 1}
"""How many steps are taken before their numbers are read, at most, by kind of device."""
ELSEWHERE = 64
SECONDS = 0.5  # after so long they are read in any case: somebody may want to pause


def steps_of(kind: str) -> int:
    return STEPS.get(kind, ELSEWHERE)


class Batches(AbstractContextManager["Batches"]):
    """The batches of steps up to `last`, on `device`; `thread`: the next one is drawn meanwhile, in
    a thread of its own.

    `draw` then has to know a batch from the number of its step alone: nobody says when it is asked.
    """

    def __init__(
        self, draw: Callable[[int], Batch], device: str, last: int, *, thread: bool
    ) -> None:
        self.draw, self.device, self.last = draw, device, last
        self.pinned = torch.device(device).type == "cuda"
        self._pool = ThreadPoolExecutor(1, "batches") if thread else None
        self._next: tuple[int, Future[Batch]] | None = None

    def __call__(self, step: int) -> Batch:
        """What `draw` gives or raises for this step."""
        known, self._next = self._next, None
        parts = known[1].result() if known and known[0] == step else self._drawn(step)
        if self._pool is not None and step < self.last:
            self._next = step + 1, self._pool.submit(self._drawn, step + 1)
        return tuple(part.to(self.device, non_blocking=self.pinned) for part in parts)

    def _drawn(self, step: int) -> Batch:
        parts = self.draw(step)
        return tuple(part.pin_memory() for part in parts) if self.pinned else parts

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)


@dataclass(frozen=True, slots=True)
class Taken:
    """A step whose numbers (N,) are still on the device; `before`: the state that it began with,
    where one is carried."""

    step: int
    rate: float
    tokens: int
    numbers: Tensor
    before: Any


class Unread:
    """Steps whose numbers nobody has read, at most so many."""

    def __init__(self, most: int) -> None:
        self.most, self._steps, self._began = most, list[Taken](), 0.0

    def begin(self) -> None:
        """A step begins."""
        if not self._steps:
            self._began = time.perf_counter()

    def add(self, *taken: Any) -> None:
        self._steps.append(Taken(*taken))

    def full(self) -> bool:
        return len(self._steps) >= self.most or time.perf_counter() - self._began > SECONDS

    def read(self) -> tuple[list[tuple[Taken, list[float]]], float]:
        """Each with its numbers, in order, and the tokens a second of all of them.  The one wait
        for the device."""
        steps, self._steps = self._steps, []
        found = torch.stack([taken.numbers for taken in steps]).tolist()
        seconds = time.perf_counter() - self._began
        return list(zip(steps, found, strict=True)), sum(taken.tokens for taken in steps) / seconds


def number(value: float | Tensor, device: str) -> Tensor:
    """One that may lie there already; nothing is copied from here."""
    if isinstance(value, Tensor):
        return value
    return torch.full((), value, dtype=torch.float64, device=device)
