"""How surprised each reader is, along the text itself: one row of coloured pieces per reader, aligned by character."""

from __future__ import annotations

import unicodedata
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from engine.figure import Figure
from engine.trace import Field, FieldSpec, Kind, Table
from engine.views import base, theme
from engine.views.base import Need, View

COLUMNS = ("reader", "token", "start", "stop", "bits", "bits_per_character")
LETTER, ROW, BLOCK, LINE, MOST_LINES = 10, 26, 14, 72, 40  # pixels per letter, row, gap; letters to a line; lines
FULL = 8.0  # bits per character at the end of the scale: what a byte without any model costs


def draw(
    *inputs: Field | Table, dark: bool = False, of: str = "", per: str = "character", full: float = 0.0,
    title: str = "Surprisal of the text, piece by piece", missing: str = "? marks a piece that nothing predicts, such as the first one.",
    means: bool = True,
) -> Figure:  # fmt: skip
    """A table with the columns above, or fields of bits over `token`, one per reader (their spans follow from the labels).

    per   "character" makes readers with different pieces comparable; "token" shows the surprisal of the piece
    full  bits at the end of the colour scale; 0 for 8 bits per character or 16 per token
    missing  what a piece without bits is
    means    whether the average of each reader is written: only where all of them read all of the text
    """
    if per not in ("character", "token"):
        raise ValueError(f"per is 'character' or 'token', not {per!r}")
    frame = pd.concat([_table(i) if isinstance(i, Table) else _field(i) for i in inputs], ignore_index=True)
    frame = frame[frame["stop"] > frame["start"]].reset_index(drop=True)  # a start mark covers nothing
    readers = list(dict.fromkeys(str(r) for r in frame["reader"]))
    value = frame["bits_per_character" if per == "character" else "bits"].to_numpy(float)
    top = full or (FULL if per == "character" else 16.0)
    over = theme.scale(FieldSpec("surprisal", Kind.LOSS, ("token",), "", domain=(0.0, top)))
    lines, column = _fold(frame)
    total_lines, lines = len(lines) - 1, lines[: MOST_LINES + 1]
    cells: list[tuple[float, ...]] = []
    words: list[tuple[float, float, str, int, str]] = []
    seen: set[int] = set()
    inks = theme.inks(value, over, dark)
    bounds = list(pairwise(lines))
    pieces = zip(frame["reader"], frame["token"], frame["start"], frame["stop"], strict=True)
    for i, (reader, token, start, stop) in enumerate(pieces):
        row = readers.index(str(reader))
        for n, (begin, end) in enumerate(bounds):
            a, b = max(int(start), begin), min(int(stop), end)
            if a >= b:
                continue
            x, x2 = (float(column[c] - column[begin]) * LETTER for c in (a, b))
            y = float(n * (len(readers) * ROW + BLOCK) + row * ROW)
            cells.append((x + 0.5, x2 - 0.5, y + 1.0, y + ROW - 1.0, float(value[i]), i))
            if i not in seen:
                words.append(((x + x2) / 2, y + ROW / 2, theme.visible(str(token), max(1, int((x2 - x) // 7))), i, inks[i]))
            seen.add(i)
    kept = frame.iloc[sorted(seen)].reset_index(drop=True)
    width = max([int(c[1] + 1) for c in cells], default=120)
    height = max(1, len(bounds)) * (len(readers) * ROW + BLOCK) - BLOCK
    layers = _layers(cells, words, frame, readers, len(bounds), width, height, over, per, dark)
    cut = f"The first {MOST_LINES} of {total_lines} lines are drawn." if total_lines > MOST_LINES else ""
    blank = missing if np.isnan(value).any() else ""
    said_of = []
    for reader in readers:
        mine = frame[frame["reader"].astype(str) == reader]
        bits = mine["bits"].to_numpy(float)
        known = np.isfinite(bits)
        letters = (mine["stop"] - mine["start"]).to_numpy(float)[known].sum()
        if letters and means:
            said_of.append(f"{theme.plain(reader, 40)} {base.number(float(bits[known].sum() / letters))} bits per character")
    title += " (bits per character)" if per == "character" else " (bits)"
    said = f"Text in coloured pieces, one row per reader. Average: {'; '.join(said_of)}." if said_of else "Text in coloured pieces."
    average = f"Average: {'; '.join(said_of)}." if said_of else ""
    notes = (of, average, cut, blank, base.outside(value, over))
    return base.chart(title, notes, layers, kept, said, width=width, height=height, dark=dark)


def _layers(cells: list[tuple[float, ...]], words: list[tuple[float, float, str, int, str]], frame: pd.DataFrame, readers: list[str],
            blocks: int, width: int, height: int, over: theme.Scale, per: str, dark: bool) -> list[dict[str, Any]]:  # fmt: skip
    stops, ink = over.stops(dark), theme.ink(dark)
    names = [theme.plain(r, 20) or "∅" for r in readers]
    middles = [b * (len(readers) * ROW + BLOCK) + r * ROW + ROW / 2 for b in range(blocks) for r in range(len(readers))]
    x = {"type": "quantitative", "scale": {"domain": [0, width], "range": [0, width], "nice": False, "zero": False}, "axis": None}
    y = {"type": "quantitative", "scale": {"domain": [0, height], "range": [0, height], "nice": False, "zero": False}, "axis": {
        "title": "reader", "values": middles, "labelExpr": f"{base.listed(names)}[indexof({middles}, datum.value) % {max(1, len(names))}]",
        "ticks": False, "domain": False, "grid": False, "labelOverlap": False, "titleLimit": max(height, 60),
        "maxExtent": max(map(base.width_of, names), default=0) + 10}}  # fmt: skip
    unit = "bits per character" if per == "character" else "bits per piece"
    colour = {"field": "v", "type": "quantitative",
              "scale": {"domain": np.linspace(over.low, over.high, len(stops)).tolist(), "range": list(stops), "clamp": True, "interpolate": "rgb"},
              "legend": {"title": f"surprisal ({unit})", "orient": "bottom", "direction": "horizontal", "gradientLength": 220, "offset": 14,
                         "values": np.linspace(over.low, over.high, 5).tolist(), "format": "~g"}}  # fmt: skip
    known = [c for c in cells if np.isfinite(c[4])]
    bare = [c for c in cells if not np.isfinite(c[4])]
    place = {"x": {**x, "field": "x"}, "y": {**y, "field": "y"}, "x2": {"field": "x2"}, "y2": {"field": "y2"}}

    def table(part: list[tuple[float, ...]]) -> dict[str, Any]:
        rows = [int(c[5]) for c in part]
        bits, each = frame["bits"].to_numpy(float), frame["bits_per_character"].to_numpy(float)
        return base.rows({
            "x": [c[0] for c in part], "x2": [c[1] for c in part], "y": [c[2] for c in part], "y2": [c[3] for c in part],
            "v": [c[4] for c in part], "reader": [theme.plain(str(frame["reader"][i]), 40) for i in rows],
            "piece": [theme.visible(str(frame["token"][i])) for i in rows],
            "bits": [base.number(float(bits[i])) for i in rows], "each": [base.number(float(each[i])) for i in rows],
        })  # fmt: skip

    tooltip = [{"field": "reader", "type": "nominal"}, {"field": "piece", "type": "nominal"}, {"field": "bits", "type": "nominal"},
               {"field": "each", "type": "nominal", "title": "bits per character"}]  # fmt: skip
    layers: list[dict[str, Any]] = [
        {"data": table(known), "mark": {"type": "rect", "cornerRadius": 3}, "encoding": {**place, "color": colour, "tooltip": tooltip}},
        {"data": table(bare), "mark": {"type": "rect", "cornerRadius": 3, "fill": None, "stroke": ink.rule, "strokeDash": [3, 2]},
         "encoding": {**place, "tooltip": tooltip}},
        {"data": base.rows({k: [w[j] for w in words] for j, k in ((0, "x"), (1, "y"), (2, "t"), (4, "ink"))}),
         "mark": {"type": "text", "font": theme.MONO, "fontSize": 12, "baseline": "middle", "tooltip": None},
         "encoding": {"x": {**x, "field": "x"}, "y": {**y, "field": "y"}, "text": {"field": "t", "type": "nominal"},
                      "color": {"field": "ink", "type": "nominal", "scale": None}}},
    ]  # fmt: skip
    signs = [(c[1] - 5, c[2] + 6, base.number(c[4])) for c in bare if c[1] - c[0] >= 2 * LETTER - 1]
    if signs:
        layers.append({"data": base.rows({k: [s[j] for s in signs] for j, k in enumerate(("x", "y", "t"))}),
                       "mark": {"type": "text", "fontSize": 9, "color": ink.quiet, "tooltip": None},
                       "encoding": {"x": {**x, "field": "x"}, "y": {**y, "field": "y"}, "text": {"field": "t", "type": "nominal"}}})  # fmt: skip
    return layers


def _table(table: Table) -> pd.DataFrame:
    return table.frame()[list(COLUMNS)]


def _field(field: Field) -> pd.DataFrame:
    """Bits over tokens whose labels, put together, are the text."""
    (axis,) = field.axes
    sizes = np.array([len(label) for label in axis.labels], int)
    stop = sizes.cumsum()
    bits = field.values.astype(float)
    return pd.DataFrame({"reader": field.spec.symbol or field.spec.name, "token": np.array(axis.labels, object), "start": stop - sizes,
                         "stop": stop, "bits": bits, "bits_per_character": bits / np.maximum(sizes, 1)})  # fmt: skip


def _fold(frame: pd.DataFrame) -> tuple[list[int], np.ndarray]:
    """(characters at which lines begin, and the end; column (n + 1,) at which each character begins).

    Wide characters take two columns.  A line ends where pieces of all readers end, if there is such a place in reach.
    """
    length = int(frame["stop"].max()) if len(frame) else 0
    widths, open_at = np.ones(length, int), set(range(length + 1))
    for token, start, stop in zip(frame["token"], frame["start"], frame["stop"], strict=True):
        open_at -= set(range(int(start) + 1, int(stop)))
        if len(str(token)) == int(stop) - int(start):
            widths[int(start) : int(stop)] = [2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in str(token)]
    column = np.concatenate([[0], widths.cumsum()])
    lines = [0]
    while lines[-1] < length:
        far = int(np.searchsorted(column, column[lines[-1]] + LINE, side="right")) - 1
        if far >= length:
            lines.append(length)
            break
        lines.append(next((c for c in range(far, lines[-1] + LINE // 3, -1) if c in open_at), max(far, lines[-1] + 1)))
    return lines, column


VIEW = View("Surprisal ribbon", "Where is each reader surprised?",
            (Need(columns=COLUMNS, many=True), Need(("token",), frozenset({Kind.LOSS}), many=True)), draw, canvas="ribbon")  # fmt: skip
