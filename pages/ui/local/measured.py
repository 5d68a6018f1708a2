"""How well each translator does that differs in which source words it may look at, as measured when
it was trained, and what its steps cost."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from engine.models.seq2seq import GLOBAL, HARD, LOCAL_M, LOCAL_P
from engine.runs.store import Run
from engine.stages.local import panels
from pages.ui import rows

SOURCE, TARGET = 50, 50  # words that the costs are counted for
LEARNS = {
    GLOBAL: "nothing more",
    LOCAL_M: "nothing more",
    LOCAL_P: "the place, through the bell",
    HARD: "by the sum over all choices",
}


def show(found: Mapping[str, Run]) -> None:
    table = [
        {
            "kind of attention": panels.CALLED[scope],
            "looks at": looks(scope, run),
            "what it learns": learns(scope, run),
            "scores, 50 by 50 words": f"{scores(scope, run):,}",
            "steps": f"{run.note['steps']:,}",
            "sentences right": f"{100 * run.note['held_out']['exact']:.1f} %",
            "nats per word": f"{run.note['held_out']['nats']:.4f}",
        }
        for scope, run in found.items()
        if {"exact", "nats"} <= set(run.note.get("held_out", {}))
    ]
    if not table:
        return
    st.subheader("How well each translates", anchor="measured")
    rows.show(table)
    st.caption(
        "Sentences of the same grammar that were held out from training; right is a sentence whose"
        " every word is the likeliest. The shipped ones go on from the global one, each trained"
        " once: small differences may change with another seed. In this grammar English and French"
        " have nearly the same order, which suits a window at its own place."
    )


def half(run: Run) -> int:
    return int(run.note["config"].get("window", 2))


def looks(scope: str, run: Run) -> str:
    if scope == GLOBAL:
        return "all words"
    return "one word" if scope == HARD else f"{half(run)} words to each side"


def learns(scope: str, run: Run) -> str:
    estimator = run.note["config"].get("estimator")
    if scope != HARD or estimator == "marginal":
        return LEARNS[scope]
    return "by REINFORCE" if estimator == "reinforce" else "by straight-through"


def scores(scope: str, run: Run) -> int:
    """Of all steps together; a window that is cut off at an end has fewer."""
    if scope in (GLOBAL, HARD):
        return SOURCE * TARGET
    if scope == LOCAL_P:
        return (2 * half(run) + 1) * TARGET
    at = range(1, TARGET + 1)
    return sum(min(SOURCE, t + half(run)) - max(1, t - half(run)) + 1 for t in at)
