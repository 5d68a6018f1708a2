"""One file, one bench.  Each file ends in BENCH, a function without arguments that yields `Row`s.

A number of seconds says little by itself, so each row names a peer: the plain way to do the same,
or the floor
below which nobody can get, timed in turn with ours so that a busy moment hits both.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

from engine import ROOT
from engine.core.registry import Registry

Bench = Callable[[], Iterator["Row"]]
ENGINE: Registry[Bench] = Registry("engine.bench", "BENCH")
APP: Registry[Bench] = Registry("tests.bench", "BENCH", ("server",))
"""Of the app: they need Streamlit, a browser and the clients of the tests."""


def benches() -> dict[str, Registry[Bench]]:
    """Where each bench is; those of the app only in a checkout with its tests."""
    folders = [ENGINE, *([APP] if (ROOT / "tests" / "bench").is_dir() else [])]
    return {id: folder for folder in folders for id in folder.ids()}


@dataclass(frozen=True, slots=True)
class Row:
    """`what` on an input of `size`; times in milliseconds; `ratio` is our median divided by the
    peer's."""

    what: str
    size: str
    median_ms: float
    p95_ms: float
    peer: str | None = None
    peer_median_ms: float | None = None

    @property
    def ratio(self) -> float | None:
        return self.median_ms / self.peer_median_ms if self.peer_median_ms else None

    def as_dict(self) -> dict[str, Any]:
        return asdict(self) | {"ratio": self.ratio}


def p95(times: list[float]) -> float:
    """The smallest of the times that 95 % do not exceed."""
    return sorted(times)[max(0, -(-95 * len(times) // 100) - 1)]


def measure(
    what: str,
    size: str,
    ours: Callable[[], object],
    peer: str | None = None,
    theirs: Callable[[], object] | None = None,
    rounds: int = 50,
) -> Row:
    """Time `ours` and `theirs` in turn, `rounds` times each, after two calls that warm both up."""
    for _ in range(2):
        ours()
        if theirs:
            theirs()
    times: list[float] = []
    peer_times: list[float] = []
    for _ in range(rounds):
        times.append(_milliseconds(ours))
        if theirs:
            peer_times.append(_milliseconds(theirs))
    return Row(
        what,
        size,
        statistics.median(times),
        p95(times),
        peer,
        statistics.median(peer_times) if peer_times else None,
    )


def _milliseconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return 1000 * (time.perf_counter() - start)
