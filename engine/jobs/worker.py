"""Worker: a process that answers requests through its pipes, one after the other, in bounded time.

What      Worker(module).ask(request, seconds): bytes to bytes.  The module calls `serve(handle)`;
          what `handle` reports on the way goes to who asked a message = its kind (one byte), its
          length (8 bytes, the highest first), its bytes
Differs   At lower priority, and never longer alive than who started it: when the pipe closes, it
          ends at once, whatever it is doing.  One that died is replaced at the next request.
          `concurrent.futures` can do none of these: a task that runs can't be stopped, reports nothing on
          its way, and holds up the end of the program.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from types import TracebackType
from typing import IO

from engine.jobs import process
from engine.language.message import Message, pack, refusal, unpack
from engine.storage.files import explain_error as disk_said
from engine.storage.files import is_full

ANSWER, ERROR, REPORT = b".", b"!", b"~"
HEAD = struct.Struct(">cQ")
MOST_SAID = 300  # characters of an error
Report = Callable[[bytes], None]


class Failed(RuntimeError):
    """The work failed; the sentence of the error that ended it."""


class Ended(RuntimeError):
    """The process ended before it had an answer."""


class Busy(TimeoutError):
    """Others asked before, and it did not come to this request in time."""


class Worker:
    """From any thread.  The process begins with the first request, and stays until `close`."""

    def __init__(self, module: str, *arguments: str, env: Mapping[str, str] | None = None) -> None:
        self._command, self._env = (module, *arguments), env
        self._lock = threading.Lock()
        self.process: subprocess.Popen[bytes] | None = None

    def ask(self, request: bytes, seconds: float, report: Report = lambda part: None) -> bytes:
        """The answer.  TimeoutError: it took longer, and the process was ended; Busy; Ended;
        Failed."""
        if not self._lock.acquire(timeout=seconds):
            raise Busy("others asked before")
        try:
            return self._ask(request, seconds, report)
        finally:
            self._lock.release()

    def ask_later(
        self, request: bytes, seconds: float, report: Report = lambda part: None
    ) -> Future[bytes]:
        """The same, waited for by a thread."""
        found: Future[bytes] = Future()

        def work() -> None:
            try:
                found.set_result(self.ask(request, seconds, report))
            except Exception as error:
                found.set_exception(error)

        self.start()
        threading.Thread(target=work, name="worker", daemon=True).start()
        return found

    def start(self) -> None:
        """Begin the process now, so that the first request need not wait for it."""
        with self._lock:
            self._running()

    def kill(self) -> None:
        """End the process, in the middle of an answer too, which then is Ended."""
        if (child := self.process) is not None:
            child.kill()

    def close(self) -> None:
        self.kill()
        with self._lock:
            self._gone()

    def __enter__(self) -> Worker:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _running(self) -> subprocess.Popen[bytes]:
        if self.process is not None and self.process.poll() is not None:
            self._gone()
        if self.process is None:
            self.process = process.start(
                *self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=self._env
            )
        return self.process

    def _gone(self) -> None:
        if self.process is not None:
            self.process.kill()
            for pipe in (self.process.stdin, self.process.stdout):
                with contextlib.suppress(OSError):
                    if pipe is not None:
                        pipe.close()
            self.process.wait()
            self.process = None

    def _ask(self, request: bytes, seconds: float, report: Report) -> bytes:
        child, late = self._running(), threading.Event()
        assert child.stdin is not None and child.stdout is not None

        def give_up() -> None:
            late.set()
            child.kill()

        timer = threading.Timer(seconds, give_up)
        timer.start()
        try:
            _send(child.stdin, REPORT, request)
            while (said := _receive(child.stdout)) is not None and said[0] == REPORT:
                report(said[1])
        except OSError:
            said = None
        except BaseException:  # of `report`: what else it would say belongs to nobody
            self._gone()
            raise
        finally:
            timer.cancel()
        if said is None:
            self._gone()
            if late.is_set():
                raise refusal("it took longer than {seconds:g} seconds", TimeoutError)
            raise Ended("the process ended before it had an answer")
        if said[0] == ERROR:
            packed, plain = json.loads(said[1])
            raise Failed(unpack(packed) or plain)
        return said[1]


def serve(
    handle: Callable[[bytes, Report], bytes], prepare: Callable[[], object] = lambda: None
) -> None:
    """The work of the process: one request after another, until who started it closes the pipe.

    prepare  what can be done before the first request comes
    What libraries print goes nowhere.
    """
    process.lower_priority()
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    requests: queue.SimpleQueue[bytes] = queue.SimpleQueue()

    def listen() -> None:
        while (said := _receive(sys.stdin.buffer)) is not None:
            requests.put(said[1])
        os._exit(0)

    threading.Thread(target=listen, name="requests", daemon=True).start()
    prepare()
    while True:
        request = requests.get()
        try:
            answer = ANSWER, handle(request, lambda part: _send(out, REPORT, part))
        except Exception as error:  # whatever a library raises goes back; the process lives on
            said = sentence(error)
            packed = pack(said) if isinstance(said, Message) else None
            both = json.dumps([packed, str.__str__(said)[:MOST_SAID]], ensure_ascii=False)
            answer = ERROR, both.encode("utf-8", "replace")
        _send(out, *answer)


def sentence(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return "there is not enough memory for it"
    if isinstance(error, OSError) and is_full(error):
        return disk_said(error)
    said = str(error.args[0] if isinstance(error, KeyError) and error.args else error)
    if isinstance(said, Message):
        return said
    return (said.splitlines() or [""])[0][:MOST_SAID] or type(error).__name__


def _send(pipe: IO[bytes], kind: bytes, body: bytes) -> None:
    pipe.write(HEAD.pack(kind, len(body)))
    pipe.write(body)
    pipe.flush()


def _receive(pipe: IO[bytes]) -> tuple[bytes, bytes] | None:
    """(kind, body); None at the end, or in the middle of a message that breaks off."""
    head = pipe.read(HEAD.size)
    if len(head) < HEAD.size:
        return None
    kind, size = HEAD.unpack(head)
    body = pipe.read(size)
    return (kind, body) if len(body) == size else None
