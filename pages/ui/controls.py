"""The controls of a part, drawn with Streamlit and bound to the address."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine.frame.part import Control, Part, Pick, Slider, Switch, Typed
from pages.ui.language import meanings, told

BOUND: Any = {"bind": "query-params"}


def key(lesson: str, part: Part, name: str) -> str:
    """In the session and in the address."""
    return f"{lesson}.{part.id}.{name}"


def held(lesson: str, part: Part) -> dict[str, Any]:
    """What the controls hold before they are drawn: from the session, or from the address on
    arrival; in an address of before, a control stood under its bare name."""
    found = {}
    for name in part.controls:
        full = key(lesson, part, name)
        if full in st.session_state:
            found[name] = st.session_state[full]
            continue
        for asked in (full, name):
            if (value := st.query_params.get(asked)) is not None:
                found[name] = _meant(part.controls[name], value, found)
                break
        move(name, full)
    for name, value in (values := part.values(found)).items():
        full = key(lesson, part, name)
        if name in found and st.session_state.get(full) != value:
            st.session_state[full] = value
    return values


def move(before: str, now: str) -> None:
    """What an address of before said under one name, it says under another."""
    if (value := st.query_params.get(before)) is not None:
        del st.query_params[before]
        st.query_params.setdefault(now, value)


def _meant(control: Control, value: str, others: Mapping[str, Any]) -> Any:
    """What stands in an address, which may have been made in another language."""
    if isinstance(control, Pick):
        for option in control.options(others):
            if value in meanings(control.words(option)):
                return option
    return value


def draw(
    lesson: str, part: Part, name: str, values: Mapping[str, Any], where: DeltaGenerator
) -> None:
    """Where the control says something else than `values`, the part is drawn anew."""
    control, full = part.controls[name], key(lesson, part, name)
    found = _widget(control, full, values, where)
    if found is not None and found != values[name]:
        st.rerun()  # the reader has gone back in the browser


def _widget(control: Control, key: str, values: Mapping[str, Any], where: DeltaGenerator) -> Any:
    label = told(control.label)
    # a widget that has a value in the session must not be given another one to begin with
    fresh = key not in st.session_state
    width: Any = {"width": control.width} if control.width else {}
    match control:
        case Slider():
            first = control.first if fresh else None
            ends: Any = (control.least, control.most, first, control.step)
            made: Any = where.slider
            return made(label, *ends, key=key, **BOUND, **width)
        case Pick():
            options, first = control.options(values), control.first(values)
            more: Any = {"key": key, "format_func": control.words, **BOUND}
            if control.few:
                begin: Any = {"default": first} if fresh else {}
                return where.segmented_control(label, options, required=True, **begin, **more)
            begin = {"index": options.index(first)} if fresh else {}
            return where.selectbox(label, options, **begin, **more, **width)
        case Typed():
            if len(typed := st.session_state.get(key) or "") > control.most:
                st.session_state[key] = typed[: control.most]
                where.caption(
                    f"That was {len(typed):,} characters long; the first {control.most:,} are kept."
                )
            begin = {"value": control.first} if fresh else {}
            hint = told(control.hint) or None
            return where.text_input(label, key=key, placeholder=hint, **begin, **BOUND, **width)
        case Switch():
            return where.toggle(label, control.first, key=key, **BOUND)
