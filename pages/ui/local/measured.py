"""How well each translator does that differs in which source words it may look at, as measured when
it was trained, and what its steps cost."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from engine.lessons.local.panels import CALLED
from engine.models.seq2seq import GLOBAL, HARD, LOCAL_M, LOCAL_P
from engine.runs.store import Run
from pages.ui import ask, plate, rows
from pages.ui.fragment import fragment

LENGTHS = (5, 10, 20, 50, 100, 200)
LEARNS = {
    GLOBAL: "nothing more",
    LOCAL_M: "nothing more",
    LOCAL_P: "the place, through the bell",
    HARD: "by the sum over all choices",
}


def show(found: Mapping[str, Run]) -> None:
    table = [
        {
            "kind of attention": CALLED[scope],
            "looks at": looks(scope, run),
            "what it learns": learns(scope, run),
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
    cost(found)


@fragment
def cost(found: Mapping[str, Run]) -> None:
    st.subheader("What it costs", anchor="cost")
    st.markdown(
        "A decoder that looks at all words computes a score for each pair of a source word and a step:"
        " n · m of them, n² only where both texts are equally long. A window of D words to each side needs"
        " at most (2D + 1) · m, whatever n is."
    )
    line = ask.line()
    source = ask.slider("Source words n", "cost_n", 1, 200, 50, 1, line, width=240)
    steps = ask.slider("Steps m", "cost_m", 1, 200, 50, 1, line, width=240)
    half = ask.slider("Words to each side D", "cost_d", 1, 10, 2, 1, line, width=240)
    counts = {
        scope: scores(scope, source, steps, half) for scope in (GLOBAL, LOCAL_M, LOCAL_P, HARD)
    }
    plate.show(
        plate.lines(
            "cost",
            f"Scores, by the length of the source, for {steps} steps",
            [
                (CALLED[scope], LENGTHS, [scores(scope, n, steps, half) for n in LENGTHS])
                for scope in (GLOBAL, LOCAL_M, LOCAL_P)
            ],
            "cost",
            "By formula; hard attention as global",
            x="source words n",
            y="scores",
            low=0,
            fluid=True,
        )
    )
    rows.show(
        [
            {
                "kind of attention": CALLED[scope],
                "number of scores": f"{count:,}",
                "kept for training, 4 bytes each": f"{4 * count:,} bytes",
                "of all pairs": f"{100 * count / (source * steps):.1f} %",
            }
            for scope, count in counts.items()
        ],
        "cost",
    )
    st.caption(
        "Time grows as the number of scores does. Within a step they are computed at once, but a recurrent"
        " decoder still waits: each step needs the state of the one before, so that its m steps follow one"
        " another, with attention and without."
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


def scores(scope: str, source: int, steps: int, half: int) -> int:
    """Of all steps together; a window that is cut off at an end, or beyond it, has fewer."""
    if scope in (GLOBAL, HARD):
        return source * steps
    if scope == LOCAL_P:
        return min(source, 2 * half + 1) * steps
    at = range(1, steps + 1)
    return sum(max(0, min(source, t + half) - max(1, t - half) + 1) for t in at)
