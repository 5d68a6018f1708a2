"""The controls of a part, drawn with Streamlit and bound to the address."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.state import get_session_state

from engine.course.curriculum import lesson as find_lesson
from engine.frame.control import (
    Again,
    Cells,
    Control,
    Noted,
    Number,
    Pick,
    Several,
    Start,
    Switch,
    Typed,
    Upload,
)
from engine.frame.part import Asking, Head, Part
from pages.ui import typed as box
from pages.ui.language import labelled, meanings, told

BOUND: Any = {"bind": "query-params"}
LONG = "controls.long"  # texts that were cut, by the keys of their boxes: how long they were
IN_ADDRESS = 6_000  # characters of a text
WROTE = "controls.wrote"  # in the session: words that no widget holds, as they were put into the address
BEGUN = "controls.begun"  # in the session: what controls began with, and held, when last drawn
FAR = 1e6  # a number of a cell beyond it is none


def find_held(lesson: str, part: Asking, given: Mapping[str, Any]) -> dict[str, Any]:
    """What the controls hold before they are drawn, with what the page gives: from the session, or
    from the address on arrival; in an address of before, a control stood under its bare name."""
    begun = st.session_state.setdefault(BEGUN, {})
    others, found = dict(given), dict[str, Any]()
    for name, control in part.controls.items():
        full = part.key(lesson, name)
        # what is typed into the box of a live page stands in its address under the same name
        old = not (name == "text" and find_lesson(lesson).live) and move(name, full)
        value = first = control.first(others)
        if isinstance(control, Cells):
            value = st.session_state.get(f"{full}.cells", first)
        elif isinstance(control, Upload):
            file = st.session_state.get(full)
            value = file and (file.name, file.getvalue())
        elif full in st.session_state:
            value = st.session_state[full]
            wrote, there = st.session_state.get(WROTE, {}), st.query_params.get(full, "")
            if wrote.get(full, there) != there:  # the reader has gone back in the browser
                value, wrote[full] = there or first, there
        elif asked := st.query_params.get_all(full):
            value = meant = [_meant(control, one, others) for one in asked]
            if not isinstance(control, Several):
                value = meant[0]
            if old or meant != asked or _said_otherwise(control, asked, meant, others):
                change(full, control.accept(value, others))  # else the widget reads it by itself
        # which follows another control, that was changed alone; in the head of a page what
        # somebody has chosen stays
        at = 0 if isinstance(part, Head) else 1
        if begun.get(full, (first,))[0] != first and value == begun[full][at]:
            value = first
            if not control.label:  # no widget takes it out of the address
                st.query_params.pop(full, None)
        others[name] = found[name] = control.accept(value, others)
        if isinstance(control, Typed) and isinstance(value, str) and len(value) > control.most:
            st.session_state.setdefault(LONG, {})[full] = len(value)  # until it is drawn
        if isinstance(control, Start | Cells | Upload | Again):
            continue
        begun[full] = first, _plain(found[name])
        changed = st.session_state.get(full) != _plain(found[name])
        if full in st.session_state and (changed or isinstance(part, Head)):
            change(full, found[name])  # set anew, so that what comes from another page stays
    return found


def keep_shared(lesson: str, parts: Iterable[Part]) -> None:
    """What parts share stays while one is shown that has it not; a file does not, for nothing but its widget may hold
    it."""
    for full in {
        part.key(lesson, n)
        for part in parts
        for n, c in part.controls.items()
        if c.shared and not isinstance(c, Upload)
    }:
        if full in st.session_state:
            st.session_state[full] = st.session_state[full]


def change(key: str, value: Any) -> None:
    """Have a widget hold a value when it is drawn next."""
    st.session_state[key] = _plain(value)


def values_of(key: str) -> list[str]:
    """What is noted under a key."""
    return list(st.session_state.get(key) or ())


def change_numbers(values: Mapping[str, tuple[Any, Any]]) -> None:
    """Several at once, {key: (value, what it begins with)}: one step of the browser's history, where
    Streamlit would take one for each."""
    with get_session_state().query_params() as address:
        for full, (value, first) in values.items():
            change(full, value)
            if isinstance(value, str):
                wrote = st.session_state.setdefault(WROTE, {})
                wrote[full] = "" if value == first else value
            if value == first:
                address.discard_param_no_forward_msg(full)
            else:
                address.set_with_no_forward_msg(full, str(value))
        address._send_query_param_msg()


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def move(before: str, now: str) -> bool:
    """What an address of before said under one name, it says under another; whether it did."""
    if not (values := st.query_params.get_all(before)):
        return False
    del st.query_params[before]
    if now not in st.query_params:
        st.query_params[now] = values
    return True


def _said_otherwise(
    control: Control, asked: Sequence[str], meant: Sequence[Any], others: Mapping[str, Any]
) -> bool:
    """Whether an address names options by what they are, or in another language, where the widget
    looks for their words."""
    if not isinstance(control, Pick):
        return False
    options, called = control.options(others), control.called(others)
    return any(m in options and told(called(m)) != a for a, m in zip(asked, meant, strict=True))


def _meant(control: Control, value: str, others: Mapping[str, Any]) -> Any:
    """What stands in an address, which may have been made in another language."""
    if isinstance(control, Pick):
        called = control.called(others)
        for option in control.options(others):
            if value in meanings(called(option)):
                return option
    return value


def draw(
    lesson: str,
    part: Asking,
    name: str,
    values: Mapping[str, Any],
    where: DeltaGenerator,
    bare: bool = False,
) -> None:
    """Where the control says something else than `values`, the page is drawn anew; `bare`: without
    its label, which is read aloud all the same."""
    control, full = part.controls[name], part.key(lesson, name)
    if isinstance(control, Cells):
        found = _cells(control, full, where)
    else:
        found = _widget(control, full, values, where, bare)
    if found is not None and control.accept(found, values) != values[name] and found == found:
        st.rerun()  # the reader has gone back in the browser


def _cells(control: Cells, key: str, where: DeltaGenerator) -> Any:
    where = where.container(width=control.width or "stretch")
    if control.label:
        where.caption(told(control.label))
    with where:
        first = np.array(control.first({}))
        typed = _edit_cells(first, control.rows, control.columns, key, control.width)
    found = tuple(map(tuple, typed.tolist()))
    if repr(found) != repr(st.session_state.get(f"{key}.cells", control.first({}))):
        st.session_state[f"{key}.cells"] = found
        st.rerun()
    return None


def _widget(control: Control, key: str, values: Mapping[str, Any], where: Any, bare: bool) -> Any:
    label = told(control.label)
    more: dict[str, Any] = {"key": key}
    if bare:
        more["label_visibility"] = "collapsed"
    if control.width:
        more["width"] = control.width
    if control.help:
        more["help"] = told(control.help)
    first = control.first(values)
    match control:
        case Number():
            least, most = control.ends(values)
            if control.form:
                more["format"] = control.form
            made = where.number_input if control.box else where.slider
            return made(label, least, most, first, step=control.step, **BOUND, **more)
        case Several():
            more |= {**labelled(control.called(values)), "filter_mode": "contains"}
            options = control.options(values)
            return tuple(where.multiselect(label, options, list(first), **BOUND, **more))
        case Pick(few=True):
            more |= {**labelled(control.called(values)), "required": True, "width": "content"}
            options = control.options(values)
            return where.segmented_control(label, options, default=first, **BOUND, **more)
        case Pick(slide=True):
            more |= labelled(control.called(values))
            return where.select_slider(label, control.options(values), first, **BOUND, **more)
        case Pick():
            options = control.options(values)
            more |= {**labelled(control.called(values)), "accept_new_options": control.free > 0}
            return where.selectbox(label, options, options.index(first), **BOUND, **more)
        case Typed():
            if length := st.session_state.get(LONG, {}).pop(key, 0):
                where.caption(
                    told(
                        "That was {length:,} characters long; the first {most:,} are kept.",
                        length=length,
                        most=control.most,
                    )
                )
            more["placeholder"] = told(control.hint) or None
            if control.along:
                more["on_change"] = box.follow(key)
            if control.tall:
                more |= BOUND if control.most <= IN_ADDRESS else {}
                return where.text_area(label, first, height=control.tall, **more)
            if control.live:
                more["live"] = "150ms"
            return where.text_input(label, first, **BOUND, **more)
        case Switch():
            return where.toggle(label, first, **BOUND, **more)
        case Start():
            more |= {"key": f"{key}.button", "disabled": not control.ready(values)}
            pressed = control.pressed(values)
            if where.button(label, **more) and st.session_state.get(key) != pressed:
                st.session_state[key] = pressed
                st.rerun()
            return st.session_state.get(key, False)
        case Again():
            more["key"] = f"{key}.button"
            if where.button(label, **more):
                st.session_state[key] = st.session_state.get(key, 0) + 1
                st.rerun()
            return None
        case Noted():
            line = where.container(horizontal=True, gap="small", vertical_alignment="center")
            line.caption(label, width="content")
            for n, (added, words) in enumerate(control.choices(values)):
                now = control.pressed(values_of(key), added)
                press: Any = {"key": f"{key}.{n}", "on_click": change, "args": (key, now)}
                line.button(told(words), disabled=not added and not values_of(key), **press)
            return None
        case Upload():
            where.file_uploader(label, control.kinds, max_upload_size=control.megabytes, **more)
            return None
    raise TypeError(control)


def _edit_cells(
    values: np.ndarray, rows: Sequence[str], columns: Sequence[str], key: str, width: int
) -> np.ndarray:
    """A table of numbers, (rows, columns), to type into; an emptied cell, and one beyond FAR, is NaN."""
    shown = {"": [told(row) for row in rows]} | {
        name: column.tolist() for name, column in zip(columns, values.T, strict=True)
    }
    typed = st.data_editor(shown, key=key, width=width, disabled=[""], hide_index=True)
    found = np.array([typed[name] for name in columns], float).T
    return np.where(np.abs(found) <= FAR, found, np.nan)
