"""The one way a settled figure reaches the screen: picture, table, save; and formulas."""

from __future__ import annotations

from functools import partial

import streamlit as st

from engine.live.drawing import Drawing
from engine.runs.store import Run
from engine.saving import export
from engine.views.figure import Figure
from pages.ui import saving

FORMATS = ("png", "svg", "pdf", "html", "csv", "parquet", "npz", "py")
LABELS = {"npz": "NPZ, the whole trace", "py": "Python script"}


def drawing(drawn: Drawing, run: Run, key: str) -> None:
    """Picture, table twin and save buttons of a drawing."""
    dark = st.context.theme.type == "dark"
    figure = drawn.figure(of=saving.of(drawn, run), dark=dark)
    picture, table, save = st.tabs(["Picture", "Table", "Save"])
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
    with save, st.container(horizontal=True):
        for format in FORMATS:
            if format in ("png", "svg", "pdf") and (why := _unavailable(figure)):
                st.caption(f"{format.upper()}: {why}")
                continue
            make = partial(saving.make, drawn, run, key, format, dark)  # made only when asked for
            name = saving.name_of(drawn, run, key, format)
            label = LABELS.get(format, format.upper())
            st.download_button(
                label, make, name, saving.MIME[format], key=f"{key}.{format}", on_click="ignore"
            )


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
