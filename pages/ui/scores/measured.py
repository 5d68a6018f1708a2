"""How well each translator does that differs in its score and its order, as measured when it was
trained."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from engine.core.registry import scores
from engine.models.seq2seq import AFTER, BEFORE
from engine.runs.store import Run
from engine.stages.scores import panels
from pages.ui import rows

WHEN = {AFTER: "after the cell", BEFORE: "before the cell"}


def show(runs: Sequence[Run]) -> None:
    table = [
        {
            "score": scores.get(kind).called,
            "formula": scores.get(kind).formula,
            "looks": WHEN[looks],
            "sentences right": f"{100 * run.note['held_out']['exact']:.1f} %",
            "nats per word": f"{run.note['held_out']['nats']:.4f}",
            "numbers that the score learns": sum(
                p.numel() for p in scores.get(kind)(int(run.note["config"]["units"])).parameters()
            ),
        }
        for looks in WHEN
        for kind, run in panels.chosen(runs, looks).items()
        if {"exact", "nats"} <= set(run.note.get("held_out", {}))
    ]
    if not table:
        return
    st.subheader("How well each translates", anchor="measured")
    rows.show(table, forms={"numbers that the score learns": rows.WHOLE})
    st.caption(
        "Sentences of the same grammar that were held out from training; right is a sentence whose"
        " every word is the likeliest. Each was trained once: small differences may change with"
        " another seed."
    )
