"""Queries, keys and values while they are learned: one small head, trained on the page, as a film."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.analysis.qkv import learning
from engine.analysis.qkv.learning import DIGITS, LETTERS, STARTS, STEPS, Course
from engine.core.trace import Field, Kind
from engine.live.markdown import sentence
from engine.runs.store import Run
from engine.views.base import number
from pages.ui import ask, plate

EXAMPLE, MOST = "a3 c1 f7 b2 h5", 60
SHORT = {"query": "W_Q", "key": "W_K", "value": "W_V", "out": "W_O"}


@st.cache_data(show_spinner="Learning …", max_entries=16)
def course(seed: int, start: str) -> Course:
    return learning.learned(seed, start)


def show(run: Run) -> None:
    st.markdown(
        "Nobody says what a query asks for or what a key offers. Here one head learns to look things"
        " up: it reads pairs of a letter and a digit, then a letter, and has to answer with the digit"
        " that stood beside it. The matrices begin with random numbers; the loss of each answer goes"
        " back through the softmax to all of them. Trained here, now; move through the steps."
    )
    line = ask.line()
    seed = ask.slider("Start", "learn_seed", 1, 9, 1, 1, line, width=180)
    start = ask.pick("At the start", STARTS, "learn_start", where=line, width=210)
    step = line.select_slider(
        "After step", STEPS, STEPS[-1], key="learn_step", bind="query-params", width=280
    )
    ask.begin(learn_pairs=EXAMPLE)
    typed = ask.text("Pairs to look up in", "learn_pairs", MOST, where=line, live="150ms")
    found = course(seed, start)
    n = STEPS.index(step)
    head, of = found.heads[n], f"start {seed}, {STARTS[start]}, after step {step}"
    letters, digits = [*LETTERS], [*DIGITS]
    plate.row(
        grid(
            "learn_match",
            "Score of each letter that asks with each that is offered (q · k / √d)",
            {"query": letters, "key": letters},
            head.matches(),
            of,
        ),
        grid(
            "learn_answer",
            "What a digit that is read adds to the logit of each answer",
            {"label": digits, "tag": digits},
            head.answers(),
            of,
        ),
    )
    try:
        at, having = learning.read(typed)
    except ValueError as problem:
        st.info(sentence(problem))
        return
    weight_NM, p_NC = head.read(at, having, at)
    pairs = [f"{LETTERS[a]}{b}" for a, b in zip(at, having, strict=True)]
    asks = [f"{LETTERS[a]}?" for a in at]
    right = int((p_NC.argmax(1) == np.array(having)).sum())
    plate.row(
        weights("learn_weights", "Where each letter looks", asks, pairs, weight_NM, of),
        curve(
            "learn_loss",
            "Loss on 1,000 held-out texts, in nats",
            [("loss", found.loss_S)],
            "nats",
            of,
        ),
    )
    plate.row(
        curve(
            "learn_role",
            "How its role emerges: mean weight on the pair of the letter that asks",
            [("weight", found.role_S), ("answers right", found.right_S)],
            "share",
            of,
        ),
        curve(
            "learn_gradient",
            "Length of the gradient of each matrix",
            [(SHORT[name], found.gradient_S4[:, i]) for i, name in enumerate(learning.NAMES)],
            "length",
            of,
        ),
    )
    st.markdown(
        f"After step {step} it answers **{100 * found.right_S[n]:.1f} %** of 1,000 held-out texts correctly, at"
        f" a loss of {number(found.loss_S[n])} nats; a guess among 8 digits costs {np.log(8):.3f}. Of your"
        f" {len(at)} pairs it finds {right}. On the pair of the letter that asks it puts"
        f" {100 * found.role_S[n]:.1f} % of its weight, where {100 / learning.PAIRS:.0f} % is chance: a role that"
        " nobody gave it."
    )
    st.markdown(SAYS[start])


SAYS = {
    "random": "Both pictures begin as noise, and a diagonal appears: a letter asks for itself."
    " Queries and keys need not become equal for that, only their product counts. Values become digits,"
    " for that is what pays.",
    "keys": "The gradient of W_Q has W_K as a factor: with keys of 0 it is exactly 0 at step 0, and queries"
    " do not move. But W_K has a gradient, moves, and then both learn.",
    "both": "With queries **and** keys of 0 each has the other as a factor of its gradient: both stay 0 for"
    " ever, all weights stay equal, and the head learns values only. That is why they start at"
    " random.",
}


def grid(
    id: str, says: str, axes: dict[str, list[str]], values: np.ndarray, of: str
) -> plate.Plate:
    far = max(1.0, float(np.abs(values).max()))
    field = Field.of(id, Kind.SCORE, axes, values.astype(np.float32), says, domain=(-far, far))
    return plate.Plate(
        id, "heatmap", (field,), "lookup", of, options={"reading": False}, fluid=True
    )


def weights(
    id: str, says: str, asks: list[str], pairs: list[str], weight_NM: np.ndarray, of: str
) -> plate.Plate:
    field = Field.of(id, Kind.ATTENTION, {"query": asks, "key": pairs}, weight_NM, says)
    return plate.Plate(id, "heatmap", (field,), "lookup", of, fluid=True)


def curve(id: str, says: str, series: list[tuple[str, np.ndarray]], y: str, of: str) -> plate.Plate:
    return plate.lines(
        id,
        says,
        [(name, STEPS, values) for name, values in series],
        "lookup",
        of,
        x="step",
        y=y,
        of_series="",
        tight=True,
        fluid=True,
    )
