"""A unit of a trained network on a typed text, as one unit whose bias the text moves: its way over the bifurcation
diagram."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine.analysis import one_unit
from engine.core.registry import cells
from engine.live import cache
from engine.models.recurrent import RecurrentModel
from engine.runs.store import Run
from engine.views import theme
from engine.views.base import number
from pages.ui import ask, place, plate

EXAMPLE = "The keys to the old cabinet were"
MOST, NAMED = 120, 8  # characters; tokens that the diagram names


def runs() -> dict[str, Run]:
    """Of plain recurrent nets, whose states go through tanh."""
    found = cache.runs_of(*(id for id in cells.ids() if id == "rnn"))
    return {run.id: run for run in found if run.note["config"].get("activation", "tanh") == "tanh"}


def show() -> None:
    known = runs()
    with place.panel("typed"):
        st.subheader("A unit of a trained network, moved by your text", anchor=False)
        st.markdown(
            "To a single unit, all that the text and the other units send is a **bias that changes at each step**."
            " What the unit does to itself is its weight w. Where w is above 4 there may be two stable states, and the"
            " text can switch the unit from one to the other."
        )
        if not known:
            st.info(
                "No plain recurrent network with tanh has been trained yet. Train one in the training room."
            )
            return
        ask.begin(dynamics_text=EXAMPLE)
        row = ask.line()
        text = ask.text("Type a sentence", "dynamics_text", MOST, where=row, live="150ms")
        titles = {id: run.title for id, run in known.items()}
        run = known[ask.pick("Model", titles, "dynamics_run", where=row)]
        try:
            model = cache.model(run, RecurrentModel)
        except ValueError as problem:
            st.info(str(problem))
            return
        _show(run, model, text, row)


def _show(run: Run, model: RecurrentModel[Any], text: str, row: DeltaGenerator) -> None:
    net: Any = model.net
    own_U = net.layers[0].matrices()[1].detach().diagonal().cpu().numpy()
    units = np.argsort(-own_U)[:MOST].tolist()
    called = {unit: f"unit {unit}, w = {4 * own_U[unit]:.2f}" for unit in units}
    unit = ask.pick("Unit of layer 1", called, "dynamics_unit", where=row)
    trace = model.trace(text, fields=("hidden", "preactivation"))
    state_T, sum_T = (trace.field(n).values[0, :, unit] for n in ("hidden", "preactivation"))
    if not np.isfinite(sum_T).all():
        at = int(np.flatnonzero(~np.isfinite(sum_T))[0])
        st.info(f"The state is no finite number from token {at} on: this network has diverged.")
        return
    w, b_T, g_T = one_unit.of_unit(float(own_U[unit]), sum_T, state_T)
    labels = [theme.visible(label) for label in trace.tokens]
    last = range(max(0, len(labels) - NAMED), len(labels))
    low, high = min(b_T.min(), -w / 2 - 2) - 0.5, max(b_T.max(), -w / 2 + 2) + 0.5
    curves = [
        (name, b_N[inside], h_N[inside])
        for name, (b_N, h_N) in one_unit.branches(w).items()
        if (inside := (b_N >= low) & (b_N <= high)).any()
    ]
    marks = [(f"{t} {labels[t]}", [b_T[t]], [g_T[t]]) for t in last]
    of = f"{run.title}, layer 1, unit {unit}: w {w:.3g}"
    plate.row(
        plate.lines(
            "typed",
            "Where the text takes the unit",
            [*curves, *marks],
            run.id,
            f"{of}; the last {len(last)} tokens; lines: fixed points at each bias",
            tight=True,
            x="bias b that the text makes",
            y="state, 0 to 1",
            of_series="",
            model=run.model,
            text=text,
        ),
        plate.lines(
            "typed_states",
            "The unit, token by token",
            [
                ("state", range(len(g_T)), g_T),
                ("fixed point it is drawn to", range(len(g_T)), _drawn(w, b_T, g_T)),
            ],
            run.id,
            of,
            tight=True,
            whole=True,
            x="token",
            y="0 to 1",
            of_series="",
            model=run.model,
            text=text,
        ),
    )
    two = sum(len(one_unit.fixed_points(w, float(b))) > 1 for b in b_T)
    st.caption(
        f"At {two} of {len(b_T)} tokens the unit has more than one fixed point. One step multiplies a small change of"
        f" it by {number(float(w * g_T[-1] * (1 - g_T[-1])))} at the last token."
    )


def _drawn(w: float, b_T: np.ndarray, g_T: np.ndarray) -> list[float]:
    """At each step the stable fixed point on whose side the state before stands."""
    found = []
    for b, before in zip(b_T, [0.5, *g_T[:-1]], strict=True):
        end = before
        for _ in range(400):
            end = float(one_unit.squash(w * end + b))
        found.append(end)
    return found
