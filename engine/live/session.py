"""Session: one visitor's live page, as Streamlit's script opens it and the socket answers for it.

Streamlit runs the page's script, which makes the stage and draws the component.  From then on a key
needs no script: the browser asks over a socket of its own (engine/live/socket.py) under the
session's key, which only this visitor's page was told.  Whatever is not a plain answer to a plain
message is left to the script: opening models, another layout, a file, an error.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from weakref import WeakValueDictionary

from engine.language.catalogue import ENGLISH, tell
from engine.live import long, wire
from engine.live.reply import Header, Reply
from engine.live.request import Request
from engine.live.stage import MOST_CHARACTERS, Opening, Stage
from engine.people import visits
from engine.storage.home import act_as, person


@dataclass(frozen=True, slots=True)
class Made:
    """A page's stage with what the browser is told of it once; `stamp` names that."""

    stage: Stage
    layout: Mapping[str, Any]
    stamp: str
    language: str = ENGLISH

    @classmethod
    def of(cls, opening: Opening, stage: Stage, language: str = ENGLISH) -> Made:
        layout = tell({**opening.layout(), **stage.layout()}, language)
        # the same run may read a text in another way, which its layout need not tell
        named = json.dumps([layout, [run.key for _, run in stage.readers]])
        stamp = hashlib.sha256(named.encode()).hexdigest()[:12]
        return cls(stage, layout, stamp, language)

    def reply(self, request: Request, header: Header) -> Reply:
        """The answer to one request; `header` says of which page and text."""
        stage, request = self.stage, request.known(self.stamp)
        header["refresh"], header["waits"] = self.stamp, None
        if stage.unread:
            readings, characters = stage.answer(request)
        else:
            every, header["waits"] = long.reach(stage, stage.shown(request), request)
            characters = every[0].characters
            readings = stage.readings(every, request)
            header["notes"] += stage.notes(every)
            if request.strip and (strip := long.strip(every[0], request.strip)):
                header["strip"] = strip
        header["start"], header["stop"] = characters
        known = {"hash": self.stamp}
        header["layout"] = known if request.have else {**known, **self.layout}
        if self.language != ENGLISH:
            header["notes"] = tell(header["notes"], self.language)
            for reading in readings:
                if "said" in reading.part:
                    reading.part["said"] = tell(reading.part["said"], self.language)
        return Reply(header, readings)


@dataclass(slots=True)
class TypedText:
    """What stands in a visitor's text box, on whichever page; None until something does."""

    text: str | None = None


class Session:
    """The live page that a visitor looks at.

    page     id of the page
    key      what the socket's address ends with; nobody else knows it
    message  the last one that the browser sent, over the socket or through the script
    seconds  of processor time that the last answer over the socket took
    """

    def __init__(self, page: str, typed: TypedText) -> None:
        self.page, self._typed, self._person = page, typed, person()
        self.key = secrets.token_urlsafe(24)
        if self._person is not None:
            visits.reserve(self.key, self._person)
        self.message: Mapping[str, Any] = {}
        self.seconds = 0.0
        self._from_script: object = None
        self._make: Callable[[], Made] | None = None
        self._made: Made | None = None
        self._lock = threading.Lock()
        _sessions[self.key] = self

    def begin(self, make: Callable[[], Made]) -> None:
        """The page's script has run: what it shows is made by `make` when it is asked for."""
        with self._lock:
            self._make, self._made = make, None

    @property
    def made(self) -> Made:
        """What the page shows, made the first time, which may take seconds (it opens models).
        ValueError for a damaged run."""
        with self._lock:
            if self._made is None:
                assert self._make is not None, "the page's script has not run"
                self._made = self._make()
            return self._made

    @property
    def is_made(self) -> bool:
        return self._made is not None

    def let_go(self) -> None:
        """Of what the page shows, with its models: it is made anew when it is asked for again.  What is
        being made stays."""
        if self._lock.acquire(blocking=False):
            self._made = None
            self._lock.release()

    def hear(self, message: Mapping[str, Any]) -> None:
        """A message came with a run of the script; one that came before says nothing new."""
        if message and message != self._from_script:
            self._from_script = message
            self._take(message)

    def _take(self, message: Mapping[str, Any]) -> Request:
        request = Request.read(message, MOST_CHARACTERS)
        self.message = message
        if isinstance(message.get("text"), str):  # a box that was just drawn anew has none yet
            self._typed.text = request.text
        return request

    def answer(self, message: object) -> bytes | None:
        """The bytes of the reply to a message of the socket; None where only the script can answer
        it: what is asked is not of what the page shows now, or that is not open yet."""
        with act_as(self._person):
            return self._answer(message)

    def _answer(self, message: object) -> bytes | None:
        made = self._made
        if made is None or not isinstance(message, Mapping) or message.get("have") != made.stamp:
            return None
        request = self._take(message)
        header: Header = {"page": self.page, "seq": request.seq, "text": request.text, "notes": []}
        begun = time.thread_time()
        data = wire.pack(made.reply(request, header))
        self.seconds = time.thread_time() - begun
        return data


_sessions: WeakValueDictionary[str, Session] = WeakValueDictionary()


def find(key: str) -> Session | None:
    """The session with this key, as long as its visitor's page is open."""
    return _sessions.get(key)
