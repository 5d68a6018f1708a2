"""Where the sums of a trained LSTM stand on the curves of its gates."""

from __future__ import annotations

from typing import Any

import streamlit as st

from engine.analysis import saturation
from engine.analysis.saturation import FARTHEST, SQUASHED, Sums
from engine.live import cache
from engine.models.neural import apart
from engine.models.recurrent import RecurrentModel
from engine.runs.store import Run
from pages.ui import ask, kept, rows, texts
from pages.ui.board import Board

BOARD = Board("neuron/gates.js", "neuron/neuron.css")
TEXT, BEGINNING = "stories", 3_000
TITLES = {
    "gate.input": "Input gate, σ",
    "gate.forget": "Forget gate, σ",
    "candidate": "Candidate, tanh",
    "gate.output": "Output gate, σ",
    "cell": "Memory, tanh",
}
GATES = {"gate.input": "input gates", "gate.forget": "forget gates", "gate.output": "output gates"}


@kept.data(max_entries=8)
def _measured(run: Run) -> list[Sums]:
    model = apart(cache.model(run, RecurrentModel))
    return saturation.measured(model, texts.beginning(TEXT, BEGINNING)[:BEGINNING])


def show() -> None:
    known = {run.id: run for run in cache.runs_of("lstm")}
    if not known:
        st.info("No LSTM has been trained yet. Train one in the training room.")
        return
    titles = {id: run.title for id, run in known.items()}
    id = ask.pick("Trained LSTM", titles, "n_run", where=ask.line(), width=300)
    run = known[id]
    try:
        found = _measured(run)
    except ValueError as problem:  # a damaged run
        st.info(str(problem))
        return
    BOARD.show(data(found))
    for sentence in said(found):
        st.markdown(sentence)
    rows.show(
        [
            {
                "Layer": one.layer + 1,
                "What is squashed": TITLES[one.name],
                "flat on the left": one.low,
                "flat on the right": one.high,
                "flat": one.saturated,
                "mean sum": one.mean,
            }
            for one in found
        ],
        forms={
            "flat on the left": rows.SHARE,
            "flat on the right": rows.SHARE,
            "flat": rows.SHARE,
            "mean sum": "%.2f",
        },
    )
    st.caption(
        f"{BEGINNING:,} characters of the built-in stories, every unit at every token. A gate is a sigmoid of its sum,"
        " the candidate a tanh; the memory goes through a second tanh before the output gate."
    )


def data(found: list[Sums]) -> dict[str, Any]:
    layers: dict[int, list[dict[str, Any]]] = {}
    for one in found:
        row = {"name": TITLES[one.name], "squash": SQUASHED[one.name], "counts": one.counts}
        layers.setdefault(one.layer, []).append(row)
    return {
        "farthest": FARTHEST,
        "layers": [{"name": f"Layer {n + 1}", "rows": of} for n, of in layers.items()],
    }


def said(found: list[Sums]) -> list[str]:
    gates = [one for one in found if one.name.startswith("gate.")]
    most = max(gates, key=lambda one: one.saturated)
    candidates = [one.saturated for one in found if one.name == "candidate"]
    share = sum(candidates) / len(candidates)
    return [
        f"**{100 * share:.0f} %** of the candidates stand where their tanh is flat: they write about −1 or 1.",
        f"Of the gates, {GATES[most.name]} of layer {most.layer + 1} are flat most often,"
        f" {100 * most.saturated:.0f} % of them: most gates are neither shut nor open."
        if most.saturated < 0.5
        else f"Of the gates, {GATES[most.name]} of layer {most.layer + 1} are flat most often,"
        f" {100 * most.saturated:.0f} % of them.",
    ]
