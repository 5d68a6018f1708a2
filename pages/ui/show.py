"""The one way a settled figure reaches the screen: picture, table, save; and formulas."""

from __future__ import annotations

from functools import partial

import streamlit as st

from engine.live.drawing import Drawing
from engine.live.markdown import escape
from engine.runs.store import Run
from engine.saving import export
from engine.views.figure import Figure
from pages.ui import saving


def drawing(drawn: Drawing, run: Run, key: str) -> None:
    """Picture, table twin and save buttons of a drawing."""
    dark = st.context.theme.type == "dark"
    figure = drawn.figure(of=saving.of(drawn, run), dark=dark)
    picture, table, save = st.tabs(["Picture", "Table", "Save"], key=f"{key}.tabs")
    for tab in (picture, table, save):
        tab.markdown(f"**{escape(figure.title)}**")
    with picture:
        if figure.is_plotly:
            st.plotly_chart(
                figure.chart,
                width="stretch",
                key=f"{key}.chart",
                theme=None,
                config={"displaylogo": False},
            )
        else:
            st.altair_chart(
                figure.chart, width="stretch", key=f"{key}.chart", theme=None, alt=figure.alt_text
            )
        st.caption(figure.alt_text)
    table.dataframe(figure.frame, hide_index=True)
    make = partial(saving.make, drawn, run, key, dark=dark)
    name = partial(saving.name_of, drawn, run, key)
    with save:
        saving.buttons(key, make, name, "the whole trace", _unavailable(figure))


def formula(*latex: str) -> None:
    """Formulas, each on a line of its own and no wider than it is."""
    for line in latex:
        st.latex(line, width="content")


def _unavailable(figure: Figure) -> str:
    """Why there is no picture file of this figure here; empty when there is."""
    try:
        export.job(figure, "png", {})
    except export.ExportUnavailable as problem:
        return str(problem)
    return ""
