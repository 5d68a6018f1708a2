"""One file, one bench.  Each file ends in BENCH, a `Bench` whose function yields `Row`s.

A number of seconds says little by itself, so each row names a peer: the plain way to do the same,
or the floor below which nobody can get, timed in turn with ours so that a busy moment hits both.
What can't be measured is a row too, which says why; what comes after it is measured all the same.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from engine import ROOT
from engine.core.registry import Registry


@dataclass(frozen=True, slots=True)
class Bench:
    """`rows` measures.  Where there are `parts`, it takes the names of those that are asked for."""

    rows: Callable[..., Iterator[Row]]
    parts: tuple[str, ...] = ()

    def run(self, parts: Sequence[str] = ()) -> Iterator[Row]:
        """The rows of these parts, of all when none is named."""
        return self.rows(tuple(parts) or self.parts) if self.parts else self.rows()


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
    peer's, `p95_ratio` the same of the times that 95 % do not exceed.

    problem  why it could not be measured; the times are then not a number
    """

    what: str
    size: str
    median_ms: float
    p95_ms: float
    peer: str | None = None
    peer_median_ms: float | None = None
    peer_p95_ms: float | None = field(default=None, kw_only=True)
    problem: str | None = field(default=None, kw_only=True)

    @classmethod
    def of(
        cls,
        what: str,
        size: str,
        times: list[float],
        peer: str | None = None,
        peer_times: list[float] | None = None,
    ) -> Row:
        """The row of these times; ValueError when there are none."""
        if not times:
            raise ValueError(f"{what}: nothing was timed")
        middle, most = (
            (statistics.median(peer_times), p95(peer_times)) if peer_times else (None,) * 2
        )
        return cls(what, size, statistics.median(times), p95(times), peer, middle, peer_p95_ms=most)

    @classmethod
    def failed(cls, what: str, error: Exception) -> Row:
        """In the place of what could not be measured."""
        why = " ".join(str(error).split()) or "no message"
        return cls(what, "", math.nan, math.nan, problem=f"{type(error).__name__}: {why}")

    @property
    def ratio(self) -> float | None:
        return self.median_ms / self.peer_median_ms if self.peer_median_ms else None

    @property
    def p95_ratio(self) -> float | None:
        return self.p95_ms / self.peer_p95_ms if self.peer_p95_ms else None

    def as_dict(self) -> dict[str, Any]:
        return asdict(self) | {"ratio": self.ratio, "p95_ratio": self.p95_ratio}


def attempt(what: str, rows: Iterable[Row]) -> Iterator[Row]:
    """These rows; where they break off, a row named `what` that says why."""
    try:
        yield from rows
    except Exception as error:
        yield Row.failed(what, error)


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
    return Row.of(what, size, times, peer, peer_times)


def _milliseconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return 1000 * (time.perf_counter() - start)
