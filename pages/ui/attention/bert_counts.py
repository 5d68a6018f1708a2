"""What is masked in training, how many numbers there are in an encoder, and what BERT's descendants changed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from engine.costs import encoders
from engine.costs.encoders import BASE, LARGE, Masking, Size
from engine.runs import Run
from engine.trace import Table, TableSpec
from pages.ui import plate
from pages.ui.plate import Plate

LENGTHS = (10, 20, 128, 512)
READY = {"BERT-base": BASE, "BERT-large": LARGE}


def masking(run: Run, model: Any) -> None:
    st.markdown(
        "In training a share of the words is chosen at random and has to be guessed. If all of them became [MASK], the model would only ever work at masks, and there are "
        "none when it is used. So of the chosen words **80 % become [MASK], 10 % another word, and 10 % stay as they are**: it can never be sure that a word it sees is the right one."
    )
    share = st.slider("Share of the words that is chosen, in %", 5, 60, 15, 1, key="masked_share", bind="query-params", width=420) / 100
    rows = {"words": [f"{n:,}" for n in LENGTHS], "chosen": [f"{Masking(n, share).chosen:.4g}" for n in LENGTHS]}
    rows |= {fate: [f"{Masking(n, share).fates()[fate]:.4g}" for n in LENGTHS] for fate in Masking(1).fates()}
    st.dataframe(rows, hide_index=True, width=620)
    st.caption(
        f"Averages: {100 * share:.0f} % of the words, and of these 80, 10 and 10 %. More masks teach more per text, but leave less to guess from. BERT took 15 % and drew the masks of a text "
        "ten times, before training; RoBERTa draws them anew each time." + (f" So did the model shown, {100 * model.config.share:.0f} %." if run.note.get("steps") else "")
    )


def size() -> None:
    st.markdown("Choose a model or your own numbers. Heads do not change the count: they share the width out among them.")
    ready = st.segmented_control("Start from", list(READY), key="ready", default="BERT-base", required=True)
    start = READY[ready]
    a, b, c, d = st.columns(4)
    layers = a.number_input("Layers", 1, 96, start.layers, key=f"layers.{ready}")
    width = b.number_input("Width", 8, 8192, start.width, 8, key=f"width.{ready}")
    vocabulary = c.number_input("Vocabulary", 100, 300_000, start.vocabulary, 1000, key=f"vocabulary.{ready}")
    places = d.number_input("Places", 16, 8192, start.places, 16, key=f"places.{ready}")
    once = st.toggle("All layers share one set of weights, as in ALBERT", key="once", bind="query-params")
    chosen = Size(int(layers), int(width), int(vocabulary), int(places), once=once)
    st.markdown(f"**{chosen.total:,} numbers** in all; {chosen.layer:,} in one layer{', used ' + str(chosen.layers) + ' times' if once else ''}.")
    parts = chosen.parts()
    st.dataframe(
        {"part": list(parts), "numbers": [f"{n:,}" for n in parts.values()], "share": [f"{100 * n / chosen.total:.1f} %" for n in parts.values()]},
        hide_index=True, width=520,
    )  # fmt: skip
    growth(chosen)


def growth(chosen: Size) -> None:
    depth = np.arange(1, 25)
    own = [replace(chosen, layers=int(n), once=False).total / 1e6 for n in depth]
    shared = [encoders.shared(chosen, int(n)).total / 1e6 for n in depth]
    names = ("each layer its own weights", "all layers share (ALBERT)")
    columns = {"series": np.repeat(np.array(names, object), len(depth)), "x": np.tile(depth, 2).astype(float), "value": np.array([*own, *shared])}
    table = Table(TableSpec("depth", tuple(columns), "Numbers in the model against its layers"), columns)
    options = {"x": "layers", "y": "million numbers", "of_series": "", "whole": True}
    plate.show(Plate("depth", "curve", (table,), "sizes", f"Width {chosen.width:,}, vocabulary {chosen.vocabulary:,}", options=options, model="bert"))


def family() -> None:
    st.markdown("Everything after BERT kept the encoder and changed what is learned, or how much is stored.")
    models = encoders.FAMILY
    st.dataframe(
        {
            "model": [m.name for m in models], "year": [str(m.year) for m in models], "numbers": [f"{m.size.total:,}" for m in models],
            "beside BERT-base": [f"{100 * (m.size.total / BASE.total - 1):+.1f} %" for m in models],
        },
        hide_index=True, width=560,
    )  # fmt: skip
    st.markdown("\n".join(f"- **{m.name}**: {m.changes}" for m in models))
    st.caption("Numbers are counted from the published sizes, with the pooler where there is one. Scores and speed of DistilBERT are those of its own paper.")
