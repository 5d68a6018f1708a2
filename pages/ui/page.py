"""The page of a lesson that has a room of its own: its head, its live pictures, its parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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


def show(id: str, stage: Callable[[Run], Stage] | None = None, choice: str = "Look closer") -> None:
    """Draw the page of the lesson in engine/lessons/<id>.

    stage   its live pictures, where they are not declared
    choice  what the choice among its parts is called
    """
    lesson = curriculum.lesson(id)
    run = shell.enter(id, lesson.also)[1] if lesson.model else None
    if run is None:
        shell.head(id)
    elif stage is not None:
        live.show(shell.opening(lesson, run), partial(stage, run), cache.is_open(run))
    parts = rooms.parts(id)
    for part in parts:
        if part.always:
            _always(lesson, part, run)
    if chosen := tuple(part for part in parts if not part.always):
        _chosen(lesson, chosen, run, choice)
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


@fragment
def _always(lesson: Lesson, part: Part, run: Run | None) -> None:
    with place.panel(part.title):
        _part(lesson, part, run)


def _chosen(lesson: Lesson, parts: tuple[Part, ...], run: Run | None, label: str) -> None:
    """One at a time: a browser that has many charts below answers a key more slowly."""
    key = f"{lesson.id}.part"
    controls.move("part", key)
    by_title = {part.title: part for part in parts}
    if key not in st.session_state and (asked := st.query_params.get(key)):
        for title in by_title:
            if asked in language.meanings(title):
                st.session_state[key] = title

    @fragment
    def page() -> None:
        chosen = parts[0]
        if len(parts) > 1:
            title = choice.one_of(label, [*by_title], key, place.part(by_title), link=True)
            chosen = by_title[title]
        with place.panel(chosen.title):
            _part(lesson, chosen, run)

    page()


def _part(lesson: Lesson, part: Part, run: Run | None) -> None:
    try:
        given = {
            name: _given(name, default, lesson, run)
            for name, default in part.parameters.items()
            if name not in part.controls
        }
    except ValueError:  # a damaged run: the live part above has said so
        return
    values = controls.held(lesson.id, part, given)
    shown = Place(lesson, part, {**given, **values}, run.id if run else lesson.id)
    shown.show(part.answer(_key(given, run), **values, **given))


def _key(given: Mapping[str, Any], run: Run | None) -> object:
    """What an answer depends on besides its controls."""
    runs = tuple(one.key for one in given.get("runs") or ())
    return run.key if run else "", runs


def _given(name: str, default: Any, lesson: Lesson, run: Run | None) -> Any:
    """What a parameter without a control is given."""
    match name, default:
        case _, Shipped(id):
            found = next((one for one in cache.runs(None) if one.id == id), None)
            return found and cache.model(found, Model)
        case "run", _:
            return run
        case "open_run", _:
            return cache.model
        case "runs", _:
            return cache.runs_of(lesson.model, *lesson.also) if lesson.model else cache.runs(None)
        case "model", _:
            return run and cache.model(run, Model)
        case "lesson", _:
            return lesson
    raise TypeError(name)
