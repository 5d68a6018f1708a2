"""A context tree: what followed a context, what followed that, each with its count and its
share."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.core.trace import FieldSpec, Kind, Table
from engine.language.message import _
from engine.views import base, marks, theme
from engine.views.base import Need, View
from engine.views.figure import Figure

COLUMNS = ("node", "parent", "word", "count", "share")
# pixels; how much of a level the box takes, the rest is for the branches
WIDTH, ROW, BOX = 860, 28, 0.72


def draw(
    table: Table,
    *,
    dark: bool = False,
    of: str = "",
    measure: str = "share of continuations (%)",
    number: str = "count",
) -> Figure:
    """Each row is a node; `parent` is another row's `node`, or one that is not there (-1) for a
    root.

    share  of the parent's count; it gives the box its colour.  A node whose parents go in a circle
           is drawn as a root.
    measure, number  what share and count are called
    """
    frame = table.frame()[list(COLUMNS)].reset_index(drop=True)
    share, count = frame["share"].to_numpy(float), frame["count"].to_numpy(float)
    depth, row, above = _places(frame["node"].tolist(), frame["parent"].tolist())
    levels, lines = int(depth.max(initial=0)) + 1, int(np.ceil(row.max(initial=0.0))) + 1
    over = theme.scale(FieldSpec("share", Kind.PROBABILITY, ("next",), "", domain=(0.0, 1.0)))
    names, ink = [theme.visible(str(w)) for w in frame["word"]], theme.ink(dark)
    written = [
        base.number(float(c)) if np.isfinite(s) else base.number(float(s))
        for c, s in zip(count, share, strict=True)
    ]
    boxes = {
        "x": depth.astype(float),
        "x2": depth + BOX,
        "y": row + 0.08,
        "y2": row + 0.92,
        "middle": row + 0.5,
        "n": np.arange(len(frame)),
        "word": names,
        "short": [theme.shorten(w, 7) for w in names],
        "wide": [base.width_of(w, 12) for w in names],
        "written": written,
        "share": share,
        "percent": [base.number(float(s), True) for s in share],
        "ink": theme.inks(share, over, dark),
    }
    x = {
        "type": "quantitative",
        "scale": {"domain": [0, levels - 1 + BOX], "nice": False, "zero": False},
        "axis": None,
    }
    y = {
        "type": "quantitative",
        "scale": {"domain": [lines, 0], "nice": False, "zero": False},
        "axis": None,
    }
    step = f"(width / {levels - 1 + BOX})"
    longest = max(map(base.width_of, written), default=0)
    stops = over.stops(dark)
    colour = {
        "field": "share",
        "type": "quantitative",
        "scale": marks.smooth(0, 1, stops),
        "legend": {
            "title": measure,
            "orient": "bottom",
            "direction": "horizontal",
            "gradientLength": 220,
            "values": [0, 0.25, 0.5, 0.75, 1],
            "labelExpr": "format(datum.value * 100, '~g') + ' %'",
        },
    }
    tooltip = [
        {"field": "word", "type": "nominal"},
        {"field": "written", "type": "nominal", "title": number},
        {"field": "percent", "type": "nominal", "title": "share"},
    ]
    box = {
        "x": {**x, "field": "x"},
        "x2": {"field": "x2"},
        "y": {**y, "field": "y"},
        "y2": {"field": "y2"},
    }
    words = {
        "y": {**y, "field": "middle"},
        "color": {"field": "ink", "type": "nominal", "scale": None},
    }
    layers: list[dict[str, Any]] = [
        {
            "data": base.rows(_branches(depth, row, above)),
            "mark": {
                "type": "line",
                "color": ink.faint,
                "strokeWidth": 1.5,
                "interpolate": "basis",
            },
            "encoding": {
                "x": {**x, "field": "x"},
                "y": {**y, "field": "y"},
                "detail": {"field": "branch", "type": "nominal"},
                "order": {"field": "place", "type": "quantitative"},
            },
        },
        {
            "mark": {"type": "rect", "cornerRadius": 3, "stroke": ink.rule},
            "encoding": {**box, "color": colour, "tooltip": tooltip},
        },
        {
            "transform": [
                {
                    "calculate": (
                        f"datum.wide < {BOX} * {step} - {longest + 20} ? datum.word : datum.short"
                    ),
                    "as": "fits",
                }
            ],
            "mark": {
                "type": "text",
                "align": "left",
                "baseline": "middle",
                "dx": 8,
                "fontSize": 12,
                "tooltip": None,
            },
            "encoding": {
                "x": {**x, "field": "x"},
                **words,
                "text": {"field": "fits", "type": "nominal"},
            },
        },
        {
            "mark": {
                "type": "text",
                "align": "right",
                "baseline": "middle",
                "dx": -7,
                "fontSize": 11,
                "tooltip": None,
            },
            "encoding": {
                "x": {**x, "field": "x2"},
                **words,
                "text": {"field": "written", "type": "nominal"},
            },
        },
    ]
    title = base.sentence(table.spec.says) or "A context tree"
    top = [f"“{names[i]}” {written[i]}" for i in np.flatnonzero(depth == 1)[:5]]
    said = _(
        "Tree of {levels} {value}. {title}. First: {value_2}.",
        levels=levels,
        value=_("level") if levels == 1 else _("levels"),
        title=_(title),
        value_2=", ".join(top) or "nothing",
    )
    notes = (of, base.unsound(np.concatenate([share, count])))
    return base.chart(
        title,
        notes,
        layers,
        frame,
        said,
        width=WIDTH,
        height=ROW * lines,
        dark=dark,
        data=base.rows(boxes),
    )


def _places(nodes: list[Any], parents: list[Any]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(depth, row, position of the parent or -1) of each node: leaves on rows of their own, a
    parent in the middle of its children."""
    where: dict[Any, int] = {}
    for i, node in enumerate(nodes):
        where.setdefault(node, i)
    above = np.array(
        [p if (p := where.get(parent, -1)) != i else -1 for i, parent in enumerate(parents)], int
    )
    for i in range(len(above)):  # a circle has no root; it is opened where it is met
        met, at = {i}, int(above[i])
        while at >= 0:
            if at in met:
                above[i] = -1
                break
            met.add(at)
            at = int(above[at])
    children: dict[int, list[int]] = {}
    for i, parent in enumerate(above.tolist()):
        children.setdefault(parent, []).append(i)
    depth, row, lines = np.zeros(len(nodes), int), np.zeros(len(nodes)), 0
    todo, met_in_order = children.get(-1, [])[::-1], []
    while todo:
        i = todo.pop()
        met_in_order.append(i)
        if above[i] >= 0:
            depth[i] = depth[above[i]] + 1
        if i in children:
            todo += children[i][::-1]
        else:
            row[i], lines = lines, lines + 1
    for i in reversed(met_in_order):
        if i in children:
            row[i] = (row[children[i][0]] + row[children[i][-1]]) / 2
    return depth, row, above


def _branches(depth: np.ndarray, row: np.ndarray, above: np.ndarray) -> dict[str, np.ndarray]:
    """Four points for each branch, from the parent's box to the child's."""
    child = np.flatnonzero(above >= 0)
    parent = above[child]
    start, end = depth[parent] + BOX, depth[child].astype(float)
    third = (end - start) / 3
    across = np.stack([start, start + third, end - third, end], 1)
    down = np.stack([row[parent], row[parent], row[child], row[child]], 1) + 0.5
    return {
        "x": across.ravel(),
        "y": down.ravel(),
        "branch": np.repeat(child, 4),
        "place": np.tile(np.arange(4), len(child)),
    }


VIEW = View(
    "Context tree", "What came next, and what came after that?", (Need(columns=COLUMNS),), draw
)
