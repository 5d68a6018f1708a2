"""Many people typing at once: replies to raw WebSocket sessions that speak Streamlit's protocol as
a browser does.

Each session opens a page (the lessons and home in turn), takes its layout, and types a text of its
own, so that no reply is a kept one.  At most one message is on its way; a key pressed meanwhile
waits, as in assets/live/live.js.

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
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from engine.bench import Bench, Row, p95
from engine.lessons.curriculum import LIVE
from tests.bench.server import Server, serve

PAGES = ("", *(item.id for item in LIVE))
CROWDS = ((20, 5.0, 15.0), (50, 1.0, 20.0))  # sessions, keys a second, seconds
ALONE_SECONDS = 8.0
LONGEST = 64  # characters, then from the start again
REPLY_SECONDS, OPEN_SECONDS = 20.0, 120.0
WORDS = (
    "the old captain king queen said went home sea book Paris May read their students opened and to"
    " a of".split()
)


@dataclass(frozen=True, slots=True)
class LoadRow(Row):
    p99_ms: float = 0.0
    keys: int = 0
    cpu_ms_per_key: float = (
        0.0  # of the server; above 1000 / (sessions * keys a second) nobody can keep up
    )
    memory_mb_per_session: float | None = None


@dataclass(slots=True)
class Session:
    """One connection: what a browser remembers of its page, and its unanswered keys by length of
    the text."""

    page: str
    seed: int
    socket: Any = None
    widget: str = ""
    fragment: str = ""
    script: str = ""
    layout: str | None = None
    answered: str | None = None
    start: int | None = None
    seq: int = 0
    sent: int = 0
    text: str = ""
    pressed: dict[int, float] = field(default_factory=dict)
    delays: list[float] = field(default_factory=list)

    async def open(self, server: Server) -> None:
        from websockets.asyncio.client import connect
        from websockets.typing import Origin, Subprotocol

        self.socket = await connect(
            server.socket,
            subprotocols=[Subprotocol(name) for name in ("streamlit", "x", "y")],
            max_size=None,
            origin=Origin(server.url),
        )
        await self.socket.send(self._ask(None))
        while True:
            message = _parse(await asyncio.wait_for(self.socket.recv(), OPEN_SECONDS))
            kind = message.WhichOneof("type")
            if kind == "new_session":
                self.script = message.new_session.page_script_hash
            elif kind == "delta" and message.delta.WhichOneof("type") == "new_element":
                element = message.delta.new_element
                if element.WhichOneof("type") == "bidi_component":
                    self.widget, self.fragment = (
                        element.bidi_component.id,
                        message.delta.fragment_id,
                    )
            elif kind == "script_finished":
                break
        if not self.widget:
            raise RuntimeError(
                f"page {self.page or 'home'!r} has no live component: is a model missing?"
            )
        await self._send(whole=True)  # a browser that never saw this layout asks for everything
        await self._answer(OPEN_SECONDS)

    async def type(self, keys_per_second: float, until: float) -> None:
        waits = random.Random(self.seed)
        await asyncio.sleep(waits.random() / keys_per_second)
        listener = asyncio.create_task(self._listen())
        text = ""
        while time.perf_counter() < until and not listener.done():
            if len(self.text) >= LONGEST and not self.sent:
                self.text, self.pressed = "", {}
            if len(self.text) < LONGEST:
                while len(text) <= len(self.text) or not text.startswith(self.text):
                    text = " ".join(waits.choice(WORDS) for _ in range(LONGEST // 2))[:LONGEST]
                    text = self.text + text[len(self.text) :]
                self.text = text[: len(self.text) + 1]
                self.pressed[len(self.text)] = time.perf_counter()
                if not self.sent:
                    await self._send()
            await asyncio.sleep(waits.uniform(0.5, 1.5) / keys_per_second)
        while self.sent and not listener.done():
            await asyncio.sleep(0.02)
        listener.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await listener

    async def close(self) -> None:
        if self.socket:
            await self.socket.close()

    async def _listen(self) -> None:
        while True:
            length = await self._answer(REPLY_SECONDS)
            now = time.perf_counter()
            for key in [k for k in self.pressed if k <= length]:
                self.delays.append(1000 * (now - self.pressed.pop(key)))
            if len(self.text) > length:
                await self._send()

    async def _answer(self, seconds: float) -> int:
        """Wait for the reply to the message on its way; returns the length of the text that it
        answers."""
        until = time.perf_counter() + seconds
        while True:
            raw = await asyncio.wait_for(
                self.socket.recv(), None if not self.sent else max(0.1, until - time.perf_counter())
            )
            if self.widget.encode() not in raw:
                until = max(until, time.perf_counter() + 1)
                continue
            message = _parse(raw)
            if message.WhichOneof("type") != "delta":
                continue
            data = message.delta.new_element.bidi_component.bytes
            header = json.loads(data[4 : 4 + int.from_bytes(data[:4], "little")])
            if header["seq"] != self.sent or not self.sent:
                continue
            self.layout, self.answered, self.start, self.sent = (
                header["layout"]["hash"],
                header["text"],
                header["start"],
                0,
            )
            return len(header["text"])

    async def _send(self, whole: bool = False) -> None:
        self.seq += 1
        self.sent = self.seq
        state = {
            "text": self.text,
            "seq": self.sent,
            "base": None if whole else self.answered,
            "base_start": self.start,
            "have": None if whole else self.layout,
            "start": None,
        }
        await self.socket.send(self._ask({"msg": state}))

    def _ask(self, state: Any) -> bytes:
        from streamlit.proto.BackMsg_pb2 import BackMsg

        message = BackMsg()
        ask = message.rerun_script
        if state is None:
            ask.page_name = self.page
        else:
            ask.page_script_hash, ask.fragment_id = self.script, self.fragment
            widget = ask.widget_states.widgets.add()
            widget.id, widget.json_value = self.widget, json.dumps(state)
        raw: bytes = message.SerializeToString()
        return raw


def _parse(raw: bytes) -> Any:
    from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

    message = ForwardMsg()
    message.ParseFromString(raw)
    return message


async def crowd(
    server: Server, sessions: int, keys_per_second: float, seconds: float, seed: int
) -> tuple[list[float], float, float]:
    """(delays in ms, processor time of the server in ms a key, growth of its memory in MB a
    session)."""
    import psutil  # type: ignore[import-untyped]

    process = psutil.Process(server.process.pid)
    before = process.memory_info().rss
    people = [Session(PAGES[i % len(PAGES)], seed + i) for i in range(sessions)]
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
        # open the models, fill what is kept
        asyncio.run(crowd(server, len(PAGES), 10.0, 12.0, seed=1))
        for sessions, pace, seconds in CROWDS:
            alone: list[float] = []
            for page in range(len(PAGES)):
                alone += asyncio.run(
                    _alone(server, PAGES[page], pace, ALONE_SECONDS / len(PAGES), seed=900 + page)
                )
            delays, busy, grown = asyncio.run(
                crowd(server, sessions, pace, seconds, seed=100 * sessions)
            )
            p99 = float(np.percentile(delays, 99))
            size = (
                f"{sessions} sessions, {pace:g} keys/s; p99 {p99:.3g} ms, CPU {busy:.3g} ms a key,"
                f" {grown:.2f} MB each"
            )
            yield LoadRow(
                "reply",
                size,
                statistics.median(delays),
                p95(delays),
                "one alone",
                statistics.median(alone) if alone else None,
                p99,
                len(delays),
                round(busy, 2),
                round(grown, 3),
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
