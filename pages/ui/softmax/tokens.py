"""The softmax of a trained model over its whole vocabulary: temperature, and what a threshold
discards."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.analysis import softmax_loss
from engine.analysis.decode.temperature import temperature
from engine.live import cache
from engine.runs.store import Run
from engine.views import theme
from engine.views.base import number
from pages.ui import ask, kept, plate, rows

MOST, FEW = 200, 8
MODELS = ("transformer", "lstm", "ngram")
EXAMPLE = "The students opened their"


@kept.data(max_entries=64)
def _next(run: Run, text: str) -> tuple[np.ndarray, list[str]]:
    """Probabilities (V,) of what follows the text, and the names of V."""
    trace = cache.model(run).trace(text, fields=("probability",))
    field = trace.field("probability")
    p_V = np.asarray(field.values[-1], np.float64)
    return p_V, list(field.axes[-1].labels)


def show() -> None:
    known = {run.id: run for run in cache.runs_of(*MODELS)}
    if not known:
        st.info("No model has been trained yet. Train one in the training room.")
        return
    row = ask.line()
    ask.begin(s_text=EXAMPLE)
    text = ask.text("Type a sentence", "s_text", MOST, where=row, live="150ms")
    run = known[ask.pick("Model", {id: r.title for id, r in known.items()}, "s_run", where=row)]
    heat = ask.slider("Temperature", "s_heat", 0.1, 3.0, 0.5, 0.1, row, width=200)
    try:
        p_V, names = _next(run, text)
        changed_V = temperature(p_V, heat)
    except ValueError as problem:
        st.info(str(problem))
        return
    order = np.argsort(-p_V, kind="stable")[:FEW]
    rows.show(
        [
            {
                "token": theme.visible(names[k]),
                "ln p": float(np.log(p_V[k])) if p_V[k] else -np.inf,
                "T = 1": float(p_V[k]),
                "at this temperature": float(changed_V[k]),
            }
            for k in order
        ],
        forms={
            "ln p": "%.3f",
            "T = 1": rows.bar("T = 1"),
            "at this temperature": rows.bar("at this temperature"),
        },
    )
    st.markdown(
        f"At T = 1 the model is as unsure as among **{number(softmax_loss.choices(p_V))}** equally likely tokens, at"
        f" T = {heat:g} as among **{number(softmax_loss.choices(changed_V))}**. The logarithms of the probabilities"
        " serve as logits: a constant added to all of them changes nothing."
    )
    power = ask.slider("Weights below, power of ten", "s_least", -8.0, 0.0, -2.0, 0.5)
    many, mass = softmax_loss.below(p_V, 10.0**power)
    zero = int((p_V == 0).sum())
    st.markdown(
        f"**{many:,} of {len(p_V):,}** tokens have less than {number(10.0**power)}; together they have"
        f" **{number(mass, share=True)}**. Whoever says that only high scores are preserved throws that away."
    )
    st.markdown("None of them has exactly 0." if not zero else f"{zero:,} of them have exactly 0.")
    falling = np.sort(p_V)[::-1]
    places = np.unique(np.geomspace(1, len(p_V), 120).astype(int))
    plate.show(
        plate.lines(
            "kept",
            "What the likeliest tokens have together",
            [
                ("T = 1", places, np.cumsum(falling)[places - 1]),
                (
                    f"T = {heat:g}",
                    places,
                    np.cumsum(np.sort(changed_V)[::-1])[places - 1],
                ),
            ],
            run.id,
            f"{run.title}, {len(p_V):,} tokens",
            tight=True,
            x="how many of the likeliest",
            y="share",
            of_series="",
            log_x=True,
            low=0,
            high=1.05,
            model=run.model,
            text=text,
        )
    )
