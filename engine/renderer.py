"""Renderer: pictures drawn in one niced child process that is kept.

Drawing a picture holds the interpreter lock for up to a second; in a child it disturbs no other session.  The child knows
neither torch nor Streamlit.  Requests and answers are JSON and bytes through its pipes, each behind its length.
"""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import IO

from engine.export import DATA, job, paint, render
from engine.figure import Figure


class Renderer:
    """`render` in one child process that is kept; from any thread.  A child that dies is replaced, and the work done again."""

    def __init__(self, timeout_seconds: float = 30.0) -> None:
        self._timeout, self._lock = timeout_seconds, threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None

    def render(self, figure: Figure, format: str, stamp: Mapping[str, str] | None = None) -> bytes:
        """As `engine.export.render`; TimeoutError when a picture takes too long or the queue is, RuntimeError when drawing fails."""
        if format in DATA:
            return render(figure, format, stamp)
        ask = json.dumps(job(figure, format, stamp or {})).encode()
        if not self._lock.acquire(timeout=self._timeout):
            raise TimeoutError("Other pictures are still being saved; try again in a moment.")
        try:
            for _ in range(2):
                answer = self._talk(ask)
                if answer is not None:
                    break
            else:
                raise RuntimeError("The process that draws pictures ended twice; try again, or save HTML or data.")
        finally:
            self._lock.release()
        if answer[:1] == b"!":
            raise RuntimeError(f"This picture could not be drawn: {answer[1:].decode()}")
        return answer[1:]

    def start(self) -> None:
        """Start the child now, so that the first picture need not wait for it."""
        with self._lock:
            self._running()

    def close(self) -> None:
        if self._child is not None:
            self._child.kill()
            self._child.communicate()
            self._child = None

    def _running(self) -> subprocess.Popen[bytes]:
        if self._child is None or self._child.poll() is not None:
            self.close()
            root = str(Path(__file__).parents[1])  # not a fork, and not `multiprocessing`, which would import the page again
            path = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
            self._child = subprocess.Popen([sys.executable, "-m", "engine.renderer"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                           stderr=subprocess.DEVNULL, env={**os.environ, "PYTHONPATH": path}, cwd=root)  # fmt: skip
        return self._child

    def _talk(self, ask: bytes) -> bytes | None:
        """The answer, or None when the child died before it gave one."""
        child, late = self._running(), threading.Event()

        def give_up() -> None:
            late.set()
            child.kill()

        watch = threading.Timer(self._timeout, give_up)
        watch.start()
        try:
            _send(child.stdin, ask)
            answer = _receive(child.stdout)
        except OSError:
            answer = None
        finally:
            watch.cancel()
        if answer is None:
            self.close()
            if late.is_set():
                raise TimeoutError(f"The picture took longer than {self._timeout:g} seconds. Draw fewer numbers, or save HTML or data.")
        return answer


def _send(pipe: IO[bytes] | None, body: bytes) -> None:
    assert pipe is not None
    pipe.write(struct.pack(">Q", len(body)) + body)
    pipe.flush()


def _receive(pipe: IO[bytes] | None) -> bytes | None:
    head = pipe.read(8) if pipe else b""
    body = pipe.read(struct.unpack(">Q", head)[0]) if pipe and len(head) == 8 else None
    return body if body is not None and len(body) == struct.unpack(">Q", head)[0] else None


def _serve() -> None:
    """The child: one request after another until its parent closes the pipe.  What libraries print goes nowhere."""
    with open(os.dup(1), "wb") as out:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        if hasattr(os, "nice"):
            os.nice(10)
        import vl_convert  # noqa: F401  loaded before the first request comes

        while (ask := _receive(sys.stdin.buffer)) is not None:
            try:
                answer = b"." + paint(*json.loads(ask))
            except Exception as error:  # whatever a library raises goes back as a sentence; the child lives on
                answer = b"!" + str(error).splitlines()[0][:300].encode("utf-8", "replace") if str(error) else b"!" + type(error).__name__.encode()
            _send(out, answer)


if __name__ == "__main__":
    _serve()
