"""The socket of a live page: it answers as the script does, and nobody but its visitor."""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.routing import WebSocketRoute
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from engine.live import session, socket, wire
from engine.live.reader import Reader
from engine.live.request import Request
from engine.live.session import Made, Session, TypedText
from engine.live.stage import Opening, Panel, Stage
from engine.runs.store import Run
from tests.bench.server import free_port

OPENING = Opening("lstm", "an example", ())


@pytest.fixture(scope="module")
def made(trained: Callable[[str], Any]) -> Made:
    run = Run(Path("small"), {"model": "lstm", "title": "small", "recipe": "socket"})
    reader = Reader("a", "LSTM", trained("lstm"), run.id, "tokens", ("hidden",), "probability")
    return Made.of(OPENING, Stage(((reader, run),), (Panel("p", "bars", "P"),)))


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    found = free_port()
    app = Starlette(routes=[WebSocketRoute("/live/{key}", socket.serve)])
    server = uvicorn.Server(uvicorn.Config(app, port=found, log_level="error"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        thread.join(0.02)
    yield found
    server.should_exit = True
    thread.join()


def opened(made: Made, typed: TypedText | None = None) -> Session:
    found = Session("lstm", typed or TypedText())
    found.begin(lambda: made)
    assert found.made is made
    return found


@contextmanager
def line(port: int, key: str, **headers: str) -> Iterator[ClientConnection]:
    with connect(f"ws://127.0.0.1:{port}/live/{key}", additional_headers=headers) as found:
        yield found


def message(made: Made, text: str, seq: int = 1, **more: Any) -> str:
    return json.dumps({"text": text, "seq": seq, "have": made.stamp, "base": None, **more})


def test_it_answers_as_the_script_would(made: Made, port: int) -> None:
    typed = TypedText()
    mine = opened(made, typed)
    with line(port, mine.key) as ours:
        ours.send(message(made, "the king", 7))
        header, numbers = wire.unpack(ours.recv())
        asked = Request.read(json.loads(message(made, "the king", 7)), 100)
        told: Any = {"page": "lstm", "seq": 7, "text": "the king", "notes": []}
        wanted, same = wire.unpack(wire.pack(made.reply(asked, told)))
        assert header == wanted and np.array_equal(numbers, same)
        ours.send(message(made, "the kings", 8, base="the king"))
        header, _ = wire.unpack(ours.recv())
        assert header["seq"] == 8 and header["readings"][0]["keep"] > 0
    # the visitor's other pages and the next run of the script go on from there
    assert typed.text == "the kings" and mine.message["seq"] == 8


@pytest.mark.parametrize(
    "said",
    ["", "no JSON", "[]", "7", '"text"', "{}", '{"text": 3, "have": "another layout"}', "[" * 9999],
)
def test_what_it_can_not_answer_is_left_to_the_script(made: Made, port: int, said: str) -> None:
    mine = opened(made)
    with line(port, mine.key) as ours:
        ours.send(said)
        assert ours.recv() == socket.SCRIPT
        ours.send(message(made, "still there"))
        assert wire.unpack(ours.recv())[0]["text"] == "still there"


def test_as_long_as_the_page_opens_the_script_answers(made: Made, port: int) -> None:
    mine = opened(made)
    mine.begin(lambda: made)  # the script runs anew
    with line(port, mine.key) as ours:
        ours.send(message(made, "x"))
        assert ours.recv() == socket.SCRIPT
        assert mine.made is made
        ours.send(message(made, "x"))
        assert isinstance(ours.recv(), bytes)


def test_an_error_is_left_to_the_script_and_logged(
    made: Made, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []

    def broken(*_: object) -> None:
        raise ZeroDivisionError("of a page")

    mine = opened(made)

    def kept(record: logging.LogRecord) -> bool:
        said.append(logging.Formatter().format(record))
        return False

    monkeypatch.setattr(Made, "reply", broken)
    monkeypatch.setattr(socket.log, "filters", [kept])
    with line(port, mine.key) as ours:
        ours.send(message(made, "x"))
        assert ours.recv() == socket.SCRIPT
    assert len(said) == 1 and "ZeroDivisionError: of a page" in said[0]


def test_a_key_of_nobody_is_turned_away(made: Made, port: int) -> None:
    mine = opened(made)
    with line(port, "guessed") as theirs, pytest.raises(ConnectionClosed) as found:
        theirs.send(message(made, "x"))
        theirs.recv()
    assert found.value.rcvd and found.value.rcvd.code == socket.GONE
    with line(port, mine.key) as ours:
        ours.send(message(made, "x"))
        ours.recv()
        del mine  # the visitor has gone
        gc.collect()
        ours.send(message(made, "y"))
        assert ours.recv() == socket.SCRIPT
        with pytest.raises(ConnectionClosed):
            ours.recv()
    assert session.find("guessed") is None


def test_another_site_is_turned_away(made: Made, port: int) -> None:
    mine = opened(made)
    with pytest.raises(Exception, match="403"), line(port, mine.key, Origin="https://evil.example"):
        pass
    with line(port, mine.key, Origin=f"http://127.0.0.1:{port}") as ours:
        ours.send(message(made, "x"))
        assert isinstance(ours.recv(), bytes)
    assert socket.same_address(None, "here:1")
    assert not socket.same_address("null", "here:1")
    assert not socket.same_address("http://here:2", "here:1")


def test_two_visitors_share_nothing(made: Made, port: int) -> None:
    texts = [TypedText(), TypedText()]
    people = [opened(made, text) for text in texts]

    def type(person: Session, word: str) -> None:
        with line(port, person.key) as ours:
            for n in range(1, 21):
                ours.send(message(made, word * n, n))
                header, _ = wire.unpack(ours.recv())
                assert header["text"] == word * n and header["seq"] == n

    async def both() -> None:
        await asyncio.gather(
            *(
                asyncio.to_thread(type, person, word)
                for person, word in zip(people, ("a ", "b "), strict=True)
            )
        )

    asyncio.run(both())
    assert [text.text for text in texts] == ["a " * 20, "b " * 20]


def test_a_box_that_is_drawn_anew_takes_no_text_away() -> None:
    """Streamlit can put the component up again on the same page; what it sends before it has a box
    names no text."""
    typed = TypedText()
    session = Session("lstm", typed)
    session.hear({"text": "typed before", "seq": 1})
    session.hear({"text": None, "seq": 2, "have": None})
    assert typed.text == "typed before" and session.message["seq"] == 2
    session.hear({"text": "", "seq": 3})
    assert typed.text == ""
