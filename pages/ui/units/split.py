"""The values of one unit where a hypothesis holds and where it does not, and along what the
hypothesis counts."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.analysis.units.features import HYPOTHESES
from pages.ui import plate
from pages.ui.units.source import Chosen
from pages.ui.units.unit import TITLES, drawn_of

BINS = 32


def curves(chosen: Chosen, row: int, about: int) -> None:
    """The values of the unit as two curves, where the hypothesis holds and where not; for a count
    also the mean over it."""
    value_N, holds_N = chosen.tested.reading.state_UN[row], chosen.tested.holds_FN[about]
    if not np.isfinite(value_N).all():
        return
    low, high = np.quantile(value_N, (0.001, 0.999))
    if low == high:
        low, high = value_N.min(), value_N.max()
    if low == high:
        low, high = low - 1, high + 1
    edges = np.linspace(low, high, BINS + 1)
    middle = (edges[1:] + edges[:-1]) / 2
    series = []
    for name, mine in (("it holds", holds_N), ("it does not", ~holds_N)):
        if mine.any():
            share = np.histogram(np.clip(value_N[mine], edges[0], edges[-1]), edges)[0] / mine.sum()
            series.append((f"{name} ({mine.sum():,} places)", middle, 100 * share))
    st.markdown(
        "Two hills far apart: the unit tells the two cases apart well. One hill on top of the"
        " other: it tells nothing."
    )
    split = plate.lines(
        "split",
        f"Values of the unit with and without “{TITLES[about]}”",
        series,
        x=f"{chosen.field} of {chosen.name(row)}",
        y="% of these places",
        of_series="where",
        **drawn_of(chosen, "split", row, about),
    )
    course = None
    if HYPOTHESES[about].counted:
        count_N = chosen.tested.number_FN[about]
        ends = np.unique(np.quantile(count_N, np.linspace(0, 1, BINS)[1:-1]))
        bin_N = np.searchsorted(ends, count_N)
        counts, values = (
            [numbers_N[bin_N == b].mean() for b in np.unique(bin_N)]
            for numbers_N in (count_N, value_N)
        )
        course = plate.lines(
            "course",
            f"The unit along “{TITLES[about]}”",
            [("mean", counts, values)],
            x=HYPOTHESES[about].says.rstrip("."),
            y=f"mean {chosen.field}",
            of_series="value",
            **drawn_of(chosen, "course", row, about),
        )
    if course:
        plate.row(split, course)
    else:
        plate.show(split)
