"""What is masked in training, how many numbers there are in an encoder, and what BERT's descendants
changed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from engine.analysis.costs import encoders
from engine.analysis.costs.encoders import BASE, LARGE, Masking, Size
from engine.runs.store import Run
from pages.ui import ask, plate, rows
from pages.ui.choice import one_of

if TYPE_CHECKING:
    from engine.models.bert import Bert

LENGTHS = (10, 20, 128, 512)
READY = {"BERT-base": BASE, "BERT-large": LARGE}


def masking(run: Run, model: Bert) -> None:
    st.markdown(
        "In training, some of the words are chosen at random for the model to predict. If all"
        " of them became [MASK], the model would learn to work only at masks, and a text in use"
        " has none. So **80 % of the chosen words become [MASK], 10 % another word, and 10 %"
        " stay**: the model can never be sure that a word it sees is the right one."
    )
    words = "Share of the words that is chosen, in %"
    share = ask.slider(words, "masked_share", 5, 60, 15, 1, width=420) / 100
    table = [
        {
            "words": f"{n:,}",
            "chosen": f"{Masking(n, share).chosen:.4g}",
            **{fate: f"{count:.4g}" for fate, count in Masking(n, share).fates().items()},
        }
        for n in LENGTHS
    ]
    rows.show(table, width=620)
    trained = run.note.get("steps")
    st.caption(
        f"Averages: {100 * share:.0f} % of the words, and of these 80, 10 and 10 %. More masks"
        " teach more per text, but leave less to guess from. BERT chose 15 % and drew the masks"
        " of each text ten times, before training; RoBERTa draws new ones each time."
        + (f" So did the model shown, {100 * model.config.share:.0f} %." if trained else "")
    )


def size() -> None:
    st.markdown(
        "Choose a model or your own numbers. The number of heads does not change the count: the"
        " heads share the width."
    )
    ready = one_of("Start from", [*READY], "ready")
    start = READY[ready]
    a, b, c, d = st.columns(4)
    layers = a.number_input("Layers", 1, 96, start.layers, key=f"layers.{ready}")
    width = b.number_input("Width", 8, 8192, start.width, 8, key=f"width.{ready}")
    vocabulary = c.number_input(
        "Vocabulary", 100, 300_000, start.vocabulary, 1000, key=f"vocabulary.{ready}"
    )
    places = d.number_input("Places", 16, 8192, start.places, 16, key=f"places.{ready}")
    once = st.toggle(
        "All layers share one set of weights, as in ALBERT", key="once", bind="query-params"
    )
    chosen = Size(int(layers), int(width), int(vocabulary), int(places), once=once)
    st.markdown(
        f"**{chosen.total:,} numbers** in all; {chosen.layer:,} in one"
        f" layer{', used ' + str(chosen.layers) + ' times' if once else ''}."
    )
    parts = chosen.parts()
    table = {
        "part": list(parts),
        "numbers": [f"{n:,}" for n in parts.values()],
        "share": [f"{100 * n / chosen.total:.1f} %" for n in parts.values()],
    }
    rows.show(table, width=520)
    growth(chosen)


def growth(chosen: Size) -> None:
    depth = range(1, 25)
    own = [replace(chosen, layers=n, once=False).total / 1e6 for n in depth]
    shared = [encoders.shared(chosen, n).total / 1e6 for n in depth]
    drawn = plate.lines(
        "depth",
        "Parameters by number of layers",
        [("each layer its own weights", depth, own), ("all layers share (ALBERT)", depth, shared)],
        "sizes",
        f"Width {chosen.width:,}, vocabulary {chosen.vocabulary:,}",
        x="layers",
        y="million numbers",
        of_series="",
        whole=True,
        model="bert",
    )
    plate.show(drawn)


def family() -> None:
    st.markdown(
        "BERT's descendants keep the encoder and change the training task or the amount stored."
    )
    models = encoders.FAMILY
    table = {
        "model": [m.name for m in models],
        "year": [str(m.year) for m in models],
        "numbers": [f"{m.size.total:,}" for m in models],
        "beside BERT-base": [f"{100 * (m.size.total / BASE.total - 1):+.1f} %" for m in models],
    }
    rows.show(table, width=560)
    st.markdown("\n".join(f"- **{m.name}**: {m.changes}" for m in models))
    st.caption(
        "Numbers are counted from the published sizes, with the pooler where there is one. Scores"
        " and speed of DistilBERT are those of its own paper."
    )
