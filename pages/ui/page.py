"""The page of a lesson that has a room of its own: its head, its live pictures, its parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from inspect import Parameter, signature
from typing import Any
from urllib.parse import parse_qsl

import streamlit as st

from engine.course import curriculum, rooms
from engine.course.base import Lesson
from engine.course.topics.base import PANEL
from engine.frame.blocks import Behind
from engine.frame.part import Asking, Compared, Head, Part, Shipped
from engine.frame.picture import Live
from engine.lessons import former_pages
from engine.live import cache, declared
from engine.live.stage import Stage
from engine.models.base import Model
from engine.runs.store import Run
from pages.ui import controls, live, onward, place, run_picker, shell, typed, widgets
from pages.ui.blocks import Place
from pages.ui.fragment import fragment
from pages.ui.language import meanings, told

MODELS = "opened.models"  # in the session: those that its page was drawn again for
ASKER = "asker"  # in the session: who it is, among those for whom parts are made
MINE = 600  # characters of what was typed on another page


@dataclass(frozen=True)
class Page:
    """What it shows: a run, or several by what the lesson calls them; `chosen`: in its head."""

    lesson: Lesson
    run: Run | None = None
    shown: Mapping[str, Run] = field(default_factory=dict)
    chosen: Mapping[str, Any] = field(default_factory=dict)

    def given(self, part: Asking) -> dict[str, Any]:
        """What its parameters without a control hold."""
        return {
            name: self._given(name, default)
            for name, default in part.parameters.items()
            if name not in part.controls
        }

    def _given(self, name: str, default: Any) -> Any:
        match name, default:
            case _, Shipped(id):
                found = next((one for one in cache.runs(None) if one.id == id), None)
                return found and cache.model(found, Model)
            case "run", _:
                return self.run
            case "open_run", _:
                return cache.model
            case "runs", _:
                return _runs(self.lesson)
            case "model", _:
                return self.run and cache.model(self.run, Model)
            case "shown", _:
                return self.shown
            case "models", _:
                return {name: cache.model(run, Model) for name, run in self.shown.items()}
            case "lesson", _:
                return self.lesson
            case "mine", _:
                return typed.read_own(MINE)
            case "above", _:
                return typed.read_clean(self.lesson.example)
        return self.chosen[name]

    def key(self, given: Mapping[str, Any]) -> object:
        """What an answer depends on besides its controls."""
        runs = tuple(one.key for one in given.get("runs") or ())
        shown = tuple((name, run.key) for name, run in self.shown.items())
        typed = tuple(given.get(name) for name in ("mine", "above"))
        return self.run.key if self.run else "", runs, shown, typed, *self.chosen.items()


def show_lesson(id: str, label: str = "Look closer") -> None:
    """Draw the page of the lesson in engine/lessons/<id>; `label`: of the choice among its parts."""
    lesson = curriculum.lesson(id)
    _follow(lesson)
    page = _head(lesson)
    runs = [*page.shown.values()] or [run for run in [page.run] if run]
    pictures = rooms.live(id)
    if pictures is not None and (runs or not _of_runs(pictures)):
        ids = (run.id for run in page.shown.values())
        opening = shell.opening(lesson, None if page.shown else page.run, *ids)
        if lesson.prompt:
            opening = replace(opening, prompt=lesson.prompt)
        for chosen in page.chosen.values():  # which may say how the page opens with it
            opening = chosen.opening(opening) if hasattr(chosen, "opening") else opening
        stage: Callable[..., Stage] = (
            partial(declared.stage, pictures, id=id) if isinstance(pictures, Live) else pictures
        )
        of = [page.shown or page.run] if _of_runs(pictures) else []
        ready = bool(runs) and cache.is_open(*runs)
        live.show_pictures(opening, partial(stage, *of, **page.chosen), ready)
        _open_first(runs, ready)
    if lesson.offers:
        onward.offer(lesson.offers)
    parts = rooms.parts(id)
    controls.keep_shared(id, parts)  # before any of them draws its widgets
    for part in parts:
        if part.always:
            _always(page, part)
    if chosen := tuple(part for part in parts if not part.always):
        above = rooms.live(id) is not None or len(chosen) < len(parts)
        _chosen(page, chosen, label, "visible" if above else "collapsed")
    for link in lesson.links:
        _link(*link)
    shell.sources(lesson, page.run)


def _open_first(runs: list[Run], ready: bool) -> None:
    """The text box is there, and its models are not open: they are opened, and the page is drawn again, so that
    its pictures do not wait for what the parts below compute."""
    keys = [run.key for run in runs]
    if (
        ready or st.session_state.get(MODELS) == keys
    ):  # a cache that keeps none of them is no reason to go on
        st.session_state.pop(MODELS, None)
    elif not cache.is_open(*runs):
        try:
            with cache.at_once():
                for run in runs:
                    cache.model(run)
        except (
            KeyError,
            ValueError,
        ):  # one that only the page makes, or a damaged one: the live part speaks of it
            return
        st.session_state[MODELS] = keys
        st.rerun()


def _of_runs(pictures: Any) -> bool:
    """Whether live pictures show runs: a function that takes none makes them of the text alone."""
    if pictures is None or isinstance(pictures, Live):
        return pictures is not None
    kinds = (found.kind for found in signature(pictures).parameters.values())
    return Parameter.POSITIONAL_OR_KEYWORD in kinds


def _follow(lesson: Lesson) -> None:
    """A link of before, when a part was a fold, or a page with places of its own, leads to the part."""
    asked = st.query_params.get(PANEL, "")
    for at in (asked, place.part_id(st.query_params.get(f"{lesson.id}.part", ""))):
        if moved := former_pages.PARTS.get(lesson.id, {}).get(at):
            where = f"pages/{curriculum.lesson(moved[0]).page}"
            st.switch_page(where, query_params={PANEL: moved[1]})
    for part in rooms.parts(lesson.id):
        if asked == f"fold.{part.id}":
            st.query_params[PANEL] = place.part_id(part.title)
        elif asked in part.was and not asked.startswith("part-"):
            st.query_params[PANEL] = f"{lesson.id}.{part.id}.{asked}"


def _asked(lesson: Lesson, parts: tuple[Part, ...]) -> str | None:
    """The title of the part that the address asks for by its place, or by one that is in it."""
    here = place.find_asked()
    for part in parts:
        inside = here.startswith(f"{lesson.id}.{part.id}.") or here in part.was
        if inside or here == place.part_id(part.title):
            return part.title
    return None


def _head(lesson: Lesson) -> Page:
    if (choosing := rooms.head(lesson.id)) is not None:
        run = shell.enter(lesson.id, lesson.also)[1] if "run" in choosing.parameters else None
        if run is None:
            shell.head(lesson.id)
        return Page(lesson, run, chosen={choosing.id: _choose(Page(lesson, run), choosing)})
    if (of := rooms.find_shown(lesson.id)) is None:
        some = lesson.model or _of_runs(rooms.live(lesson.id))
        run = shell.enter(lesson.id, lesson.also)[1] if some else None
        if run is None:
            shell.head(lesson.id)
        return Page(lesson, run)
    shell.head(lesson.id)
    if isinstance(of, Compared):
        found = run_picker.choose(lesson.id, of)
        return Page(lesson, None, {f"m{n}": run for n, run in enumerate(found)})
    runs = shell.runs_of(lesson, lesson.also)
    chosen = controls.find_held(lesson.id, of, {"runs": runs})
    for name in of.controls:
        controls.draw(lesson.id, of, name, {"runs": runs, **chosen}, shell.bar(), bare=True)
    shown = of.make(runs=runs, **chosen)
    return Page(lesson, next(iter(shown.values())), shown, chosen)


def _choose(page: Page, of: Head) -> Any:
    """What is chosen in the head; its buttons stand in the line of the title, the rest below."""
    lesson, given = page.lesson, page.given(of)
    values = {**given, **controls.find_held(lesson.id, of, given)}
    for name in of.above:
        controls.draw(lesson.id, of, name, values, shell.bar(), bare=True)
    with st.spinner(told(of.busy)):
        blocks, found = of.answer(values)
    here = Place(lesson, of, values, lesson.id)
    for block in blocks:
        here.draw([block], shell.bar() if isinstance(block, Behind) else st.container())
    if found is None:
        st.stop()
    return found


def _runs(lesson: Lesson) -> list[Run]:
    return cache.runs_of(lesson.model, *lesson.also) if lesson.model else cache.runs(None)


def _link(id: str, words: str, query: str) -> None:
    """To another lesson, unless it would ask for runs that are not there."""
    chosen = dict(parse_qsl(query))
    asked = {run for run in chosen.get("runs", "").split(",") if run}
    if asked <= {run.id for run in cache.runs(None)}:
        page = f"pages/{curriculum.lesson(id).page}"
        st.page_link(page, label=told(words), query_params=chosen)


@fragment
def _always(page: Page, part: Part) -> None:
    """A part without a title has no heading."""
    if not part.title:
        _part(page, part)
        return
    with place.panel(part.title):
        st.subheader(told(part.title), anchor=part.id)
        _part(page, part)


def _chosen(page: Page, parts: tuple[Part, ...], label: str, shows: str) -> None:
    """One at a time: a browser that has many charts below answers a key more slowly.  `shows`: whether
    the label is drawn, which says nothing where no picture stands above."""
    key = f"{page.lesson.id}.part"
    for old in [name for name in st.query_params if name == "part" or name.endswith("_part")]:
        controls.move(old, key)
    by_title = {part.title: part for part in parts}
    before = (part.title for part in parts if {*part.was} & {*st.query_params})
    if not place.find_asked() and (title := next(before, "")):  # a control, as it was called before
        st.query_params.setdefault(key, title)
    if key not in st.session_state and (asked := st.query_params.get(key)):
        for title, part in by_title.items():
            if asked in (*meanings(title), *part.was):
                st.session_state[key] = title

    asked = _asked(page.lesson, parts)

    @fragment
    def one() -> None:
        chosen = parts[0]
        if len(parts) > 1:
            titles = [*by_title]
            where = st.container(key="parts")
            more: Any = {"where": where, "link": True, "label_visibility": shows}
            title = widgets.one_of(label, titles, key, asked, **more)
            chosen = by_title[title]
        with place.panel(chosen.title):
            _part(page, chosen)

    one()


def _part(page: Page, part: Part) -> None:
    try:
        given = page.given(part)
    except ValueError:  # a damaged run: the live part above has said so
        return
    values = {**given, **controls.find_held(page.lesson.id, part, given)}
    key = page.key(given)
    asker = st.session_state.setdefault(ASKER, object())
    again = partial(part.go_on, key, asker, **values)
    shown = Place(page.lesson, part, values, page.run.id if page.run else page.lesson.id, again)
    shown.show(part.answer(key, asker, **values))
