"""One unit: which one, and how every hypothesis fares with it."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine.analysis.units import probe
from engine.analysis.units.features import HYPOTHESES
from engine.core.trace import Table
from engine.views.base import number
from pages.ui import address, plate, rows
from pages.ui.plate import Plate
from pages.ui.units.source import Chosen

STRONGEST = "the strongest"
RATE = 0.05
TITLES = [h.title for h in HYPOTHESES]


def choose(chosen: Chosen, row: DeltaGenerator) -> tuple[int, int]:
    """(row of the unit, hypothesis) to look at; both stand in the address."""
    of, look = chosen.tested.reading, chosen.run.note.get("look", {})
    address.follow("layer", "unit")
    firsts = {}
    for name, size in (("layer", of.layers), ("unit", of.units)):
        firsts[name] = min(int(look.get(name, 0)), size - 1)
        address.recall(name, firsts[name], (0, size - 1))
        if not 0 <= int(st.session_state[name] or 0) < size:  # another model may have fewer
            st.session_state[name] = size - 1
    layer = (
        row.segmented_control(
            "Layer", range(of.layers), format_func=lambda n: str(n + 1), key="layer", required=True
        )
        or 0
    )
    unit = row.number_input("Unit", 0, of.units - 1, step=1, key="unit", width=100)
    row.selectbox("Hypothesis", [STRONGEST, *TITLES], key="about", bind="query-params", width=200)
    row.button(
        "Pick the best unit",
        on_click=pick,
        args=(chosen,),
        help="Chooses the unit that separates this hypothesis best; with “the strongest”, the"
        " best pair of all.",
    )
    numbers = {"layer": int(layer), "unit": int(unit)}
    address.write_all({name: (str(at), str(firsts[name])) for name, at in numbers.items()})
    address.leave("layer", "unit")
    if st.session_state.pop("nothing_found", False):
        st.info(
            "No unit detects this better than chance in this text. Choose another hypothesis,"
            " or a longer text."
        )
    at = layer * of.units + int(unit)
    return at, hypothesis(chosen, at)


def pick(chosen: Chosen) -> None:
    """The unit furthest from chance for the hypothesis looked at, among those that were found."""
    about = st.session_state.get("about", STRONGEST)
    found = chosen.tested.probe.best(TITLES.index(about) if about in TITLES else None, RATE)
    st.session_state["nothing_found"] = found is None
    if found:
        st.session_state["layer"], st.session_state["unit"] = chosen.tested.reading.place(found[0])


def hypothesis(chosen: Chosen, row: int) -> int:
    """The one asked for, else the one furthest from chance."""
    about = st.session_state.get("about", STRONGEST)
    if about in TITLES:
        return TITLES.index(about)
    far_F = np.abs(chosen.tested.auc(row) - 0.5)
    return int(np.nanargmax(far_F)) if np.isfinite(far_F).any() else 0


def per_cent(auc: float) -> str:
    """The share of pairs on the better side; close to all of them with one digit more, so that
    99.96 is not called 100."""
    share = max(auc, 1 - auc)
    return f"{100 * share:.1f} %" if share < 0.995 else f"{100 * share:.2f} %"


def ranking(chosen: Chosen, row: int) -> None:
    """Every hypothesis that could be tested, the furthest from chance first: as bars and in
    numbers."""
    tested = chosen.tested
    auc_F, p_F, q_F = tested.probe.auc[row], tested.probe.p[row], tested.probe.q[row]
    order = [
        int(f) for f in np.argsort(-np.abs(auc_F - 0.5), kind="stable") if np.isfinite(auc_F[f])
    ]
    if order:
        titles = [TITLES[f] for f in order]
        columns = {"word": titles, "value": auc_F[order], "p": p_F[order], "q": q_F[order]}
        made = Table.of("hypotheses", f"What {chosen.name(row)} detects", columns)
        show(chosen, "hypotheses", "auc", made, {"rate": RATE}, row)
        numbers = [
            {
                "hypothesis": TITLES[f],
                "AUC": number(auc_F[f]),
                "p": number(p_F[f]),
                "q": number(q_F[f]),
                "holds at": number(tested.holds_FN[f].mean(), True),
                "rule": HYPOTHESES[f].says,
            }
            for f in order
        ]
        rows.show(numbers, "numbers", tallest=400)
    left_out = [TITLES[f] for f in range(len(TITLES)) if f not in order]
    if not np.isfinite(tested.reading.state_UN[row]).all():
        st.info("Some values of this unit are not finite numbers, so it cannot be tested.")
    elif left_out:
        st.caption(
            f"Not tested, because this text has fewer than {probe.LEAST} places where the"
            f" hypothesis holds, or where it does not: {', '.join(left_out)}."
        )


def show(
    chosen: Chosen, id: str, view: str, made: Table, options: dict[str, Any], row: int, *more: Any
) -> None:
    """A picture of this unit; `more` is what else it depends on."""
    of = drawn_of(chosen, id, row, *more)
    plate.show(Plate(id, view, (made,), options=options, **of))


def drawn_of(chosen: Chosen, id: str, row: int, *more: Any) -> dict[str, Any]:
    """What the pictures of a unit say of it, as fields of `Plate`."""
    return {
        "source": chosen.run.id,
        "of": f"{chosen.says}; {chosen.name(row)}",
        "kept": f"{id} {chosen.key} {row} {more}",
        "model": chosen.run.model,
    }
