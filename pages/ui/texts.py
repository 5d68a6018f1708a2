"""The one picker of a text: what a page brings itself, the corpora that come with the program, and
the reader's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from engine.course import planted
from engine.live.markdown import escape
from engine.runs.store import Run
from engine.text.collection.beginning import beginning, by_label, left_out, read, stretches
from pages.ui import widgets
from pages.ui.language import labelled, told

__all__ = ["beginning", "by_label", "first", "left_out", "listed", "pick", "read", "stretches"]


def listed(*kinds: str) -> dict[str, str]:
    """The same as {id: label}."""
    return {corpus.id: label for label, corpus in by_label(*kinds).items()}


def pick(
    label: str,
    options: Mapping[str, str],
    key: str,
    first: str = "",
    on_change: Callable[[], None] | None = None,
    box: Any = st,
    **more: Any,
) -> str:
    """The id of the chosen text; it stands in the address as `corpus`.  A link may also name it by
    its label, or under the widget's key.

    options  {id: label}; the widget holds labels, since they are what it shows
    key      the name of the widget; `widgets.change` has it hold another label
    """
    widget = widgets.key(key)
    labels = list(options.values())
    named = st.query_params.get("corpus") or st.query_params.get(key, "")
    missed = f"{key}.missed"  # what the address asked for in vain
    if (held := st.session_state.get(widget)) not in labels:
        asked = options.get(str(held), "") or named
        found = options.get(asked) or (asked if asked in labels else "")
        st.session_state[missed] = "" if found else asked
        st.session_state[widget] = found or options.get(first) or labels[0]
    else:  # set anew, so that what comes from another page stays
        st.session_state[widget] = held
    # until another one is chosen: the page may be drawn again at any moment
    if named and named == st.session_state.get(missed):
        st.info(
            told(
                "There is no text “{named}” here; perhaps it was deleted. Another one is shown.",
                named=escape(named[:60]),
            )
        )

    def note() -> None:
        if widgets.key(key) != widget:  # said before the change came
            return
        st.query_params["corpus"] = next(
            (id for id, name in options.items() if name == st.session_state[widget]), ""
        )
        if on_change:
            on_change()

    chosen = box.selectbox(told(label), labels, key=widget, on_change=note, **labelled(), **more)
    return next((id for id, name in options.items() if name == chosen), first)


def first(run: Run, key: str, usual: str = "stories") -> str:
    """The text that a picker begins with: the planted one that a run has learned, or else the
    usual.

    With a run of another such text what the picker held goes, or a model of brackets would be asked
    about English.
    """
    found = planted.text(run.note) or usual
    if st.session_state.setdefault(f"{key}.first", found) != found:
        st.session_state[f"{key}.first"] = found
        st.session_state.pop(key, None)
    return found
