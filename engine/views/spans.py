"""Stretches of a sentence, one line each: which words belong together, and how far they reach."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from engine.core.trace import Table
from engine.language.message import _
from engine.views import base, marks, theme
from engine.views.base import Need, View
from engine.views.figure import Figure

COLUMNS = ("word", "start", "stop", "value")
WIDTH, LINE, ROOM, MOST = 620, 20, 12, 60  # pixels, of them for a word; stretches that are drawn


def draw(
    table: Table,
    *,
    words: Sequence[str] = (),
    what: str = "value",
    kinds: Sequence[str] = (),
    x: str = "the sentence",
    y: str = "words",
    dark: bool = False,
    of: str = "",
) -> Figure:
    """A line from word `start` to word `stop`, both part of it, in the colour of `value`; `word` is
    what stands beside it.

    words  those of the sentence, written above; without them their numbers are
    what   what `value` (0 to 7) says, for the legend
    kinds  what each value from 0 on means, where they are not numbers that grow
    x, y   words for the axes
    """
    whole = table.frame()[list(COLUMNS)].reset_index(drop=True)
    frame = whole.head(MOST)
    start, stop = frame["start"].to_numpy(float), frame["stop"].to_numpy(float)
    value = frame["value"].to_numpy(float)
    level = np.clip(np.nan_to_num(value), 0, 7).astype(int)
    names = [theme.visible(str(w), 28) for w in frame["word"]]
    names = [
        n if np.isfinite(v) else f"{base.number(float(v))} {n}"
        for n, v in zip(names, value, strict=True)
    ]
    shown = [theme.visible(str(w), 14) for w in words]
    last = max(len(shown) - 1, int(stop.max(initial=0.0)))
    ramp = theme.categories(len(kinds), dark) if kinds else theme.orders(dark)
    used = sorted(set(level.tolist())) or [0]
    data = {
        "row": np.arange(len(frame)),
        "a": start - 0.32,
        "b": stop + 0.32,
        "first": start,
        "last": stop,
        "o": level,
        "said": names,
    }
    axis: dict[str, Any] = {
        "title": x,
        "orient": "top",
        "ticks": False,
        "domain": False,
        "grid": False,
    }
    if shown:
        label = marks.label(shown)
        axis |= {
            "values": list(range(len(shown))),
            "labelExpr": label,
            "labelOverlap": False,
            "labelFontSize": 12,
            "labelAngle": -45 if len(shown) > 8 else 0,
        }
    across = {
        "type": "quantitative",
        "scale": {"domain": [-0.5, last + 0.5], "nice": False, "zero": False},
        "axis": axis,
    }
    down = {
        "field": "row",
        "type": "ordinal",
        "scale": {"paddingInner": 0.3, "paddingOuter": 0.2},
        "axis": {
            "title": y,
            "labelExpr": marks.label(names),
            "ticks": False,
            "domain": False,
            "labelOverlap": False,
            "maxExtent": max(map(base.width_of, names), default=0) + 10,
        },
    }
    colour = {
        "field": "o",
        "type": "ordinal",
        "title": what,
        "scale": {"domain": used, "range": [ramp[k] for k in used]},
        "legend": {
            "orient": "bottom",
            "direction": "vertical" if kinds else "horizontal",
            "symbolType": "square",
            "symbolSize": 160,
            **(
                {"labelExpr": marks.label(theme.series(kinds, 400)), "labelLimit": 400}
                if kinds
                else {}
            ),
        },
    }
    tooltip = [
        {"field": "said", "type": "nominal", "title": "words"},
        {"field": "o", "type": "ordinal", "title": what},
    ]
    ink = theme.ink(dark)
    layers: list[dict[str, Any]] = [
        {
            "mark": {"type": "bar", "cornerRadius": 5},
            "encoding": {
                "x": {**across, "field": "a"},
                "x2": {"field": "b"},
                "y": down,
                "color": colour,
                "tooltip": tooltip,
            },
        },
        *(
            {
                "mark": {
                    "type": "point",
                    "filled": True,
                    "size": 26,
                    "opacity": 1,
                    "color": ink.page,
                    "tooltip": None,
                },
                "encoding": {"x": {**across, "field": end}, "y": down},
            }
            for end in ("first", "last")
            if ROOM * last < WIDTH  # else they look like notches of its ends
        ),
    ]
    title = base.sentence(table.spec.says) or "Stretches of a sentence"
    cut = (
        _("The first {most} of {whole:,} are drawn.", most=MOST, whole=len(whole))
        if len(whole) > MOST
        else ""
    )
    said = _("; ").join(
        f"“{name}” {what} {k}" for name, k in list(zip(names, level.tolist(), strict=True))[:20]
    )
    return base.chart(
        title,
        (of, cut, base.tell_unsound(value)),
        layers,
        whole,
        _("Lines under a sentence. {title}. {value}.", title=_(title), value=said or _("No lines")),
        width=WIDTH,
        height=max(LINE, LINE * len(frame)),
        dark=dark,
        data=base.rows(data),
    )


VIEW = View("Stretches", "Which words belong together?", (Need(columns=COLUMNS),), draw)
