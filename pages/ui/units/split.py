"""The values of one unit where a hypothesis holds and where it does not, and along what the
hypothesis counts."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from engine.analysis.units.features import HYPOTHESES
from engine.core.trace import Table, TableSpec
from pages.ui.units.source import Chosen
from pages.ui.units.unit import TITLES, show

BINS = 32


def curves(chosen: Chosen, row: int, about: int) -> None:
    """The values of the unit as two curves, where the hypothesis holds and where not; for a count
    also the mean over it."""
    value_N, holds_N = chosen.tested.reading.state_UN[row], chosen.tested.holds_FN[about]
    if not np.isfinite(value_N).all():
        return
    ends = next(
        (
            e
            for e in (np.quantile(value_N, (0.001, 0.999)), (value_N.min(), value_N.max()))
            if e[0] < e[1]
        ),
        (value_N[0] - 1, value_N[0] + 1),
    )
    low, high = ends
    edges = np.linspace(low, high, BINS + 1)
    middle = (edges[1:] + edges[:-1]) / 2
    rows: dict[str, list[Any]] = {"series": [], "x": [], "value": []}
    for name, mine in (("it holds", holds_N), ("it does not", ~holds_N)):
        if mine.any():
            share = np.histogram(np.clip(value_N[mine], edges[0], edges[-1]), edges)[0] / mine.sum()
            _add(rows, f"{name} ({mine.sum():,} places)", middle, 100 * share)
    words = {
        "x": f"{chosen.field} of {chosen.name(row)}",
        "y": "% of these places",
        "of_series": "where",
    }
    st.markdown(
        "Two hills far apart: the unit tells the two cases apart well. One hill on top of the"
        " other: it tells nothing."
    )
    left, right = st.columns(2, gap="medium")
    with left:
        show(
            chosen,
            "split",
            "curve",
            _table("split", f"Values of the unit with and without “{TITLES[about]}”", rows),
            words,
            row,
            about,
        )
    if HYPOTHESES[about].counted:
        count_N = chosen.tested.number_FN[about]
        bin_N = np.searchsorted(
            np.unique(np.quantile(count_N, np.linspace(0, 1, BINS)[1:-1])), count_N
        )
        bins = np.unique(bin_N)
        rows = {"series": [], "x": [], "value": []}
        _add(
            rows,
            "mean",
            np.array([count_N[bin_N == b].mean() for b in bins]),
            np.array([value_N[bin_N == b].mean() for b in bins]),
        )
        with right:
            words = {
                "x": HYPOTHESES[about].says.rstrip("."),
                "y": f"mean {chosen.field}",
                "of_series": "value",
            }
            show(
                chosen,
                "course",
                "curve",
                _table("course", f"The unit along “{TITLES[about]}”", rows),
                words,
                row,
                about,
            )


def _add(rows: dict[str, list[Any]], name: str, x: np.ndarray, value: np.ndarray) -> None:
    rows["series"] += [name] * len(x)
    rows["x"] += x.tolist()
    rows["value"] += value.tolist()


def _table(name: str, says: str, rows: dict[str, list[Any]]) -> Table:
    made = {n: np.array(v, object if n == "series" else float) for n, v in rows.items()}
    return Table(TableSpec(name, tuple(made), says), made)
