"""One word after the other or all at once: the two schedules, and the time that two shipped models
really take."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import streamlit as st

from engine.analysis import scale
from engine.core.cell_card import listed
from engine.live import cache
from engine.models.base import Model
from engine.runs.store import Run
from engine.views.base import number
from pages.ui import place, plate

MOST_WORDS = 40
LENGTHS = (16, 32, 64, 128, 256)

MODELS = {"Reads one after the other": listed(), "Reads all at once": ("transformer",)}


def show(example: str) -> None:
    row = st.container(horizontal=True, vertical_alignment="bottom", gap="medium")
    text = row.text_input("A sentence", example, key="sentence", max_chars=300)
    words = text.split()[:MOST_WORDS]
    if not words:
        st.info("Type a few words to see them read.")
        return
    layers = row.slider("Layers", 1, 12, 2, key="layers", bind="query-params", width=200)
    workers = row.slider(
        "Processors in parallel", layers, 64, max(layers, 16), key=f"workers{layers}", width=200
    )
    recurrent, attention = scale.steps(len(words), layers, workers)
    ticks = range(max(recurrent, attention) + 1)
    done_K2N = np.stack([scale.ready(len(words), tick, layers, workers) for tick in ticks])
    count_K2 = done_K2N.sum(2)
    drawn = plate.lines(
        "ready",
        "Words that have passed all layers, tick by tick",
        [
            ("recurrent, one after the other", ticks, count_K2[:, 0]),
            ("attention, all at once", ticks, count_K2[:, 1]),
        ],
        "schedule",
        f"{len(words)} words, {layers} layers, {workers} processors; a tick is one layer's work on"
        " one word",
        x="ticks",
        y="words done",
        of_series="",
        whole=True,
        text=text,
        model="schedule",
    )
    plate.show(drawn)
    with place.panel("ticks"):
        st.markdown(
            f"A recurrent net needs the state of the word before: **{recurrent} ticks** for"
            f" {len(words)} words in {layers} layers, however many processors there are, and it keeps"
            f" {layers} of them busy. Attention has no such wait inside a layer: **{attention} ticks**"
            f" with {workers} processors. The same holds in training, where the whole text is known."
            " When a model *writes*, both go word by word, as each new word has to be chosen first."
        )
    calculator()
    measured()


def calculator() -> None:
    left, right = st.columns(2)
    n = left.slider(
        "Words in the text", 10, 5000, 1000, step=10, key="words_read", bind="query-params"
    )
    ms = right.slider("Milliseconds for one word", 1, 50, 10, key="ms", bind="query-params")
    st.markdown(
        f"{n:,} words at {ms} ms each, one after the other: **{n * ms / 1000:g} s** at least for"
        " one pass through one layer. A batch of other texts can run beside it, so a graphics"
        " card is not idle: with 32 texts a recurrent net works on 32 words at once, attention"
        " on 32 times as many as a text has words. The price of attention: every word is"
        " compared with every other, so the work grows with the square of the length (see"
        " *Transformer*)."
    )


def measured() -> None:
    runs = []
    for column, (label, models) in zip(st.columns(2), MODELS.items(), strict=True):
        found = {run.id: run for run in cache.runs_of(*models)}
        if found:
            id = column.selectbox(label, list(found), key=f"time_{models[0]}", bind="query-params")
            runs.append(found.get(id, next(iter(found.values()))))
    if st.button(
        "Measure the two models on this machine",
        help="Reads texts of 16 to 256 tokens, a few seconds",
        disabled=not runs,
    ):
        with st.spinner("Measuring …"):
            st.session_state["scale.times"] = times(runs)
    took: list[tuple[str, int, float]] | None = st.session_state.get("scale.times")
    if not took:
        return
    first: dict[str, float] = {}
    for title, _, ms in took:
        first.setdefault(title, ms)
    drawn = plate.lines(
        "times",
        f"Time to read a text, as a multiple of the time for {took[0][1]} tokens",
        [(title, [n], [ms / first[title]]) for title, n, ms in took],
        "times",
        "Best of five, one thread, on the machine that runs this page",
        x="tokens",
        y="times as long",
        of_series="",
        log_x=True,
        log_y=True,
        model=", ".join(dict.fromkeys(title for title, _, _ in took)),
    )
    plate.show(drawn)
    st.caption(
        f"For {took[0][1]} tokens: "
        + "; ".join(f"{title} {number(ms)} ms" for title, ms in first.items())
        + ". The two models differ in size and in tokens, so compare how their times grow."
        " Twice the length takes a recurrent net twice the time, because it reads step by step."
        " On one processor the Transformer cannot read everything at once either; its advantage"
        " needs many processors."
    )


def times(runs: list[Run]) -> list[tuple[str, int, float]]:
    """(model, tokens, milliseconds) of reading a text for its last answer."""
    found: list[tuple[str, int, float]] = []
    for run in runs:
        try:
            model: Model[Any] = cache.model(run)
        except ValueError:  # a damaged run
            continue
        tokens = model.tokens("and the sea was calm that day when they came home again. " * 60)
        for n in (n for n in LENGTHS if n <= (model.context or n)):
            best = min(_one(model, tokens[:n]) for _ in range(5))
            found.append((run.title, n, best))
    return found


def _one(model: Model[Any], tokens: Any) -> float:
    begun = time.perf_counter()
    model.trace("", tokens=tokens, fields=("probability",))
    return 1000 * (time.perf_counter() - begun)
