"""The page of a lesson that has a room of its own: its head, its live pictures, its parts."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from urllib.parse import parse_qsl

import streamlit as st

from engine.frame.part import Part, Shipped
from engine.lessons import curriculum, rooms
from engine.lessons.base import Lesson
from engine.live import cache
from engine.live.stage import Stage
from engine.models.base import Model
from engine.runs.store import Run
from pages.ui import choice, controls, language, live, place, shell
from pages.ui.blocks import Place
from pages.ui.fragment import fragment


def show(id: str, stage: Callable[[Run], Stage] | None = None) -> None:
    """Draw the page of the lesson in engine/lessons/<id>.

    stage  its live pictures, where they are not declared
    """
    lesson, run = shell.enter(id, curriculum.lesson(id).also)
    if stage is not None:
        live.show(shell.opening(lesson, run), partial(stage, run), cache.is_open(run))
    if found := rooms.parts(id):
        _parts(lesson, found, run)
    for link in lesson.links:
        _link(*link)
    shell.sources(lesson, run)


def _link(id: str, words: str, query: str) -> None:
    """To another lesson, unless it would ask for runs that are not there."""
    chosen = dict(parse_qsl(query))
    asked = {run for run in chosen.get("runs", "").split(",") if run}
    if asked <= {run.id for run in cache.runs(None)}:
        page = f"pages/{curriculum.lesson(id).page}"
        st.page_link(page, label=language.told(words), query_params=chosen)


def _parts(lesson: Lesson, parts: tuple[Part, ...], run: Run) -> None:
    """One at a time: a browser that has many charts below answers a key more slowly."""
    key = f"{lesson.id}.part"
    controls.move("part", key)
    by_title = {part.title: part for part in parts}
    if key not in st.session_state and (asked := st.query_params.get(key)):
        meant = [title for title in by_title if asked in language.meanings(title)]
        st.session_state.update({key: title for title in meant})

    @fragment
    def page() -> None:
        chosen = parts[0]
        if len(parts) > 1:
            title = choice.one_of("Look closer", [*by_title], key, place.part(by_title), link=True)
            chosen = by_title[title]
        with place.panel(chosen.title):
            _part(lesson, chosen, run)

    page()


def _part(lesson: Lesson, part: Part, run: Run) -> None:
    values = controls.held(lesson.id, part)
    try:
        given = {
            name: _given(name, default, lesson, run)
            for name, default in part.parameters.items()
            if name not in part.controls
        }
    except ValueError:  # a damaged run: the live part above has said so
        return
    blocks = part.remembered(run.key, **values, **given)
    Place(lesson, part, values, run.id).show(blocks)


def _given(name: str, default: Any, lesson: Lesson, run: Run) -> Any:
    """What a parameter without a control is given."""
    match name, default:
        case _, Shipped(id):
            found = next((one for one in cache.runs(None) if one.id == id), None)
            return found and cache.model(found, Model)
        case "run", _:
            return run
        case "model", _:
            return cache.model(run, Model)
        case "lesson", _:
            return lesson
        case _:
            raise TypeError(name)
