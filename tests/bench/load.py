"""Many people typing at once: raw WebSocket sessions that speak as a browser does.

Each session opens a page (the lessons and home in turn) over Streamlit's socket and takes its
layout; then it types a text of its own, so that no reply is a kept one, over the page's own socket
(engine/live/socket.py).  At most one message is on its way; a key pressed meanwhile waits, as in
assets/live/live.js.

Each page is tried first by one session; one that cannot be opened or answers no key is a row that
says why, and nobody in the crowds opens it.

reply     key pressed to the reply that has it, waiting included; peer: one session alone, at the
          same pace
memory    growth of the server's resident memory from before the sessions came until after they
          typed, shared out;
          kept traces are at their limit before, so that they do not count
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import statistics
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import psutil  # type: ignore[import-untyped]

from engine.bench import Bench, Row, attempt, p95
from engine.course.curriculum import LIVE
from tests.bench.server import Server, serve

PAGES = ("", *(item.id for item in LIVE))
CROWDS = ((20, 5.0, 15.0), (50, 1.0, 20.0))  # sessions, keys a second, seconds
ALONE_SECONDS, TRY_SECONDS = 8.0, 0.5
LONGEST = 64  # characters, then from the start again
OPEN_SECONDS = 120.0
AGAIN = 2  # ForwardMsg.FINISHED_EARLY_FOR_RERUN
IDLE, IDLE_SECONDS, LONGEST_SECONDS = 0.05, 0.5, 120.0  # the warm-up is over
WORDS = (
    "the old captain king queen said went home sea book Paris May read their students opened and to"
    " a of".split()
)


@dataclass(frozen=True, slots=True)
class LoadRow(Row):
    p99_ms: float = 0.0
    keys: int = 0
    # of the server; above 1000 / (sessions * keys a second) nobody can keep up
    cpu_ms_per_key: float = 0.0
    memory_mb_per_session: float | None = None


@dataclass(slots=True)
class Session:
    """One visitor's page: what a browser remembers of it, and its unanswered keys by length of the
    text.

    script  Streamlit's socket, over which the page is opened and what only its script can answer
            is asked
    socket  the page's own, over which keys go
    query   what the address says behind the page's name
    """

    page: str
    seed: int
    script: Any = None
    socket: Any = None
    widget: str = ""
    fragment: str = ""
    hash: str = ""
    layout: str | None = None
    answered: str | None = None
    start: int | None = None
    drawn: int | None = None
    seq: int = 0
    sent: int = 0
    text: str = ""
    query: str = ""
    pressed: dict[int, float] = field(default_factory=dict)
    delays: list[float] = field(default_factory=list)

    async def open(self, server: Server, headers: Mapping[str, str] | None = None) -> None:
        """Open the page and its socket.

        headers  that a browser would send besides, such as a balancer's cookie
        RuntimeError where the page has no live component.
        """
        await self.connect(server, headers)
        await self._run(self._ask(None))
        if not self.widget:
            raise RuntimeError(
                f"page {self.page or 'home'!r} has no live component: is a model missing?"
            )
        await self.begin(server, headers)

    async def connect(self, server: Server, headers: Mapping[str, str] | None = None) -> None:
        """Streamlit's socket, as a browser opens it before anything else."""
        from websockets.asyncio.client import connect
        from websockets.typing import Origin, Subprotocol

        self.script = await connect(
            server.socket,
            subprotocols=[Subprotocol(name) for name in ("streamlit", "x", "y")],
            max_size=None,
            origin=Origin(server.url),
            additional_headers=headers,
        )

    async def _run(self, ask: bytes, part: bool = False) -> None:
        """One run of a script, from what asks for it until it is finished, run again by itself too.

        part  of a fragment alone.  Otherwise what is left of runs before may still come
        """
        await self.script.send(ask)
        begun = part
        while True:
            message = _parse(await asyncio.wait_for(self.script.recv(), OPEN_SECONDS))
            kind = message.WhichOneof("type")
            if kind == "navigation":  # the app's script has found the page
                self.hash, begun = message.navigation.page_script_hash, True
            elif not begun:
                continue
            elif kind == "delta" and message.delta.WhichOneof("type") == "new_element":
                self._drawn(message.delta.new_element, message.delta.fragment_id)
            elif kind == "script_finished" and message.script_finished != AGAIN:
                break

    def _drawn(self, element: Any, fragment: str) -> None:
        """An element of the page has come."""
        if element.bidi_component.bytes:  # the menu has none
            self.widget, self.fragment = element.bidi_component.id, fragment

    async def begin(self, server: Server, headers: Mapping[str, str] | None = None) -> None:
        """The page's live part: its layout, and the socket of its own."""
        from websockets.asyncio.client import connect
        from websockets.typing import Origin

        # a browser that never saw this layout asks for everything
        await self.script.send(self._ask({"msg": self._message(whole=True)}))
        header = await asyncio.wait_for(self._told(), OPEN_SECONDS)
        self._take(header)
        self.socket = await connect(
            f"{server.url.replace('http', 'ws', 1)}/live/{header['socket']}",
            max_size=None,
            origin=Origin(server.url),
            additional_headers=headers,
            compression=None,
        )

    async def type(self, keys_per_second: float, until: float) -> None:
        waits = random.Random(self.seed)
        await asyncio.sleep(waits.random() / keys_per_second)
        listener = asyncio.create_task(self._listen())
        text = ""
        while time.perf_counter() < until and not listener.done():
            if len(self.text) >= LONGEST and not self.sent:
                self.text, text, self.pressed = "", "", {}
            if len(self.text) < LONGEST:
                while len(text) <= len(self.text) or not text.startswith(self.text):
                    text = " ".join(waits.choice(WORDS) for _ in range(LONGEST // 2))[:LONGEST]
                    text = self.text + text[len(self.text) :]
                self.text = text[: len(self.text) + 1]
                self.pressed[len(self.text)] = time.perf_counter()
                if not self.sent:
                    await self.socket.send(json.dumps(self._message()))
            await asyncio.sleep(waits.uniform(0.5, 1.5) / keys_per_second)
        while self.sent and not listener.done():
            await asyncio.sleep(0.02)
        if listener.done():
            listener.result()  # what stopped it
        listener.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await listener

    async def close(self) -> None:
        for line in (self.socket, self.script):
            if line:
                await line.close()

    async def _listen(self) -> None:
        """RuntimeError when a key goes unanswered."""
        while True:
            data = await asyncio.wait_for(self.socket.recv(), None)
            now = time.perf_counter()
            if isinstance(data, str):
                raise RuntimeError(f"page {self.page or 'home'!r}: its script had to answer a key")
            header = _header(data)
            if header["seq"] != self.sent:
                continue
            self._take(header)
            for key in [k for k in self.pressed if k <= len(header["text"])]:
                self.delays.append(1000 * (now - self.pressed.pop(key)))
            if len(self.text) > len(header["text"]):
                await self.socket.send(json.dumps(self._message()))

    async def _told(self) -> dict[str, Any]:
        """The header of the script's reply to the message on its way."""
        while True:
            raw = await self.script.recv()
            if self.widget.encode() not in raw:
                continue
            message = _parse(raw)
            if message.WhichOneof("type") != "delta":
                continue
            header = _header(message.delta.new_element.bidi_component.bytes)
            if header["seq"] == self.sent:
                return header

    def _take(self, header: dict[str, Any]) -> None:
        self.layout, self.drawn, self.sent = header["layout"]["hash"], header["seq"], 0
        self.answered, self.start = header["text"], header["start"]

    def _message(self, whole: bool = False) -> dict[str, Any]:
        self.seq += 1
        self.sent = self.seq
        base, have = (None, None) if whole else (self.answered, self.layout)
        said = {"text": self.text, "seq": self.sent, "start": None, "have": have}
        return said | {"base": base, "base_start": self.start, "base_seq": self.drawn}

    def _ask(self, state: Any) -> bytes:
        from streamlit.proto.BackMsg_pb2 import BackMsg

        message = BackMsg()
        ask = message.rerun_script
        ask.query_string = self.query
        if state is None:
            ask.page_name = self.page
        else:
            ask.page_script_hash, ask.fragment_id = self.hash, self.fragment
            widget = ask.widget_states.widgets.add()
            widget.id, widget.json_value = self.widget, json.dumps(state)
        raw: bytes = message.SerializeToString()
        return raw


def _header(data: bytes) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(data[4 : 4 + int.from_bytes(data[:4], "little")])
    return found


def _parse(raw: bytes) -> Any:
    from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

    message = ForwardMsg()
    message.ParseFromString(raw)
    return message


def warm(server: Server) -> None:
    """Open home, for the server reads the app with its first visitor, and wait until it does
    nothing.  RuntimeError when it never rests."""
    asyncio.run(_visit(server))
    process = psutil.Process(server.process.pid)
    until = time.monotonic() + LONGEST_SECONDS
    while time.monotonic() < until:
        before = busy_ms(process)
        time.sleep(IDLE_SECONDS)
        if busy_ms(process) - before < 1000 * IDLE * IDLE_SECONDS:
            return
    raise RuntimeError(f"the server is still at work after {LONGEST_SECONDS:g} s")


async def _visit(server: Server) -> None:
    person = Session(PAGES[0], 0)
    try:
        await person.open(server)
    finally:
        await person.close()


def busy_ms(process: psutil.Process) -> float:
    """Processor time of a process so far."""
    return float(1000 * sum(process.cpu_times()[:2]))


async def crowd(
    server: Server,
    pages: Sequence[str],
    sessions: int,
    keys_per_second: float,
    seconds: float,
    seed: int,
) -> tuple[list[float], float, float]:
    """(delays in ms, processor time of the server in ms a key, growth of its memory in MB a
    session)."""
    process = psutil.Process(server.process.pid)
    before = process.memory_info().rss
    people = [Session(pages[i % len(pages)], seed + i) for i in range(sessions)]
    try:
        for person in people:
            await person.open(server)
        busy = sum(process.cpu_times()[:2])
        until = time.perf_counter() + seconds
        await asyncio.gather(*(person.type(keys_per_second, until) for person in people))
        busy = sum(process.cpu_times()[:2]) - busy
        grown = (process.memory_info().rss - before) / sessions / 1e6
    finally:
        await asyncio.gather(*(person.close() for person in people), return_exceptions=True)
    delays = [delay for person in people for delay in person.delays]
    if not delays:
        raise RuntimeError("no key was answered")
    return delays, 1000 * busy / len(delays), grown


def bench() -> Iterator[Row]:
    with serve() as server:
        pages = []
        for page in PAGES:
            try:
                asyncio.run(_alone(server, page, 10.0, TRY_SECONDS, seed=1))
            except Exception as error:
                yield Row.failed(page or "home", error)
            else:
                pages.append(page)
        if not pages:
            return
        try:  # fill what is kept
            asyncio.run(crowd(server, pages, len(pages), 10.0, 12.0, seed=1))
        except Exception as error:
            yield Row.failed("the first keys of all pages", error)
        for sessions, pace, seconds in CROWDS:
            yield from attempt(
                f"{sessions} sessions", _rows(server, pages, sessions, pace, seconds)
            )


def _rows(
    server: Server, pages: Sequence[str], sessions: int, pace: float, seconds: float
) -> Iterator[Row]:
    """The row of one crowd."""
    alone: list[float] = []
    for n, page in enumerate(pages):
        found = _alone(server, page, pace, ALONE_SECONDS / len(pages), seed=900 + n)
        alone += asyncio.run(found)
    delays, busy, grown = asyncio.run(
        crowd(server, pages, sessions, pace, seconds, seed=100 * sessions)
    )
    p99, peer = float(np.percentile(delays, 99)), statistics.median(alone) if alone else None
    yield LoadRow(
        "reply",
        f"{sessions} sessions, {pace:g} keys/s; p99 {p99:.3g} ms, CPU {busy:.3g} ms a key,"
        f" {grown:.2f} MB each",
        statistics.median(delays),
        p95(delays),
        *("one alone", peer, p99, len(delays), round(busy, 2), round(grown, 3)),
    )


async def _alone(server: Server, page: str, pace: float, seconds: float, seed: int) -> list[float]:
    person = Session(page, seed)
    try:
        await person.open(server)
        await person.type(pace, time.perf_counter() + seconds)
    finally:
        await person.close()
    return person.delays


BENCH = Bench(bench)
