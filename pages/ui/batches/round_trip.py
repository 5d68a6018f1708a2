"""One row of weights through a number format and back: which numbers there are, and what becomes of each weight."""

from __future__ import annotations

from functools import partial

import numpy as np
import streamlit as st

from engine.analysis import round_trip
from engine.analysis.round_trip import BLOCK, FORMATS, Trip
from engine.live import cache
from engine.models.neural import NeuralLanguageModel
from engine.runs.store import Run
from engine.storage import quantised
from engine.views.base import number
from pages.ui import ask, plate, rows
from pages.ui.choice import one_of
from pages.ui.show import formula


def show(run: Run) -> None:
    st.subheader("One row of weights, there and back", anchor="row")
    st.markdown(
        "A format has few numbers, and every weight becomes the nearest of them. **absmax** (int8, int4) spaces them"
        " evenly up to the largest weight of the row. **NF4** has its 16 where weights are: most of them lie near 0, as"
        " under a bell curve."
    )
    arrays = cache.model(run, NeuralLanguageModel).weights()
    tables = [n for n, x in arrays.items() if x.ndim == 2 and x.shape[1] >= quantised.NARROW]
    line = ask.line()
    name = ask.pick("Table of weights", tables, "l_table", where=line, width=240)
    table = arrays[name]
    at = ask.between(line.number_input, "Row", "l_row", 0, len(table) - 1, 0, width=120)
    kind = one_of("Format", [*FORMATS], "l_format", "NF4", where=line, link=True)
    row_N = np.asarray(table[at, :BLOCK], np.float32)
    if not np.isfinite(row_N).all():
        st.info(
            "This row holds a number that is infinite or none, which no format of few bits has."
        )
        return
    trips = {each: round_trip.trip(row_N, each) for each in FORMATS}
    found, of = trips[kind], f"{run.title}, {name}, row {at}, {len(row_N)} weights"
    low, high = float(row_N.min()), float(row_N.max())
    before = np.sort(np.append(np.linspace(low, high, 400), row_N)).astype(np.float32)
    shown = round_trip.stairs(found, kind)
    after = shown[np.abs(before[:, None] - shown).argmin(1)] if len(shown) else before
    place = np.arange(len(row_N))
    drawn = partial(
        plate.lines, source=run.id, of=of, tight=True, of_series="", model=run.model, fluid=True
    )
    plate.row(
        drawn(
            "trip-row",
            "The row before and after",
            [("weights", place, row_N), (kind, place, found.back_N)],
            x="place in the row",
            y="weight",
        ),
        drawn(
            "trip-stairs",
            "What each weight becomes",
            [("nothing lost", [low, high], [low, high]), (kind, before, after)],
            x="weight before",
            y="weight after",
        ),
    )
    worst = int(np.abs(found.back_N - row_N).argmax())
    formula(written(kind, float(row_N[worst]), found, worst))
    st.caption(
        "The weight of this row that is moved farthest. int8 and int4 are as runs are stored here: int4 lets the"
        " largest weights be cut where that leaves the others closer."
    )
    rows.show(
        [
            {
                "format": each,
                "bits of a weight, scale included": FORMATS[each]
                + 32 * bool(one.scale) / len(row_N),
                "different numbers used": len(np.unique(one.code_N)),
                "moved by, root mean square": float(np.sqrt(np.square(one.back_N - row_N).mean())),
                "moved by at most": float(np.abs(one.back_N - row_N).max()),
            }
            for each, one in trips.items()
        ],
        forms={
            "bits of a weight, scale included": "%.1f",
            "moved by, root mean square": "%.6f",
            "moved by at most": "%.6f",
        },
    )


def written(kind: str, w: float, found: Trip, at: int) -> str:
    """LaTeX: the way of one weight with its numbers put in."""
    back, code, s = number(float(found.back_N[at])), found.code_N[at], found.scale
    if kind == "float16":
        return rf"w = {w:.8f} \;\to\; {float(code):.8f}"
    if kind == "NF4":
        level = number(float(round_trip.levels()[code]))
        return (
            rf"\frac{{w}}{{\max|w|}} = \frac{{{number(w)}}}{{{number(s)}}} = {number(w / s)}"
            rf" \;\to\; \text{{level }} {code} = {level} \;\to\; {level} \cdot {number(s)} = {back}"
        )
    return (
        rf"q = \mathrm{{round}}\!\left(\frac{{w}}{{s}}\right) ="
        rf" \mathrm{{round}}\!\left(\frac{{{number(w)}}}{{{number(s)}}}\right) = {code}"
        rf" \;\to\; q\,s = {code} \cdot {number(s)} = {back}"
    )
