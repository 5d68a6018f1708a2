"""Dropout in a Transformer: masks at four places, one after the other, on the typed sentence."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.analysis.batching import places
from engine.analysis.batching.places import PLACES, Read
from engine.core.trace import Field, Kind
from engine.live import cache
from engine.live.markdown import escape
from engine.models.abilities import Attends
from engine.runs.store import Run
from engine.views import theme
from engine.views.base import number
from pages.ui import ask, kept, plate, rows, train
from pages.ui.address import begin
from pages.ui.plate import Plate

RUN, EXAMPLE = "transformer", "The girl looked at the old man and shook"
MASKS, MOST = 30, 24  # masks drawn; tokens


@kept.data(max_entries=32)
def _read(run: Run, text: str, where: tuple[str, ...], p: float) -> list[Read]:
    """Without a mask, and with each."""
    model = cache.model(run, Attends)
    tokens = model.tokens(text)[:MOST]
    return [places.read(model, tokens, (), 0.0)] + [
        places.read(model, tokens, where, p, seed) for seed in range(MASKS)
    ]


def show() -> None:
    known = {run.id: run for run in cache.runs(None) if run.model == "transformer"}
    if not known:
        st.info("The shipped runs are not there.")
        return
    st.markdown(
        "In training each step draws a new mask: numbers are silenced at random, and what is left is divided by"
        " 1 − p, so that the mean stays. In a Transformer that is done at four places. Move the mask along to see"
        " one step after the other."
    )
    row = ask.line()
    begin(d_text=EXAMPLE)
    text = ask.text("A sentence", "d_text", 200, where=row, live="150ms")
    id = ask.pick(
        "Run", {i: r.title for i, r in known.items()}, "d_run", RUN if RUN in known else None, row
    )
    model = cache.model(known[id], Attends)
    design = model.tower.design
    row = ask.line()
    p = ask.slider("Share that is dropped", "d_share", 0.0, 0.8, 0.1, 0.05, row, width=200)
    mask = ask.slider("Mask", "d_mask", 1, MASKS, 1, 1, row, width=240)
    layer = ask.among("Layer", range(1, design.layers + 1), "d_layer", 1, where=row)
    head = ask.among("Head", range(1, design.heads + 1), "d_head", 1, where=row)
    row = ask.line()
    where = tuple(name for name, says in PLACES.items() if ask.toggle(says, f"d_{name}", True, row))
    found = _read(known[id], text, where, p)
    plain, now = found[0], found[mask]
    labels = [theme.visible(label) for label in model.tokens(text)[:MOST].labels]
    one = now.weights[int(layer) - 1, int(head) - 1]
    axes = {"query": labels, "key": labels}
    says = f"Attention weights, layer {layer}, head {head}, mask {mask}"
    field = Field.of("dropped", Kind.ATTENTION, axes, one, says, "A", domain=(0, 1 / (1 - p)))
    sums = np.stack([r.weights[int(layer) - 1, int(head) - 1].sum(-1) for r in found[1:]])
    at = range(1, len(labels) + 1)
    of = f"{known[id].title}, share {p:g}"
    plate.row(
        Plate("dropped", "heatmap", (field,), id, of, text, model="transformer", fluid=True),
        plate.lines(
            "row-sums",
            "What each row of the weights adds up to",
            [
                ("this mask", at, sums[mask - 1]),
                (f"mean of {MASKS} masks", at, sums.mean(0)),
                ("without dropout", at, np.ones(len(labels))),
            ],
            id,
            of,
            tight=True,
            x="token",
            y="sum",
            of_series="",
            low=0,
            whole=True,
            model="transformer",
        ),
    )
    rows.show(
        [
            {
                "place": says,
                "numbers": f"{now.sizes[name][2]:,}",
                "silenced": f"{100 * (now.sizes[name][1] - plain.sizes[name][1]) / now.sizes[name][2]:.1f} %",
                "mean size without": plain.sizes[name][0],
                "with this mask": now.sizes[name][0],
                f"mean of {MASKS} masks": float(np.mean([r.sizes[name][0] for r in found[1:]])),
            }
            for name, says in PLACES.items()
        ],
        forms=dict.fromkeys(
            ("mean size without", "with this mask", f"mean of {MASKS} masks"), "%.4f"
        ),
    )
    best = int(plain.after.argmax())
    said = np.array([r.after[best] for r in found[1:]])
    st.markdown(
        f"Without dropout the model gives “{escape(theme.visible(model.tokenizer.vocab[best]))}” next"
        f" **{number(100 * float(plain.after[best]))} %**; with this mask {number(100 * said[mask - 1])} %, over"
        f" {MASKS} masks from {number(100 * said.min())} % to {number(100 * said.max())} %. In use nothing is dropped."
    )
    st.caption(
        "A mask on the weights comes after softmax, so a row no longer adds up to 1 in training: to 1 / (1 − p) where"
        " nothing of it was dropped, to 0 where all of it was. The models here are trained with the other three"
        " only. Behind a mask the next layer reads something else, so there the mean need not stay."
    )
    train.link({"dropout": min(p, 0.7)}, model="transformer", text="stories")
