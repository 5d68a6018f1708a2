"""The first minute of a page of forms: the button that begins it, its strip, and what its steps
choose.

The step stands in the address, `?step=2`; assets/live/minute/form.js draws it and asks for another.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any
from urllib.parse import parse_qs

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine.course import first_minute
from engine.course.base import Step
from engine.course.topics.base import PANEL
from engine.live.assets import LANGUAGE
from pages.ui import loader, widgets
from pages.ui.address import STEP
from pages.ui.language import told

UNDO = -1  # as in assets/live/minute/form.js
_component = loader.Component("unrolled_minute", loader.import_script("minute/form.js"))


def show_first_minute(id: str, bar: DeltaGenerator) -> None:
    """The strip where a step is in the address, else the button in the line of the head; neither
    where something is chosen that the steps are not true of.

    id  of the lesson
    """
    steps = first_minute.places(id)
    if not steps or not _spoken_of(id):
        return
    at = _at(steps)
    if f"{id}.minute" not in st.session_state:  # this page is opened
        st.session_state[f"{id}.minute"] = 0
        # a link that says more shows what its sender saw
        if at is not None and not set(st.query_params) - {STEP, PANEL, LANGUAGE}:
            _set(id, steps, at)
    if at is None:
        bar.button(
            told("First minute"),
            type="tertiary",
            key="minute.start",
            on_click=_set,
            args=(id, steps, 0),
        )
        return
    key = f"{id}.strip"

    def heard() -> None:
        said = (st.session_state.get(key) or {}).get("step")
        if isinstance(said, Mapping) and isinstance(asked := said.get("at"), int):
            st.session_state[f"{id}.minute"] = said.get("sent")
            if 0 <= asked < len(steps):
                _set(id, steps, asked)
            else:
                _end(id, asked == UNDO)

    with st.container(key="minute"):
        _component(
            data={
                "page": id,
                "steps": tuple(map(asdict, steps)),  # of a list Streamlit asks pandas
                "at": at,
                "sent": st.session_state[f"{id}.minute"],
            },
            key=key,
            on_step_change=heard,
        )


def chosen(link: str) -> dict[str, Any]:
    """What a step chooses, by the names of widgets; a name that comes twice is a list.  Each value
    is of the kind that its widget holds, or else a number where it is written like one."""
    return {
        name: found if len(found) > 1 else _typed(st.session_state.get(widgets.key(name)), found[0])
        for name, found in parse_qs(link, keep_blank_values=True).items()
    }


def _typed(held: Any, value: str) -> Any:
    if isinstance(held, list):
        return [value] if value else []
    if isinstance(held, bool) or (held is None and value in ("true", "false")):
        return value == "true"
    if isinstance(held, str):
        return value
    for kind in (int, float) if held is None else (type(held),):
        try:
            return kind(value)
        except ValueError:
            continue
    return value


def _at(steps: tuple[Step, ...]) -> int | None:
    asked = st.query_params.get(STEP, "")
    return int(asked) - 1 if asked.isdecimal() and 0 < int(asked) <= len(steps) else None


def _set(id: str, steps: tuple[Step, ...], at: int) -> None:
    """Choose what a step names, and keep what was chosen before the first."""
    names = {name for step in steps for name in parse_qs(step.link, keep_blank_values=True)}
    keys = {name: widgets.key(name) for name in names}
    held = {name: st.session_state[key] for name, key in keys.items() if key in st.session_state}
    st.session_state.setdefault(f"{id}.before", held)
    for name, value in chosen(steps[at].link).items():
        st.session_state[keys[name]] = value
    st.query_params[STEP] = str(at + 1)


def _end(id: str, undo: bool) -> None:
    # the browser has taken it out already, but Streamlit's own copy of the address has it still
    st.query_params[STEP] = "0"
    del st.query_params[STEP]
    before = st.session_state.pop(f"{id}.before", {})
    if undo:
        for step in first_minute.places(id):
            for name in parse_qs(step.link, keep_blank_values=True):
                key = widgets.key(name)
                if name in before:
                    st.session_state[key] = before[name]
                else:
                    st.session_state.pop(key, None)


def _spoken_of(id: str) -> bool:
    """Whether the page shows what its steps are computed of."""
    for name, value in first_minute.chosen(id).items():
        asked = st.query_params.get(name.rpartition(".")[2], value)
        if st.session_state.get(widgets.key(name), asked) != value:
            return False
    moments = st.session_state.get("moments", {})
    return all(moments.get(run) is None for run in first_minute.chosen(id).values())
