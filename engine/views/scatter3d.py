"""A map of words in three dimensions, to be turned by hand."""

from __future__ import annotations

import html
from typing import Any

import numpy as np

from engine.core.trace import Table
from engine.views import base, theme
from engine.views.base import Need, View
from engine.views.figure import Figure

COLUMNS = ("word", "x", "y", "z", "group", "frequency")
GROUPS = ("other words", "neighbours", "typed words")
MOST_LABELS = 60


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
    accents = (ink.faint, ink.accent, theme.categories(2, dark)[1])
    traces: list[dict[str, Any]] = []
    for g, title in enumerate(GROUPS):
        at = np.flatnonzero(known & (group == g))
        if not len(at):
            continue
        named = g > 0
        traces.append(
            {
                "type": "scatter3d",
                "name": title,
                "mode": "markers+text" if named else "markers",
                **{axis: xyz[at, i].astype(np.float32) for i, axis in enumerate("xyz")},
                "marker": {
                    "size": (2.5 + 3.5 * loud[at] + 2.5 * named).round(3),
                    "color": accents[g],
                    "opacity": 1 if named else 0.3,
                    "line": {"width": 0},
                },
                "text": (
                    [written(names[i]) if n < MOST_LABELS else "" for n, i in enumerate(at)]
                    if named
                    else None
                ),
                "textposition": "top center",
                "textfont": {"size": 14 if g == 2 else 11, "color": ink.text},
                "hovertext": [
                    f"<b>{written(names[i])}</b><br>occurrences {base.number(float(often[i]))}"
                    for i in at
                ],
                "hoverinfo": "text",
            }
        )
    title = base.sentence(table.spec.says) or "A map of words"
    marked = int((known & (group > 0)).sum())
    notes = [
        theme.plain(n)
        for n in (
            of,
            "Only nearness means something: the map has no unit and no preferred direction.",
            (
                f"Names of {MOST_LABELS} words of each marked group are written."
                if marked > MOST_LABELS
                else ""
            ),
            (
                f"{int((~known).sum()):,} words have no place on the map (not finite)."
                if not known.all()
                else ""
            ),
        )
        if n
    ]
    head = f"<b>{written(theme.plain(title, 90))}</b>" + "".join(
        f"<br><span style='font-size:12px;color:{ink.quiet}'>{written(note)}</span>"
        for note in notes
    )
    side = {
        "showbackground": False,
        "gridcolor": ink.rule,
        "zerolinecolor": ink.rule,
        "linecolor": ink.rule,
        "showticklabels": False,
        "showspikes": False,
    }
    layout = {
        "title": {
            "text": head,
            "x": 0.02,
            "xanchor": "left",
            "y": 0.955,
            "yanchor": "top",
            "font": {"size": 16, "color": ink.text},
        },
        "paper_bgcolor": ink.page,
        "plot_bgcolor": ink.page,
        "font": {"family": theme.FONT, "size": 12, "color": ink.quiet},
        "width": 760,
        "height": 620,
        "margin": {"l": 8, "r": 8, "t": 60 + 18 * len(notes), "b": 8},
        "showlegend": True,
        "legend": {
            "title": {"text": "words"},
            "itemsizing": "constant",
            "x": 0.98,
            "xanchor": "right",
            "y": 0.98,
            "bgcolor": "rgba(0,0,0,0)",
        },
        "hoverlabel": {"bgcolor": ink.page, "font": {"color": ink.text}},
        "scene": {
            **{f"{a}axis": {**side, "title": {"text": f"{a} (no unit)"}} for a in "xyz"},
            "aspectmode": "data",
            "camera": {"eye": {"x": 1.35, "y": 1.35, "z": 0.85}},
        },
        "uirevision": "keep",
    }
    typed = ", ".join(f"“{names[i]}”" for i in np.flatnonzero(group == 2)[:8])
    words = f"Map of points in three dimensions. {title}. {len(frame):,} words" + (
        f"; typed: {typed}." if typed else "."
    )
    return Figure(theme.plain(title), go.Figure({"data": traces, "layout": layout}), frame, words)


def written(text: str) -> str:
    """Plotly reads a little HTML and, between dollar signs, LaTeX: neither may come from a word."""
    return html.escape(text, quote=True).replace("$", "&#36;")


VIEW = View("Map in 3-D", "Which words lie together?", (Need(columns=COLUMNS),), draw)
