"""The controls of a part, drawn with Streamlit and bound to the address."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine.frame.control import Cells, Control, Number, Pick, Several, Start, Switch, Typed
from engine.frame.part import Asking
from pages.ui import written
from pages.ui.language import meanings, told

BOUND: Any = {"bind": "query-params"}
SET = "controls.set"  # in the session: the keys of widgets that were given a value in this run


def key(lesson: str, part: Asking, name: str) -> str:
    """In the session and in the address."""
    return f"{lesson}.{part.id}.{name}"


def held(lesson: str, part: Asking, given: Mapping[str, Any]) -> dict[str, Any]:
    """What the controls hold before they are drawn, with what the page gives: from the session, or
    from the address on arrival; in an address of before, a control stood under its bare name."""
    found: dict[str, Any] = {}
    given = dict(given)
    for name, control in part.controls.items():
        full = key(lesson, part, name)
        old = move(name, full)
        if isinstance(control, Cells):
            found[name] = st.session_state.get(f"{full}.cells", control.first(given))
        elif full in st.session_state:
            found[name] = st.session_state[full]
        elif asked := st.query_params.get_all(full):
            found[name] = meant = [_meant(control, one, given) for one in asked]
            if not isinstance(control, Several):
                found[name] = meant[0]
            if old or meant != asked:  # else the widget reads it by itself
                change(full, control.accept(found[name], given))
        given[name] = control.accept(found[name], given) if name in found else control.first(given)
        typed_in = isinstance(control, Cells)  # its widget keeps what was changed alone
        if not typed_in and st.session_state.get(full, given[name]) != given[name]:
            change(full, given[name])
    return {name: given[name] for name in part.controls}


def change(key: str, value: Any) -> None:
    """Have a widget hold a value when it is drawn next."""
    st.session_state[key] = list(value) if isinstance(value, tuple) else value
    st.session_state.setdefault(SET, set()).add(key)


def move(before: str, now: str) -> bool:
    """What an address of before said under one name, it says under another; whether it did."""
    if not (values := st.query_params.get_all(before)):
        return False
    del st.query_params[before]
    if now not in st.query_params:
        st.query_params[now] = values
    return True


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
    control, full = part.controls[name], key(lesson, part, name)
    if isinstance(control, Cells):
        found = _cells(control, full, where)
    else:
        found = _widget(control, full, values, where, bare)
    st.session_state.get(SET, set()).discard(full)
    if found is not None and control.accept(found, values) != values[name] and found == found:
        st.rerun()  # the reader has gone back in the browser


def _cells(control: Cells, key: str, where: DeltaGenerator) -> Any:
    where = where.container(width=control.width or "stretch")
    if control.label:
        where.caption(told(control.label))
    with where:
        first = np.array(control.first({}))
        typed = written.edit(first, control.rows, control.columns, key, control.width)
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
    # a widget that was given a value must not be given another one to begin with
    given = key in st.session_state.get(SET, ())
    first = control.first(values)

    def begin(**how: Any) -> dict[str, Any]:
        return {} if given else how

    match control:
        case Number():
            least, most = control.ends(values)
            if control.form:
                more["format"] = control.form
            made = where.number_input if control.box else where.slider
            return made(
                label, least, most, **begin(value=first), step=control.step, **BOUND, **more
            )
        case Several():
            more |= {"format_func": control.called(values), "filter_mode": "contains"}
            options = control.options(values)
            return tuple(
                where.multiselect(label, options, **begin(default=list(first)), **BOUND, **more)
            )
        case Pick(few=True):
            more.pop("width", None)
            more |= {"format_func": control.called(values), "required": True}
            options = control.options(values)
            return where.segmented_control(label, options, **begin(default=first), **BOUND, **more)
        case Pick():
            options = control.options(values)
            more["format_func"] = control.called(values)
            return where.selectbox(
                label, options, **begin(index=options.index(first)), **BOUND, **more
            )
        case Typed():
            if len(held := st.session_state.get(key) or "") > control.most:
                change(key, held[: control.most])
                given = True
                where.caption(
                    f"That was {len(held):,} characters long; the first {control.most:,} are kept."
                )
            more["placeholder"] = told(control.hint) or None
            if control.live:
                more["live"] = "150ms"
            return where.text_input(label, **begin(value=first), **BOUND, **more)
        case Switch():
            return where.toggle(label, **begin(value=first), **BOUND, **more)
        case Start():
            more["key"] = f"{key}.button"
            if where.button(label, **more) and not st.session_state.get(key):
                st.session_state[key] = True
                st.rerun()
            return st.session_state.get(key, False)
    raise TypeError(control)
