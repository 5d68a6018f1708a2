"""Long texts: which part of one can be shown now, and the strip that shows all of it; read on for a moment with each message."""

from __future__ import annotations

import time
from typing import Any

from engine import overview, reading
from engine.reading import Reader
from engine.runs import Run
from pages.ui import cache
from pages.ui.stage import Stage, turn

MOMENT = 0.1  # seconds: how long a key waits at most, if it comes while a text is being read
COLUMNS, PEAKS = 480, 24

Base = tuple[str, int | None]  # the text on the screen and the start of its window


def reach(stage: Stage, text: str, start: int | None, base: Base | None) -> tuple[int | None, float | None]:
    """(start of the window to show now, None), or while a model has not read up to that one: (another, share read so far).

    A recurrent model needs everything before a window.  Until it has read that, the window on the screen stays.
    """
    begun, shown = time.perf_counter(), reading.window(len(text), stage.most, start)
    late = [(r, run) for r, run in stage.readers if not _reaches(r, run, text, shown)]
    for reader, run in late:
        _read(reader, run, text, shown, begun + MOMENT)
    late = [(r, run) for r, run in late if not _reaches(r, run, text, shown)]
    if not late:
        return start, None
    share = min(cache.survey(run, r.model, text).read / max(1, _first(r, text, shown)) for r, run in late)
    before = reading.window(len(text), stage.most, base[1] if base else 0)
    near = all(_reaches(r, run, text, before) for r, run in late)
    return (before[0] if near else 0), min(share, 0.99)


def strip(stage: Stage, text: str, asked: Any) -> dict[str, Any] | None:
    """What the strip shows of the characters asked for, after a moment of reading; None where no reader can read in blocks."""
    if not stage.readers:  # no model reads this page's text
        return None
    reader, run = lead(stage)
    if not overview.readable(reader.model):
        return None
    try:
        begin, end = (int(x) for x in asked)
    except (TypeError, ValueError):
        begin, end = 0, len(text)
    survey, until = cache.survey(run, reader.model, text), time.perf_counter() + MOMENT
    while not survey.done:
        with turn():
            survey.step()
        if time.perf_counter() >= until:
            break
    return survey.picture(begin, end if end > begin else len(text), COLUMNS, PEAKS) | {"reader": reader.id, "says": survey.says}


def lead(stage: Stage) -> tuple[Reader, Run]:
    """The reader whose tokens stand under the text box."""
    return stage.readers[0]


def _first(reader: Reader, text: str, characters: reading.Window) -> int:
    return reading.cut(reading.tokens(reader.model, text), characters)[0]


def _reaches(reader: Reader, run: Run, text: str, characters: reading.Window) -> bool:
    if not characters[0] or not overview.readable(reader.model):
        return True
    return cache.survey(run, reader.model, text).reaches(_first(reader, text, characters))


def _read(reader: Reader, run: Run, text: str, characters: reading.Window, until: float) -> None:
    survey, first = cache.survey(run, reader.model, text), _first(reader, text, characters)
    while not survey.reaches(first):
        with turn():
            survey.step()
        if time.perf_counter() >= until:  # at least a block with every message, however busy the computer is
            break
