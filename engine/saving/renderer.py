"""Renderer: pictures drawn in one worker that is kept.

Drawing a picture holds the interpreter lock for up to a second; in a process of its own it disturbs
no other session.  That process knows neither torch nor Streamlit.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from engine.jobs.worker import Busy, Ended, Failed, Report, Worker, serve
from engine.language.message import refusal
from engine.saving import snapshot
from engine.saving.export import DATA, job, paint, render
from engine.views.figure import Figure


class Renderer(Worker):
    """`render` in one process that is kept; from any thread.  One that dies is replaced, and the
    work done again."""

    def __init__(self, timeout_seconds: float = 30.0) -> None:
        super().__init__("engine.saving.renderer")
        self._timeout = timeout_seconds

    def render(self, figure: Figure, format: str, stamp: Mapping[str, str] | None = None) -> bytes:
        """As `engine.saving.export.render`; TimeoutError when a picture takes too long or the queue is,
        RuntimeError when drawing fails."""
        if format in DATA:
            return render(figure, format, stamp)
        return self._made("chart", job(figure, format, stamp or {}))

    def snapshot(
        self, svg: str, format: str, said: Mapping[str, str], paper: str, ink: str
    ) -> bytes:
        """As `engine.saving.snapshot.write`; the same errors as `render`."""
        return self._made("snapshot", (svg, format, dict(said), paper, ink))

    def _made(self, kind: str, job: tuple[Any, ...]) -> bytes:
        request = json.dumps([kind, *job]).encode()
        for _ in range(2):
            try:
                return self.ask(request, self._timeout)
            except Ended:
                continue
            except Failed as error:
                raise refusal("This picture could not be drawn: {error}", RuntimeError) from error
            except Busy as error:
                raise TimeoutError(
                    "Other pictures are still being saved; try again in a moment."
                ) from error
            except TimeoutError as error:
                raise refusal(
                    "The picture took longer than {self._timeout:g} seconds. Draw fewer numbers,"
                    " or save HTML or data.",
                    TimeoutError,
                ) from error
        raise RuntimeError(
            "The process that draws pictures ended twice; try again, or save HTML or data."
        )


def answer(request: bytes, report: Report) -> bytes:
    kind, *job = json.loads(request)
    return (snapshot.write if kind == "snapshot" else paint)(*job)


def prepare() -> None:
    """Loaded before the first request comes."""
    import PIL.PngImagePlugin  # noqa: F401
    import pypdf  # noqa: F401
    import vl_convert  # noqa: F401


if __name__ == "__main__":
    serve(answer, prepare)
