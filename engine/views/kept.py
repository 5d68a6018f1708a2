"""What a mask left of each distribution: a bar of length one for each token that was written, parted into that token,
the others that were allowed, and what was cut."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.core.trace import Table
from engine.language.message import _
from engine.views import base, marks, theme
from engine.views.bars import percent_axis
from engine.views.base import Need, View
from engine.views.figure import Figure

COLUMNS = ("token", "written", "kept", "first")
WIDTH, LINE, MOST, ROOM = 560, 24, 80, 34  # ROOM: pixels, the least that words are put into
SERIES = ("the token that was written", "other tokens that were allowed", "cut by the mask")


def draw(table: Table, *, dark: bool = False, of: str = "") -> Figure:
    """Rows are tokens in order; the first 80 are drawn, the table holds all.

    written, kept  probabilities before anything was cut: of the token, and of all that were allowed
    first          what was cut first, in words, which stand in the part that was cut as far as they fit
    """
    whole = table.frame()[list(COLUMNS)].reset_index(drop=True)
    frame, ink = whole.head(MOST), theme.ink(dark)
    kept, own = frame["kept"].to_numpy(float), frame["written"].to_numpy(float)
    finite = np.isfinite(kept) & np.isfinite(own)
    kept = np.clip(np.where(finite, kept, 0), 0, 1)
    own = np.clip(np.where(finite, own, 0), 0, kept)
    names = [theme.visible(str(word), 20) for word in frame["token"]]
    n, ones = len(frame), np.ones(len(frame))
    first = [theme.plain(str(words), 80) for words in frame["first"]]
    share = [base.number(float(v), True) for v in frame["kept"].to_numpy(float)]
    said = [
        *(base.number(float(v), True) for v in own),
        *(base.number(float(v), True) for v in kept - own),
        *(base.number(float(v), True) for v in 1 - kept),
    ]
    bars: dict[str, Any] = {
        "row": [*range(n)] * 3,
        "s": np.repeat(np.arange(3), n),
        "start": [*np.zeros(n), *own, *kept],
        "stop": [*own, *kept, *np.where(finite, ones, kept)],
        "token": names * 3,
        "part": np.repeat([str(_(name)) for name in SERIES], n),
        "written": said,
        "first": first * 3,
    }
    weak, strong = theme.orders(dark, 4)[1], ink.accent
    y = marks.named("row", "token", names, maxExtent=marks.room(names))
    x = marks.amounts(
        _("{name} ({unit})", name=_("probability"), unit="%"),
        0,
        1,
        tickCount=5,
        **percent_axis(True),
    )
    tips = marks.tips(token="token", part="what", written="probability", first="cut first")
    fits = f"(1 - datum.kept) * width > {ROOM}"
    layers: list[dict[str, Any]] = [
        marks.bar(
            y, x, "start", "stop", marks.series("s", SERIES, [strong, weak, ink.faint]), tips
        ),
        {
            "data": base.rows({"row": np.arange(n), "one": ones, "kept": kept, "words": first}),
            "transform": [{"filter": fits}],
            "mark": {
                "type": "text",
                "align": "right",
                "baseline": "middle",
                "dx": -6,
                "limit": {"expr": "(1 - datum.kept) * width - 12"},
                "color": ink.text,
                "tooltip": None,
            },
            "encoding": {
                "y": y,
                "x": {**x, "field": "one"},
                "text": {"field": "words", "type": "nominal"},
            },
        },
    ]
    if not finite.all():
        layers.append(
            {
                "data": base.rows(
                    {
                        "row": np.arange(n)[~finite],
                        "sign": [s for s, fine in zip(share, finite, strict=True) if not fine],
                    }
                ),
                "mark": {"type": "text", "fontWeight": 600, "color": ink.text},
                "encoding": {
                    "y": y,
                    "x": {**x, "datum": 0.5},
                    "text": {"field": "sign", "type": "nominal"},
                },
            }
        )
    title = base.sentence(table.spec.says) or "Kept and cut, token by token"
    cut = (
        _("The first {most} of {whole:,} tokens are drawn.", most=MOST, whole=len(whole))
        if len(whole) > MOST
        else ""
    )
    spoken = _("; ").join(
        _("“{name}”: {share} kept", name=name, share=s)
        for name, s in zip(names, share, strict=True)
    )
    return base.chart(
        title,
        (of, cut, base.tell_unsound(whole["kept"].to_numpy(float))),
        layers,
        whole,
        _("Bars. {title}. {value}.", title=_(title), value=spoken or _("No tokens")),
        width=WIDTH,
        height=LINE * max(1, n),
        dark=dark,
        data=base.rows(bars),
    )


VIEW = View(
    "Kept and cut", "What did the mask cut, token by token?", (Need(columns=COLUMNS),), draw
)
