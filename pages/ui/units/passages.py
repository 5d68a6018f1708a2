"""Passages of the text in the colour of a number: where a unit is strongest, and where units are on
together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import streamlit as st

from engine.analysis.units.contexts import Context, around, strongest
from engine.core.trace import Table, TableSpec
from pages.ui import plate
from pages.ui.choice import one_of
from pages.ui.plate import Plate
from pages.ui.units.source import Chosen
from pages.ui.units.unit import show

SIDES = {"highest": 1, "lowest": -1}
LISTED, BEFORE, AFTER = 8, 54, 32  # passages; characters around


def strongest_places(chosen: Chosen, row: int, low: bool, line: Any = st) -> None:
    """low   whether the unit is low where the hypothesis holds: then the lowest places are shown
    line  where the choice of the side stands
    """
    usual = "lowest" if low else "highest"
    before, now = st.session_state.get("side.of"), (chosen.key, row, low)
    if before not in (None, now):  # another unit or hypothesis shows its own side
        st.session_state["side"] = usual
    st.session_state["side.of"] = now
    side = one_of("Side", [*SIDES], "side", usual, where=line, link=True)
    of = chosen.tested.reading
    value_N = of.state_UN[row]
    found = strongest(SIDES[side] * value_N, of.piece_N, LISTED, *surroundings(chosen))
    if not found:
        st.info("This unit has no finite value to rank.")
        return
    says = f"The {len(found)} places where {chosen.name(row)} is {side}"
    made = table(chosen, says, found, value_N, [(c.peak, c.peak + 1) for c in found])
    top = float(np.quantile(np.abs(value_N[np.isfinite(value_N)]), 0.999)) or 1.0
    show(chosen, "places", "activations", made, {"most": top, "measure": chosen.field}, row, side)
    st.caption(
        "The place itself is underlined; no two passages overlap. The colour scale ends at the"
        " value that one place in a thousand exceeds."
    )


def found_places(
    chosen: Chosen, spans: Sequence[tuple[int, int]], together_N: np.ndarray, most: int, says: str
) -> None:
    """Spans of the text with their surroundings, in the colour of how many units are on."""
    of = chosen.tested.reading
    before, after = surroundings(chosen)
    found = [around(*span, of.piece_N, before // 2, after // 2) for span in spans]
    made = table(chosen, says, found, together_N, spans)
    drawn = Plate(
        "matches",
        "activations",
        (made,),
        chosen.run.id,
        chosen.says,
        options={"most": float(most), "measure": "chosen units that are on", "signed": False},
        model=chosen.run.model,
    )
    plate.show(drawn)


def surroundings(chosen: Chosen) -> tuple[int, int]:
    """Positions before and after a place, from characters."""
    of = chosen.tested.reading
    size = max(1.0, len(of.text) / max(1, len(of)))
    return round(BEFORE / size), round(AFTER / size)


def table(
    chosen: Chosen,
    says: str,
    found: Sequence[Context],
    value_N: np.ndarray,
    marks: Sequence[tuple[int, int]],
) -> Table:
    """One row per piece of every passage."""
    of = chosen.tested.reading
    at = [np.arange(c.start, c.stop) for c in found]
    every = np.concatenate(at)
    inside = [(a >= start) & (a < stop) for a, (start, stop) in zip(at, marks, strict=True)]
    columns: dict[str, np.ndarray] = {
        "text": np.array([str(n) for n, a in enumerate(at, 1) for _ in a], object),
        "word": np.array([of.labels[n] for n in every], object),
        "value": value_N[every].astype(float),
        "marked": np.concatenate(inside),
    }
    return Table(TableSpec("passages", tuple(columns), says), columns)
