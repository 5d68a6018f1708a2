"""Any field with two axes, as a grid of coloured cells; and the wall of such grids that `multiples`
draws.

Everything is laid out in whole pixels: cells then meet without seams, and thousands of them can be
one picture whose pixels are the cells.
"""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.core.trace import ALONG_TEXT, Axis, Field
from engine.language.message import _
from engine.views import base, marks, theme
from engine.views.base import Need, View
from engine.views.figure import Figure

MOST_RECTANGLES = (
    10_000  # more are one raster: each rectangle costs about 50 microseconds of export
)
MOST_SIGNS = 2_000
MOST_NUMBERS = 15  # rows and columns up to which every cell has its number written in it
MOST_POSITIONS = {"next": 40}  # of any other axis 1,500
GAP, HEAD = 10, 18  # pixels between the grids of a wall, and for the name above each


@dataclass(frozen=True, slots=True)
class Wall:
    """Where the cells of `count` equal grids lie, in pixels.  Grids run left to right, `columns` to
    a line."""

    count: int
    columns: int
    down: int
    across: int
    cell_x: int
    cell_y: int
    head: int = 0
    gap: int = 0

    @property
    def width(self) -> int:
        return self.columns * (self.across * self.cell_x + self.gap) - self.gap

    @property
    def height(self) -> int:
        return (
            -(-self.count // self.columns) * (self.down * self.cell_y + self.gap + self.head)
            - self.gap
        )

    def corner(self, grid: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        x = grid % self.columns * (self.across * self.cell_x + self.gap)
        return (
            x,
            grid // self.columns * (self.down * self.cell_y + self.gap + self.head) + self.head,
        )


def fit(
    count: int,
    columns: int,
    down: int,
    across: int,
    square: bool,
    *,
    wide: int = 700,
    high: int = 560,
) -> Wall:
    """The largest whole-pixel cells, 34 x 26 at most, with which the wall keeps to about `wide` x
    `high` pixels."""
    lines, gap, head = -(-count // columns), GAP * (count > 1), HEAD * (count > 1)
    cell_x = max(1, min(34, (wide - columns * gap) // (columns * across)))
    cell_y = max(1, min(26, (high - lines * (gap + head)) // (lines * down)))
    if square:
        cell_x = cell_y = (
            min(cell_x, max(cell_y, 1))
            if max(down, across) > MOST_NUMBERS
            else min(cell_x, cell_y + 8)
        )
    return Wall(count, columns, down, across, cell_x, cell_y, head, gap)


def wall(
    values: np.ndarray,
    at: Wall,
    names: list[str],
    rows: Axis,
    cols: Axis,
    over: theme.Scale,
    measure: str,
    share: bool,
    dark: bool,
) -> list[dict[str, Any]]:
    """The layers of a wall.  values (grid, down, across); names: one per grid, drawn above it when
    there are several."""
    inkset, finite = theme.ink(dark), np.isfinite(values)
    grid, r, c = (i.ravel() for i in np.indices(values.shape))
    left, top = at.corner(grid)
    x, y, v = left + c * at.cell_x, top + r * at.cell_y, values.ravel().astype(float)
    row_labels, col_labels = base.labels(rows), base.labels(cols)
    place = {"x": _place("x", at, cols, col_labels), "y": _place("y", at, rows, row_labels)}
    stops = over.stops(dark)
    colour = {
        "field": "v",
        "type": "quantitative",
        "scale": marks.smooth(over.low, over.high, stops),
        "legend": {
            "title": measure,
            "gradientLength": int(np.clip(at.height, 90, 200)),
            **legend_ticks(over, share),
        },
    }
    inset = 1 if min(at.cell_x, at.cell_y) >= 7 else 0
    shown = finite.ravel()
    as_picture = shown.sum() > MOST_RECTANGLES
    if as_picture:
        corners, few = _raster(values, at, over, dark), np.zeros(0, int)
        picture: dict[str, Any] = {
            "data": {"values": [{}]},
            "mark": {
                "type": "image",
                "url": corners,
                "width": at.width,
                "height": at.height,
                "aspect": False,
                "smooth": False,
            },
            "encoding": {
                "x": {**place["x"], "datum": at.width / 2},
                "y": {**place["y"], "datum": at.height / 2},
            },
        }
        # The legend needs one mark that uses the scale; it has no size.
        few = np.flatnonzero(shown)[:1]
    else:
        few = np.flatnonzero(shown)
    hover = [
        {"calculate": marks.label(row_labels, "datum.r"), "as": "down"},
        {"calculate": marks.label(col_labels, "datum.c"), "as": "across"},
        {"calculate": marks.label(names, "datum.g"), "as": "grid"},
    ]
    tooltip = [
        *(marks.tips(grid="grid") if at.count > 1 else []),
        {"field": "down", "type": "nominal", "title": rows.name},
        {"field": "across", "type": "nominal", "title": cols.name},
        {
            "field": "v",
            "type": "quantitative",
            "title": measure,
            "format": ".3~%" if share else ".4~g",
        },
    ]
    columns = {"x": x + inset * 0.5, "y": y + inset * 0.5, "g": grid, "r": r, "c": c, "v": v}
    ends = [
        {"calculate": f"datum.{a}+{(size - inset) if not as_picture else 0}", "as": f"{a}2"}
        for a, size in (("x", at.cell_x), ("y", at.cell_y))
    ]
    cells: dict[str, Any] = {
        "data": base.pack({k: a[few] for k, a in columns.items()}),
        "transform": [*ends, *hover],
        "mark": {"type": "rect", "cornerRadius": 2 if min(at.cell_x, at.cell_y) >= 16 else 0},
        "encoding": {
            **{a: {**place[a], "field": a} for a in "xy"},
            "x2": {"field": "x2"},
            "y2": {"field": "y2"},
            "color": colour,
            "tooltip": tooltip,
        },
    }
    layers = [picture, cells] if as_picture else [cells]
    centre_x, centre_y = x + at.cell_x / 2, y + at.cell_y / 2
    missing = (
        np.flatnonzero(~shown)[:MOST_SIGNS] if min(at.cell_x, at.cell_y) >= 6 else np.zeros(0, int)
    )
    if len(missing):
        signs = [base.number(float(values.ravel()[i])) for i in missing]
        layers.append(
            _words(
                place, centre_x[missing], centre_y[missing], signs, [inkset.quiet] * len(signs), 10
            )
        )
    if (
        at.count == 1
        and max(at.down, at.across) <= MOST_NUMBERS
        and at.cell_x >= 30
        and at.cell_y >= 14
    ):
        written = [_brief(float(n), share) for n in v[few]]
        ink = theme.inks(v[few], over, dark)
        numbers = _words(place, centre_x[few], centre_y[few], written, ink, 10)
        # on a narrow screen numbers that would run into each other are left to the pointer
        wide = 0.8 * max((base.width_of(n, 10) for n in written), default=0)
        numbers["mark"]["fontSize"] = {"expr": f"width / {at.across} < {wide:g} ? 0 : 10"}
        layers.append(numbers)
    if at.count > 1:
        left, top = at.corner(np.arange(at.count))
        room = max(4, at.across * at.cell_x // 6)
        heads = [theme.shorten(name, room) for name in names]
        layers.append(
            _words(place, left, top - 7.0, heads, [inkset.text] * at.count, 10, align="left")
        )
    return layers


def _place(which: str, at: Wall, axis: Axis, labels: list[str]) -> dict[str, Any]:
    """Position in pixels, with a label at the middle of every cell that has room for one."""
    sideways = which == "x"
    size, cell = (at.width, at.cell_x) if sideways else (at.height, at.cell_y)
    lines = -(-at.count // at.columns)
    starts = at.corner(np.arange(at.columns) if sideways else np.arange(lines) * at.columns)[
        0 if sideways else 1
    ]
    every = max(1, -(-11 // cell)) if at.count == 1 or cell >= 9 else 0
    most = 14 if sideways else 22
    positions = range(0, len(axis), every) if every else range(0)
    ticks = [
        (float(start) + (p + 0.5) * cell, theme.shorten(labels[p], most))
        for start in starts
        for p in positions
    ]
    upright = sideways and any(len(word) * 6.5 > cell * every for __, word in ticks)
    title = base.axis_title(axis.name)
    if not every:
        title = f"{axis.name} ({len(axis)}, {'left to right' if sideways else 'top to bottom'})"
    return {
        "type": "quantitative",
        "scale": {"domain": [0, size], "range": [0, size], "nice": False, "zero": False},
        "axis": {
            "title": title,
            "titleLimit": max(size, 120),
            "maxExtent": (
                14
                if sideways and not upright
                else max((base.width_of(w) for __, w in ticks), default=0) + 8
            ),
            "values": [t for t, __ in ticks],
            "labelExpr": (
                f"{base.listed(w for __, w in ticks)}[indexof({[t for t, __ in ticks]}, datum.value)]"
            ),
            "labelAngle": -90 if upright else 0,
            "labelOverlap": False,
            "labelFlush": False,
            "ticks": False,
            "domain": False,
            "grid": False,
            **({"labelAlign": "right", "labelBaseline": "middle"} if upright else {}),
        },
    }


def _words(
    place: dict[str, Any],
    x: np.ndarray,
    y: np.ndarray,
    words: list[str],
    ink: list[str],
    size: int,
    align: str = "center",
) -> dict[str, Any]:
    return {
        "data": base.rows({"x": x.astype(float), "y": y.astype(float), "t": words, "ink": ink}),
        "mark": {
            "type": "text",
            "fontSize": size,
            "baseline": "middle",
            "align": align,
            "tooltip": None,
        },
        "encoding": {
            **{a: {**place[a], "field": a} for a in "xy"},
            "text": {"field": "t", "type": "nominal"},
            "color": {"field": "ink", "type": "nominal", "scale": None},
        },
    }


def _raster(values: np.ndarray, at: Wall, over: theme.Scale, dark: bool) -> str:
    """The cells as a PNG with a palette, one cell `cell_x` x `cell_y` pixels; bare where not
    finite.  A data address."""
    picture = np.zeros((at.height, at.width), np.uint8)
    colours = np.where(np.isfinite(values), theme.indices(values, over, 255) + 1, 0).astype(
        np.uint8
    )
    for k, cells in enumerate(colours):
        left, top = (int(a) for a in at.corner(np.array(k)))
        block = cells.repeat(at.cell_y, 0).repeat(at.cell_x, 1)
        picture[top : top + block.shape[0], left : left + block.shape[1]] = block
    # each line begins with its filter: none
    lines = np.hstack([np.zeros((at.height, 1), np.uint8), picture]).tobytes()
    parts = (
        (b"IHDR", struct.pack(">IIBBBBB", at.width, at.height, 8, 3, 0, 0, 0)),
        (b"PLTE", b"\0\0\0" + theme.palette(over.stops(dark), 255).tobytes()),
        (b"tRNS", b"\0"),
        (b"IDAT", zlib.compress(lines, 6)),
        (b"IEND", b""),
    )
    png = b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(d)) + n + d + struct.pack(">I", zlib.crc32(n + d)) for n, d in parts
    )
    return "data:image/png;base64," + base64.b64encode(png).decode()


def _brief(value: float, share: bool) -> str:
    """A number short enough for its cell; the table and the hover text have it whole."""
    if share:
        return (
            "<0.1"
            if 0 < value < 0.001
            else f"{100 * value:.1f}"
            if value < 0.0995
            else f"{100 * value:.0f}"
        )
    return (
        f"{value:.2f}".replace("-", "−")
        if abs(value) < 99.5
        else f"{value:.0f}"
        if abs(value) < 99_999
        else f"{value:.0e}"
    )


def legend_ticks(over: theme.Scale, share: bool) -> dict[str, Any]:
    values = [float(v) for v in np.linspace(over.low, over.high, 5)]
    words = [f"{100 * v:g} %" if share else f"{v:.3g}".replace("-", "−") for v in values]
    return {"values": values, "labelExpr": f"{base.listed(words)}[indexof({values}, datum.value)]"}


def draw(
    field: Field,
    *,
    dark: bool = False,
    of: str = "",
    reading: bool = True,
    domain: tuple[float, float] | None = None,
    units: Sequence[int] | None = None,
    sorted_by: str = "",
) -> Figure:
    """A grid.  `reading` puts the tokens left to right where only one axis runs along the text;
    `domain` sets the scale.

    units  which units to draw, from the top down; `sorted_by` says why in this order
    """
    if units is not None:
        field = base.arranged(field, "unit", units)
    down, across = field.axes
    if reading and down.name in ALONG_TEXT and across.name not in ALONG_TEXT:
        down, across = across, down
        spec = base.with_axes(field.spec, (down.name, across.name))
        field = Field(spec, field.values.T, (down, across))
    left_out, kept = [], {}
    for axis in (down, across):
        field, kept[axis.name], sentence = base.keep_largest(
            field, axis.name, MOST_POSITIONS.get(axis.name, 1500)
        )
        left_out.append(sentence)
    down, across = field.axes
    spec, values, share = field.spec, field.values, base.is_share(field.spec)
    frame = field.frame()
    for name, positions in kept.items():
        frame[name] = positions[frame[name]]
    if units is not None:
        frame["unit"] = np.asarray(units)[frame["unit"]]
    over = base.drawn_scale(spec, values, domain)
    at = fit(
        1,
        1,
        max(1, len(down)),
        max(1, len(across)),
        square={down.name, across.name} == {"query", "key"},
    )
    layers = wall(values[None], at, [""], down, across, over, base.measure(spec), share, dark)
    finite = frame[np.isfinite(frame["value"])]
    words = _(
        "Grid. {spec}. {down} rows ({name}) by {across} columns ({name_2}).",
        spec=base.says(spec),
        down=len(down),
        name=_(down.name),
        across=len(across),
        name_2=_(across.name),
    )
    if len(finite):
        top = finite.loc[finite["value"].idxmax()]
        where = _(" and ").join(
            f"{a.name} “{theme.visible(str(top[f'{a.name}_label']))}”" for a in (down, across)
        )
        words += _(
            " Largest: {top} at {where}.",
            top=base.number(float(top["value"]), share),
            where=_(where),
        )
    notes = (of, sorted_by, *left_out, base.tell_outside(values, over), base.tell_unsound(values))
    return base.chart(
        base.says(spec), notes, layers, frame, words, width=at.width, height=at.height, dark=dark
    )


VIEW = View("Grid", "Where are the large numbers?", (Need(2),), draw, canvas="grid")
