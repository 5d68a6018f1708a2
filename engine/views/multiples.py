"""One field as a wall of small grids, one per position of its first axes: layers by heads, or one
grid per layer."""

from __future__ import annotations

import math

import numpy as np

from engine.core.trace import ALONG_TEXT, Axis, Field
from engine.language.message import _
from engine.views import base, theme
from engine.views.base import Need, View
from engine.views.figure import Figure
from engine.views.heatmap import fit, wall

MOST_GRIDS = 256
MOST_POSITIONS = 512


def draw(
    field: Field,
    *,
    dark: bool = False,
    of: str = "",
    reading: bool = True,
    domain: tuple[float, float] | None = None,
    square: bool = False,
    columns: int | None = None,
    wide: int = 1060,
) -> Figure:
    """Axes (a, b, down, across): a line of grids per `a`, one grid per `b`; axes (a, down, across):
    one grid per `a`.

    `reading` puts the tokens of the text left to right where only one of the inner axes runs along
    it; `domain` sets the scale.  `square` makes the cells squares, as those of attention always are;
    `columns` says how many grids stand side by side; `wide` is how many pixels the wall may take.
    """
    names = field.axis_names
    if reading and names[-2] in ALONG_TEXT and names[-1] not in ALONG_TEXT:
        names = (*names[:-2], names[-1], names[-2])
        axes = (*field.axes[:-2], field.axes[-1], field.axes[-2])
        field = Field(base.with_axes(field.spec, names), np.swapaxes(field.values, -1, -2), axes)
    left_out, kept = [], {}
    for name in names:
        most = MOST_POSITIONS if name in names[-2:] else MOST_GRIDS if len(names) == 3 else 16
        field, kept[name], sentence = base.keep_largest(field, name, 40 if name == "next" else most)
        left_out.append(sentence)
    *outer, down, across = field.axes
    spec, share = field.spec, base.is_share(field.spec)
    values = field.values.reshape(math.prod(len(a) for a in outer), len(down), len(across))
    usual = len(outer[1]) if len(outer) == 2 else _columns(len(values), len(down), len(across))
    columns = max(1, min(columns or usual, len(values)))
    heads = [
        ", ".join(_head(axis, i) for axis, i in zip(outer, where, strict=True))
        for where in np.ndindex(*(len(a) for a in outer))
    ]
    over = base.drawn_scale(spec, values, domain)
    square = square or {down.name, across.name} == {"query", "key"}
    at = fit(
        max(1, len(values)),
        columns,
        max(1, len(down)),
        max(1, len(across)),
        square,
        wide=wide,
        high=860,
    )
    above = heads if outer[0].name == "label" else _short(heads, at.across * at.cell_x)
    layers = wall(values, at, above, down, across, over, base.measure(spec), share, dark)
    frame = field.frame()
    for name, positions in kept.items():
        frame[name] = positions[frame[name]]
    words = _(
        "{values} small grids. {spec}. One for each {name}; in each, {down} rows"
        " ({name_2}) by {across} columns ({name_3}).",
        values=len(values),
        spec=base.says(spec),
        name=" and ".join(a.name for a in outer),
        down=len(down),
        name_2=_(down.name),
        across=len(across),
        name_3=_(across.name),
    )
    finite = np.where(np.isfinite(values), values, -np.inf)
    if np.isfinite(finite).any():
        grid, r, c = np.unravel_index(int(finite.argmax()), finite.shape)
        places = _(
            "row “{labels}”, column “{labels_2}”",
            labels=theme.visible(down.labels[int(r)]),
            labels_2=theme.visible(across.labels[int(c)]),
        )
        words += _(
            " Largest: {values} in {heads}, {places}.",
            values=base.number(float(values[grid, r, c]), share),
            heads=heads[grid],
            places=places,
        )
    notes = (of, *left_out, base.tell_outside(values, over), base.tell_unsound(values))
    return base.chart(
        base.says(spec), notes, layers, frame, words, width=at.width, height=at.height, dark=dark
    )


def _columns(count: int, down: int, across: int) -> int:
    """How many grids stand side by side so that the whole is about one and a half times as wide as
    it is high."""
    return int(np.clip(round((1.5 * count * max(down, 4) / max(across, 4)) ** 0.5), 1, count or 1))


def _head(axis: Axis, i: int) -> str:
    """What stands over a grid; a label names itself."""
    return (
        base.word(axis.labels[i], axis.name, 30)
        if axis.name == "label"
        else f"{axis.name} {base.word(axis.labels[i], axis.name, 12)}"
    )


def _short(heads: list[str], pixels: int) -> list[str]:
    """Names that fit over their grids: whole, or with every word but the numbers cut to its first
    letter."""
    if all(len(head) * 6 <= pixels for head in heads):
        return heads
    return [
        _(" ").join(
            f"{part.split(' ', 1)[0][:1].upper()}{part.split(' ', 1)[1]}"
            for part in head.split(", ")
        )
        for head in heads
    ]


VIEW = View(
    "Wall of grids",
    "Which of them does something different?",
    (Need(4), Need(3)),
    draw,
    canvas="wall",
)
