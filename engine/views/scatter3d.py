"""A map of words in three dimensions, to be turned by hand."""

from __future__ import annotations

import html
from typing import Any

import numpy as np

from engine.core.trace import Table
from engine.language.message import _, spoken
from engine.views import base, theme
from engine.views.base import Need, View
from engine.views.figure import Figure

COLUMNS = ("word", "x", "y", "z", "group", "frequency")
GROUPS = ("other words", "neighbours", "typed words")
MOST_LABELS = 60
HIGH = 560  # pixels


def draw(table: Table, *, dark: bool = False, of: str = "") -> Figure:
    """group: 0 background, 1 neighbour, 2 typed.  Frequent words have larger points.  Only words of
    groups 1 and 2 are named."""
    import plotly.graph_objects as go

    frame = table.frame()[list(COLUMNS)].reset_index(drop=True)
    xyz = frame[["x", "y", "z"]].to_numpy(float)
    group = np.clip(frame["group"].to_numpy(float), 0, 2).astype(int)
    often, known = frame["frequency"].to_numpy(float), np.isfinite(xyz).all(1)
    loud = np.log1p(np.nan_to_num(np.maximum(often, 0), posinf=0))
    loud /= loud.max(initial=0.0) or 1.0
    ink, names = theme.ink(dark), [theme.visible(str(w)) for w in frame["word"]]
    colours = (ink.faint, ink.accent, theme.categories(2, dark)[1])
    figure = go.Figure()
    for g, title in enumerate(GROUPS):
        at = np.flatnonzero(known & (group == g))
        named = [written(names[i]) if g and n < MOST_LABELS else "" for n, i in enumerate(at)]
        x, y, z = xyz[at].astype(np.float32).T
        figure.add_scatter3d(
            x=x,
            y=y,
            z=z,
            name=spoken(title),
            mode="markers+text" if g else "markers",
            marker={"size": 2.5 + 3.5 * loud[at] + 2.5 * (g > 0), "color": colours[g]}
            | {"opacity": 1 if g else 0.6, "line": {"width": 0}},
            text=named,
            textposition="top center",
            textfont={"size": 14 if g == 2 else 11, "color": ink.text},
            hovertext=[f"<b>{written(names[i])}</b><br>{base.number(float(often[i]))}" for i in at],
            hoverinfo="text",
            visible=bool(len(at)),
        )
    side: dict[str, Any] = {"showbackground": False, "showticklabels": False, "showspikes": False}
    side |= dict.fromkeys(("gridcolor", "zerolinecolor", "linecolor"), ink.rule)
    figure.update_layout(
        paper_bgcolor=ink.page,
        font={"family": theme.FONT, "size": 12, "color": ink.quiet},
        height=HIGH,
        margin=dict.fromkeys("lrtb", 8),
        legend={"itemsizing": "constant", "x": 0.98, "xanchor": "right", "y": 0.98},
        hoverlabel={"bgcolor": ink.page, "font": {"color": ink.text}},
        showlegend=True,
        scene={f"{a}axis": side | {"title": {"text": f"{a} (no unit)"}} for a in "xyz"}
        | {"aspectmode": "cube", "camera": {"eye": {"x": 0.75, "y": 0.75, "z": 0.5}}},
        uirevision="keep",
    )
    title = base.sentence(table.spec.says) or "A map of words"
    typed = ", ".join(f"“{names[i]}”" for i in np.flatnonzero(group == 2)[:8])
    words = _(
        "Map of points in three dimensions. {title}. {n:,} words; typed: {typed}.",
        title=title,
        n=len(frame),
        typed=typed or "none",
    )
    return Figure(theme.plain(title), figure, frame, words)


def written(text: str) -> str:
    """Plotly reads a little HTML and, between dollar signs, LaTeX: neither may come from a word."""
    return html.escape(text, quote=False).replace("$", "&#36;")


VIEW = View("Map in 3-D", "Which words lie together?", (Need(columns=COLUMNS),), draw)
