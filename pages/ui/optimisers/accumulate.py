"""Accumulation: one batch at once and in parts, with the same gradient."""

from __future__ import annotations

import streamlit as st

from engine.analysis.optimising import accumulate, noise_scale
from engine.analysis.optimising.accumulate import Parts
from engine.live import cache
from engine.models.neural import NeuralLanguageModel
from engine.runs.store import Run
from engine.text import collection
from engine.views.base import number
from pages.ui import ask, kept, rows, train
from pages.ui.optimisers import noise

BATCH = 24


@kept.data(max_entries=32)
def _compared(run: Run, parts: int) -> Parts:
    model = cache.model(run, NeuralLanguageModel)
    text = collection.find(noise.TEXT).text()[: noise.LETTERS]
    ids = noise_scale.windows(model, text, BATCH, noise_scale.SPAN, 0)
    return accumulate.compared(model, ids, parts)


def show() -> None:
    run = noise.runs().get(noise.RUN)
    if run is None:
        st.info("The shipped runs are not there.")
        return
    st.markdown(
        "A batch that does not fit into memory is read in parts, one after the other. Their gradients"
        " are added up, and only then one step is taken. The loss of each part is divided by what the"
        " **whole** batch has, so that the sum is the gradient of the batch."
    )
    row = ask.line()
    parts = ask.slider(f"Parts of a batch of {BATCH}", "parts", 1, BATCH, 5, 1, row, width=300)
    found = _compared(run, parts)
    st.markdown(
        f"The gradient in {len(found.sizes)} parts differs from that of the batch by at most"
        f" **{number(found.away)}** in any of its numbers: rounding. Its length is"
        f" {number(found.length)}. Without dividing, the sum is {number(found.undivided)} long,"
        f" {number(found.undivided / found.length)} times as much: so many times the learning rate."
    )
    st.latex(
        r"\text{loss} = "
        + " + ".join(
            rf"\tfrac{{{size}}}{{{BATCH}}} \cdot {number(loss)}"
            for size, loss in list(zip(found.sizes, found.losses, strict=True))[:6]
        )
        + (r" + \dots" if len(found.sizes) > 6 else "")
        + rf" = {number(found.loss)}"
    )
    rows.show(
        [
            {"part": n, "windows": size, "loss": loss, "length of its gradient": length}
            for n, (size, loss, length) in enumerate(
                zip(found.sizes, found.losses, found.lengths, strict=True), 1
            )
        ],
        forms={"loss": "%.6f", "length of its gradient": "%.6f"},
        tallest=300,
    )
    left, right = st.columns(2)
    batches = ask.between(left.number_input, "Batches in an epoch", "batches", 1, 10_000, 10)
    together = ask.between(right.number_input, "Batches for one step", "together", 1, 512, 4)
    full, all_of_them = (
        accumulate.updates(int(batches), int(together), last) for last in (False, True)
    )
    over = int(batches) % int(together)
    st.markdown(
        f"{full:,} full groups take {full:,} steps; {over:,} batches are left over. Thrown away, they"
        f" teach nothing; taken as a group of their own, which is divided by {over or together:,}, there"
        f" are {all_of_them:,} steps."
    )
    train.link({"batch": BATCH, "accumulate": parts}, text=noise.TEXT)
