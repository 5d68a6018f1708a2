"""A class typing at once, answered by one process and by several behind one port
(engine/cli/serve.py).

Each visitor gets a cookie with the first page, as a browser does, and keeps it; who shares the
visitors out is the balancer.  The visitors, all in one process, need processor time too: on a
computer of two processors some of what two processes gain.

reply     key pressed to the reply that has it, waiting included; peer: the same by one process
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engine.bench import Bench, Row, p95
from engine.cli.console import say
from engine.cli.serve import PLACES
from tests.bench.load import PAGES, Session
from tests.bench.server import ROOT, START_SECONDS, Server, free_port

PROCESSES = (1, 2)
CROWDS = ((20, 5.0), (30, 1.0), (50, 1.0), (100, 1.0))  # visitors, keys a second
SECONDS, WARM_SECONDS = 20.0, 8.0
AT_ONCE = 4  # visitors who open their page at the same time
END_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Shared(Server):
    """`python -m engine serve`: the port of the balancer, and its process, the parent of all."""

    @property
    def workers(self) -> list[int]:
        """Ports of the processes behind it."""
        return [int(port) for port in json.loads(self._ready or "{}").get("workers", ())]

    @property
    def _ready(self) -> str:
        """What it says once all answer; empty before."""
        return next((line for line in self.said().splitlines() if line.startswith("{")), "")

    def cookie(self, worker: int) -> str:
        """That of who stays with this process; they count from 1."""
        return f"unrolled_{self.port}=worker{worker}"

    def visitor(self) -> str:
        """The cookie that somebody new gets."""
        with urllib.request.urlopen(self.url) as reply:
            (found,) = re.findall(r"unrolled_\d+=worker\d+", str(reply.headers))
        return str(found)


@contextmanager
def several(
    count: int, home: Path | None = None, log: Path | None = None, wait: bool = True
) -> Iterator[Shared]:
    """Start so many processes behind one port and wait until they answer.  RuntimeError with what
    they wrote when they do not start."""
    with tempfile.TemporaryDirectory(
        prefix="unrolled-several-", ignore_cleanup_errors=True
    ) as scratch:
        place, port = Path(scratch), free_port()
        log = log or place / "log"
        command = [sys.executable, "-m", "engine", "serve", "--json"]
        with log.open("wb") as out:
            process = subprocess.Popen(
                [*command, "--workers", str(count), "--port", str(port)],
                cwd=ROOT,
                env={**os.environ, "UNROLLED_HOME": str(home or place / "home")},
                stdout=out,
                stderr=out,
            )
        server = Shared(port, process, log)
        try:
            until = time.monotonic() + START_SECONDS
            while wait and not server.workers:
                if process.poll() is not None or time.monotonic() > until:
                    raise RuntimeError(f"it did not start: {server.said()[-2000:]}")
                time.sleep(0.05)
            yield server
        finally:
            process.terminate()
            process.wait(END_SECONDS)


@dataclass(frozen=True, slots=True)
class Crowd:
    """What came of it: delays in ms, and processor time in ms a key of the processes, of the
    balancer and of the visitors."""

    delays: list[float]
    app_ms: float
    balancer_ms: float
    visitors_ms: float


async def crowd(
    server: Shared, visitors: int, keys_per_second: float, seconds: float, seed: int
) -> Crowd:
    people = [Session(PAGES[i % len(PAGES)], seed + i) for i in range(visitors)]
    headers = [{"Cookie": server.visitor()} for _ in people]
    return await typed(server, people, headers, keys_per_second, seconds)


async def typed(
    server: Shared,
    people: list[Session],
    headers: list[dict[str, str]],
    keys_per_second: float,
    seconds: float,
) -> Crowd:
    room = asyncio.Semaphore(AT_ONCE)

    async def come(person: Session, own: Mapping[str, str]) -> None:
        async with room:
            await person.open(server, own)

    try:
        await asyncio.gather(*map(come, people, headers))
        before = _processor_seconds(server)
        until = time.perf_counter() + seconds
        await asyncio.gather(*(person.type(keys_per_second, until) for person in people))
        used = [b - a for a, b in zip(before, _processor_seconds(server), strict=True)]
    finally:
        await asyncio.gather(*(person.close() for person in people), return_exceptions=True)
    delays = [delay for person in people for delay in person.delays]
    if not delays:
        raise RuntimeError("no key was answered")
    return Crowd(delays, *(1000 * each / len(delays) for each in used))


def _processor_seconds(server: Shared) -> tuple[float, float, float]:
    """Of the processes, the balancer and this one so far."""
    import psutil  # type: ignore[import-untyped]

    app = balancer = 0.0
    for child in psutil.Process(server.process.pid).children():
        seconds = sum(child.cpu_times()[:2])
        app, balancer = (
            (app, balancer + seconds) if child.name() == "haproxy" else (app + seconds, balancer)
        )
    return app, balancer, time.process_time()


async def warm(server: Shared) -> None:
    """Every page once at each process, so that its models are open."""
    for worker in range(1, len(server.workers) + 1):
        people = [Session(page, n) for n, page in enumerate(PAGES)]
        headers = [{"Cookie": server.cookie(worker)} for _ in people]
        await typed(server, people, headers, 5.0, WARM_SECONDS)


def bench() -> Iterator[Row]:
    if shutil.which("haproxy", path=PLACES) is None:
        say("workers is left out: it needs HAProxy (`apt-get install haproxy`)")
        return
    alone: dict[tuple[int, float], float] = {}
    for count in PROCESSES:
        with several(count) as server:
            asyncio.run(warm(server))
            for visitors, pace in CROWDS:
                found = asyncio.run(crowd(server, visitors, pace, SECONDS, 100 * visitors))
                median = statistics.median(found.delays)
                yield Row(
                    "reply",
                    f"{visitors} visitors, {pace:g} keys/s, {count} process{'es' * (count > 1)};"
                    f" p99 {float(np.percentile(found.delays, 99)):.3g} ms, CPU a key:"
                    f" {found.app_ms:.3g} ms, balancer {found.balancer_ms:.2g},"
                    f" visitors {found.visitors_ms:.2g}",
                    median,
                    p95(found.delays),
                    "one process" if alone.get((visitors, pace)) else None,
                    alone.get((visitors, pace)),
                )
                alone.setdefault((visitors, pace), median)


BENCH = Bench(bench)
