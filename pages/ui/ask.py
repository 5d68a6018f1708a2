"""Widgets whose value stands in the address under their key, so that a link opens the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine.course.curriculum import Lesson
from pages.ui.address import begin, follow, leave, recall, remember

T = TypeVar("T", int, float)
K = TypeVar("K")
BOUND: Any = {"bind": "query-params"}


def text(label: str, key: str, most: int, hint: str = "", where: Any = st, **more: Any) -> str:
    """A line of at most so many characters; `hint` stands in it while it is empty.  Of a longer one
    the beginning stays, with a sentence: a limit of the widget's own would ignore it silently."""
    _own(key, str)
    if len(held := st.session_state.get(key) or "") > most:
        st.session_state[key] = held[:most]
        st.caption(f"That was {len(held):,} characters long; the first {most:,} are kept.")
    typed = where.text_input(label, key=key, placeholder=hint or None, **BOUND, **more)
    return (typed or "")[:most]


def _own(key: str, kind: type) -> None:
    """What another page keeps under the name and is of another kind goes."""
    if not isinstance(st.session_state.get(key), kind | None):
        del st.session_state[key]


def line() -> DeltaGenerator:
    """A line of what is chosen above a picture."""
    return st.container(horizontal=True, vertical_alignment="bottom", gap="small")


def words(
    lesson: Lesson,
    label: str,
    key: str,
    most: int,
    where: DeltaGenerator,
    mine: str = "",
    **more: Any,
) -> str:
    """A box that begins with `mine` or the example of the lesson, and behind a button its tries."""
    begin(**{key: mine or lesson.example})
    typed = text(label, key, most, where=where, live="150ms", **more)
    with where.popover("Examples"):
        for n, item in enumerate(lesson.tries):
            st.button(
                item.text,
                key=f"{key.partition('_')[0]}_try.{n}",
                help=item.look,
                on_click=lambda text=item.text: st.session_state.update({key: text}),
            )
    return typed


def pick(
    label: str, options: Iterable[K], key: str, first: K | None = None, where: Any = st, **more: Any
) -> K:
    """One of many: `first`, or else the first of them, until another is chosen.  Of a mapping
    {option: words} the words are shown."""
    if isinstance(options, Mapping):
        more["format_func"] = options.__getitem__
    given = list(options)
    at = 0 if first is None else given.index(first)
    found: K = where.selectbox(label, given, at, key=key, **BOUND, **more)
    return found


def toggle(label: str, key: str, first: bool = False, where: Any = st, **more: Any) -> bool:
    _own(key, bool)
    return bool(where.toggle(label, first, key=key, **BOUND, **more))


def slider(
    label: str, key: str, least: T, most: T, first: T, step: T, where: Any = st, **more: Any
) -> T:
    found: T = where.slider(label, least, most, first, step, key=key, **BOUND, **more)
    return found


def kept(
    widget: Callable[..., Any],
    label: str,
    *options: Any,
    key: str,
    first: T,
    among: Sequence[float],
    **more: Any,
) -> T:
    """A widget of numbers that begins with `first`, and stays between the ends of `among`, also
    where these have come nearer.

    A bound widget would leave its own default out of the address, and that is not where these begin.
    """
    follow(key)
    recall(key, first, among)
    # set anew on every run: a number that comes from another page would else be lost on this one
    st.session_state[key] = min(st.session_state[key], max(among))
    found = widget(label, *options, key=key, **more)
    remember(key, first)
    leave(key)
    return first if found is None else found


def between(
    widget: Callable[..., Any], label: str, key: str, least: T, most: T, first: T, **more: Any
) -> T:
    """The same with a slider or a box for a number."""
    return kept(widget, label, least, most, key=key, first=first, among=(least, most), **more)


def among(label: str, options: Sequence[T], key: str, first: T, where: Any = st) -> T:
    """The same with a button for each number."""
    widget = where.segmented_control
    return kept(widget, label, options, key=key, first=first, among=options, required=True)


def share(label: str, key: str, first: float, where: Any = st, least: float = 0.0) -> float:
    """A number up to 1, in steps of 0.01."""
    return between(where.slider, label, key, least, 1.0, first, step=0.01)
