"""Time per token of each cell on this machine: reading one text, and training.

What      the same step loop for every cell, and torch's own kernel for the three cells that have
          one
Source    measured: the best of several turns, as whatever else the machine does can only add; the
          cells are taken in turn
Shapes    B = streams, T = tokens, D = input width, H = units
Differs   Reading is one text in numpy, as the pages do it; training is a batch with its backward
          pass in torch.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

import torch
from torch import Tensor

from engine.core.registry import cells
from engine.jobs.worker import Report, Worker, serve
from engine.nn.cells.base import Cell

T, B, TURNS = 32, 16, 4
MOST_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class Speed:
    """Milliseconds for one token; `kernel_ms` is nan where torch has no such cell.  A token of
    training counts in each of the B streams."""

    cell: str
    read_ms: float
    train_ms: float
    kernel_ms: float


def speeds(ids: Sequence[str], d: int, h: int) -> list[Speed]:
    """KeyError for a cell that there is not."""
    made: dict[str, Cell] = {id: cells.get(id)(d, h) for id in ids}
    one, many = torch.randn(1, T, d), torch.randn(B, T, d)
    taken: dict[tuple[str, str], list[float]] = {}
    for turn in range(TURNS + 1):  # the first warms up
        for id, cell in made.items():
            for what, work in (
                ("read", _read(cell, one)),
                ("train", _train(cell, many)),
                ("kernel", _kernel(cell, one)),
            ):
                start = time.perf_counter()
                work()
                if turn:
                    taken.setdefault((id, what), []).append(
                        1000 * (time.perf_counter() - start) / T
                    )
    best = {key: min(times) for key, times in taken.items()}
    return [
        Speed(
            id,
            best[id, "read"],
            best[id, "train"] / B,
            best[id, "kernel"] if cell.fused is not None else float("nan"),
        )
        for id, cell in made.items()
    ]


def speeds_apart(ids: Sequence[str], d: int, h: int) -> list[Speed]:
    """`speeds` in a process of its own, so that nobody's typing waits.  RuntimeError with a
    sentence when that fails."""
    try:
        with Worker("engine.lessons.cells.speed") as worker:
            found = worker.ask(json.dumps([list(ids), d, h]).encode(), MOST_SECONDS)
    except (OSError, RuntimeError) as problem:  # TimeoutError is an OSError
        raise RuntimeError(
            "The time could not be measured. Try fewer cells or fewer units."
        ) from problem
    return [Speed(**row) for row in json.loads(found)]


def _read(cell: Cell, x_BTD: Tensor) -> Callable[[], None]:
    @torch.inference_mode()
    def work() -> None:
        Cell.forward(cell, x_BTD)

    return work


def _train(cell: Cell, x_BTD: Tensor) -> Callable[[], None]:
    def work() -> None:
        with torch.enable_grad():
            Cell.forward(cell, x_BTD)[:, -1].square().sum().backward()
        cell.zero_grad(set_to_none=True)

    return work


def _kernel(cell: Cell, x_BTD: Tensor) -> Callable[[], None]:
    @torch.inference_mode()
    def work() -> None:
        if cell.fused is not None:
            cell.fused(x_BTD)

    return work


def answer(request: bytes, report: Report) -> bytes:
    return json.dumps([asdict(row) for row in speeds(*json.loads(request))]).encode()


if __name__ == "__main__":
    serve(answer)
