"""Compared: runs that one page shows side by side: which of them can be, and what they are called there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.core.registry import models
from engine.language.message import refusal
from engine.live import cache
from engine.models.base import Model
from engine.runs.store import Run
from engine.views import theme

LONGEST_NAME = 15  # as much as the pictures have room for


def speaks(run: Run) -> bool:
    """Whether a run of this model says what comes next, as far as that can be told without opening
    it."""
    if run.is_checkpoint:
        return True
    if measured := run.note.get("held_out"):
        return "bits_per_char" in measured
    try:
        kind = models.get(run.model)
    except KeyError:
        return False
    return kind.foretells


def names(runs: Sequence[Run]) -> list[str]:
    """Short names that tell the runs apart: as much of their titles as the pictures have room
    for."""
    short = []
    for run in runs:
        name, mark, step = run.title.partition(", step ")
        name = name.split(",")[0]
        room = LONGEST_NAME - len(step) - 1 if mark else LONGEST_NAME
        name = theme.shorten(name, room)
        short.append(f"{name}@{step}" if mark else name)
    return [name if short.count(name) == 1 else f"{n} {name}" for n, name in enumerate(short, 1)]


def open_model(run: Run) -> Model[Any]:
    """The model.  ValueError where it can't be opened, or says nothing of what comes next."""
    model = cache.model(run)
    if not model.foretells:
        raise refusal("{run.id} does not say what comes next, so it can't be compared here")
    return model
