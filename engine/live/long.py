"""Long texts: which part of one can be shown now, and the strip that shows all of it; read on for a
moment with each request."""

from __future__ import annotations

import time
from typing import cast

from engine.analysis import overview
from engine.live import cache
from engine.live.reply import Strip
from engine.live.request import Request
from engine.live.shown import Shown
from engine.live.stage import Stage, take_turn
from engine.live.window import Window
from engine.models.abilities import able
from engine.models.base import Model

MOMENT = 0.1  # seconds: how long a key waits at most, if it comes while a text is being read
COLUMNS, PEAKS = 480, 24


def reach(
    stage: Stage, every: tuple[Shown, ...], request: Request
) -> tuple[tuple[Shown, ...], float | None]:
    """(what to show now, None), or while a model has not read up to that: (another part, share
    read so far).

    A recurrent model needs everything before a window.  Until it has read that, the window on the
    screen stays.
    """
    begun = time.perf_counter()
    late = [shown for shown in every if not _reaches(shown, shown.window[0])]
    for shown in late:
        _read(shown, begun + MOMENT)
    late = [shown for shown in late if not _reaches(shown, shown.window[0])]
    if not late:
        return every, None
    share = min(cache.survey_of(s).read / max(1, s.window[0]) for s in late)
    base, characters = request.base, stage.part(request.text, 0)
    if base:
        before = stage.part(request.text, base.start)
        if all(_reaches(s, s.moved(before, stage.longest).window[0]) for s in late):
            characters = before
    return tuple(s.moved(characters, stage.longest) for s in every), min(share, 0.99)


def strip(shown: Shown, characters: Window) -> Strip | None:
    """What the strip shows of the characters asked for, after a moment of reading; None where the
    reader can't read in blocks."""
    if not overview.readable(able(shown.reader.model, Model)):
        return None
    survey, until = cache.survey_of(shown), time.perf_counter() + MOMENT
    while not survey.done:
        with take_turn():
            survey.step()
        if time.perf_counter() >= until:
            break
    picture = survey.picture(*characters, COLUMNS, PEAKS)
    return cast(Strip, {**picture, "reader": shown.reader.id, "says": survey.says})


def _reaches(shown: Shown, first: int) -> bool:
    """Whether the numbers from token `first` on can be had without reading all before it."""
    model = able(shown.reader.model, Model)
    if not first or not overview.carries_on(model) or not overview.readable(model):
        return True
    return cache.survey_of(shown).reaches(first)


def _read(shown: Shown, until: float) -> None:
    survey = cache.survey_of(shown)
    while not survey.reaches(shown.window[0]):
        with take_turn():
            survey.step()
        # at least a block with every request, however busy the computer is
        if time.perf_counter() >= until:
            break
