"""What a key costs the server, page by page: one raw WebSocket session types alone, on a server that
does nothing else.

reply, PAGE      key pressed to the reply that has it
processor, PAGE  processor time of the server for one key, its threads together; the median and the
                 dearest of BLOCKS equal parts of the time; peer: the page's budget
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Collection, Iterator
from typing import Any

import psutil  # type: ignore[import-untyped]

from engine.bench import Bench, Row, attempt
from tests.bench.live import HOME, PAGES
from tests.bench.load import Session, busy_ms, warm
from tests.bench.server import Server, serve

PACE, BLOCKS, BLOCK_SECONDS = 5.0, 3, 4.0  # keys a second
FIRST_SECONDS = 2.0  # typed before: the model is opened, what is made once is made
BUDGET_MS, BUDGET_HOME_MS = 6.0, 12.0


def bench(parts: Collection[str] = tuple(PAGES)) -> Iterator[Row]:
    with serve() as server:
        process = psutil.Process(server.process.pid)
        warm(server)
        for name, address in PAGES.items():
            if name in parts:
                yield from attempt(name, typed(server, process, name, address))


def typed(server: Server, process: Any, name: str, address: str) -> Iterator[Row]:
    """The two rows of one page."""
    delays, costs = asyncio.run(_typed(server, process, Session(address, 7)))
    size = f"{len(delays)} keys, {PACE:g} a second"
    yield Row.of(f"reply, {name}", size, delays)
    budget = BUDGET_HOME_MS if name == HOME else BUDGET_MS
    yield Row.of(f"processor, {name}", size, costs, "budget", [budget])


async def _typed(server: Server, process: Any, person: Session) -> tuple[list[float], list[float]]:
    """(ms from each key to its reply, processor ms a key of each block)."""
    try:
        await person.open(server)
        await person.type(PACE, time.perf_counter() + FIRST_SECONDS)
        person.delays.clear()
        costs = []
        for _ in range(BLOCKS):
            before, keys = busy_ms(process), len(person.delays)
            await person.type(PACE, time.perf_counter() + BLOCK_SECONDS)
            if (keys := len(person.delays) - keys) == 0:
                raise RuntimeError("no key was answered")
            costs.append((busy_ms(process) - before) / keys)
    finally:
        await person.close()
    return person.delays, costs


BENCH = Bench(bench, tuple(PAGES))
