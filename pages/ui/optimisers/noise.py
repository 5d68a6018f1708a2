"""Batch size: how noisy the gradient of a batch is, and the noise scale of a real run."""

from __future__ import annotations

import math

import numpy as np
import streamlit as st

from engine.analysis.optimising import noise_scale
from engine.analysis.optimising.noise_scale import SPAN, WINDOWS, Noise
from engine.live import cache
from engine.models.neural import NeuralLanguageModel
from engine.runs.store import Run
from engine.text import collection
from engine.views.base import number
from pages.ui import ask, kept, plate, train

RUN, TEXT = "lstm_small", "stories"
LETTERS = 200_000  # of the text


def runs() -> dict[str, Run]:
    """Recurrent language models, the usual one first."""
    found = {run.id: run for run in cache.runs(None) if run.model in ("lstm", "gru", "rnn")}
    return dict(sorted(found.items(), key=lambda item: item[0] != RUN))


@kept.data(max_entries=32)
def _measured(run: Run, seed: int) -> Noise:
    model = cache.model(run, NeuralLanguageModel)
    return noise_scale.measure(model, collection.find(TEXT).text()[:LETTERS], seed=seed)


def show() -> None:
    known = runs()
    if RUN not in known:
        st.info("The shipped runs are not there.")
        return
    st.markdown(
        "A batch is a sample of the text, and its gradient an estimate: a larger one is less noisy, by"
        " the root of its size, and costs more. The **noise scale** is the batch at which noise and"
        " signal are equal: far below it, twice the batch lets you take a step about twice as long; far"
        " above it, hardly a longer one."
    )
    row = ask.line()
    id = ask.pick(
        "Run", {i: run.title for i, run in known.items()}, "noise_of", where=row, width=320
    )
    seed = ask.between(
        row.number_input, "Seed of the windows", "noise_seed", 0, 999_999, 0, width=160
    )
    steps = sorted(known[id].snapshots)
    with st.spinner(f"Computing {WINDOWS} gradients of {SPAN} tokens each"):
        noise = _measured(known[id], int(seed))
    st.markdown(said(noise))
    st.latex(
        rf"B_\text{{noise}} = \frac{{\operatorname{{tr}} \Sigma}}{{|G|^2}} ="
        rf" \frac{{{number(noise.spread)}}}{{{number(noise.signal)}}} = {number(noise.scale)}"
        r"\ \text{windows}"
    )
    sizes = noise.sizes()
    fine = np.geomspace(1, WINDOWS, 25)
    of = f"{known[id].title}, {WINDOWS} windows of {SPAN} tokens"
    plate.row(
        plate.lines(
            "noise",
            "Squared length by batch",
            [
                ("|G|² + tr Σ / B", fine, noise.signal + noise.spread / fine),
                ("|G|²", fine, np.full(len(fine), noise.signal)),
                ("measured", sizes, [noise.length(b) for b in sizes]),
            ],
            id,
            of,
            tight=True,
            x="windows in a batch",
            y="squared length",
            of_series="",
            log_x=True,
            log_y=True,
            model=known[id].model,
        ),
        plate.lines(
            "cosine",
            "Cosine with the rest",
            [("measured", sizes, [noise.cosine(b) for b in sizes])],
            id,
            of,
            tight=True,
            x="windows in a batch",
            y="cosine",
            of_series="",
            log_x=True,
            model=known[id].model,
        ),
    )
    if steps and st.toggle("At earlier steps of its training too", key="noise_steps"):
        _on_the_way(known[id], steps, int(seed), noise)
    tokens = noise.scale if math.isfinite(noise.scale) else WINDOWS
    batch = int(min(512, max(1, 2 ** round(math.log2(max(1.0, tokens))))))
    train.link({"batch": batch, "span": SPAN}, text=TEXT)
    st.caption(
        "“Small: 8 to 32, large: 64 to 256” is no general rule: the noise scale grows while a model"
        " learns, which is the reason to begin with small batches and to end with large ones."
    )


def said(noise: Noise) -> str:
    one, other = noise.apart()
    return (
        f"With one window the mean cosine is {number(noise.cosine(1))}, with {WINDOWS // 2} it is"
        f" {number(noise.cosine(WINDOWS // 2))}. The noise scale is **{number(noise.scale)}** windows, or"
        f" {noise.scale * SPAN:,.0f} tokens; of either half of the windows {number(one)} and"
        f" {number(other)}, which is how far chance moves it."
    )


def _on_the_way(run: Run, steps: list[int], seed: int, end: Noise) -> None:
    found = [(step, _measured(run.at(step), seed).scale) for step in steps]
    last = int(run.note.get("steps") or steps[-1])
    found += [(last, end.scale)] if last not in steps else []
    plate.show(
        plate.lines(
            "noise-steps",
            "Noise scale while the run learned",
            [("noise scale", [s for s, _ in found], [b for _, b in found])],
            run.id,
            run.title,
            tight=True,
            x="step",
            y="windows",
            of_series="",
            log_x=True,
            log_y=True,
            model=run.model,
        )
    )
