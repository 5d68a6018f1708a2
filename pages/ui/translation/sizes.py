"""What the two towers cost: parameters part by part, and the table of words that is stored once or
three times."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from engine.analysis.costs import layers
from engine.models.abilities import Remembers
from engine.runs.store import Run
from pages.ui import rows
from pages.ui.choice import one_of

if TYPE_CHECKING:
    from engine.models.translating import TranslatingModel

THEIRS, OURS, OWN = "the paper of 2017", "the model on this page", "my own"
PAPER = {"width": 512, "inner": 2048, "layers": 6, "vocabulary": 37_000}


RECURRENT = {
    "embed": "table of words",
    "encoder": "encoder",
    "bridge": "from encoder to decoder",
    "decoder": "decoder",
    "score": "attention: scores",
    "mix": "attention: mixing",
    "output": "from state to words",
}


def show(run: Run, model: TranslatingModel[Any]) -> None:
    c = model.config
    if isinstance(model, Remembers):
        recurrent(model)
        return
    own = {
        "width": c.width,
        "inner": c.inner or 4 * c.width,
        "layers": c.layers,
        "vocabulary": len(model.tokenizer.vocab),
    }
    name = one_of("Sizes of", [THEIRS, OURS, OWN], "towers", link=True)
    size = PAPER if name == THEIRS else own
    if name == OWN:
        limits = (
            ("width", "Width", 8, 16_384),
            ("inner", "Inner width", 8, 65_536),
            ("layers", "Layers of each tower", 1, 128),
            ("vocabulary", "Vocabulary", 16, 300_000),
        )
        size = {
            key: int(column.number_input(label, low, high, PAPER[key], key=f"own_{key}"))
            for column, (key, label, low, high) in zip(st.columns(4), limits, strict=True)
        }
    tied = st.toggle(
        "One table of words for input, target and output (weight tying)", True, key="tied"
    )
    part = layers.parts(size["width"], size["inner"])
    one = layers.encoder(size["width"], size["inner"])
    other = layers.decoder(size["width"], size["inner"])
    parts = (
        ("self-attention", part["attention"], part["attention"]),
        ("cross-attention", 0, part["attention"]),
        ("feed-forward", part["feed_forward"], part["feed_forward"]),
        ("norms", 2 * part["norm"], 3 * part["norm"]),
        ("one layer", one, other),
        (f"{size['layers']} layers", size["layers"] * one, size["layers"] * other),
    )
    counts = [
        {"part of a layer": what, "encoder: 2 parts": f"{a:,}", "decoder: 3 parts": f"{b:,}"}
        for what, a, b in parts
    ]
    rows.show(counts, "layers")
    table, towers = size["vocabulary"] * size["width"], size["layers"] * (one + other)
    whole = layers.whole(
        size["width"], size["inner"], size["layers"], size["vocabulary"], 1 if tied else 3
    )
    once = (
        "stored once: it reads the English, reads the French and is compared with the output. Each"
        " further copy would cost as much again"
    )
    thrice = "stored three times: for the English, the French and the output"
    st.markdown(
        f"Encoder and decoder together: {size['layers']} × {one:,} + {size['layers']} × {other:,} ="
        f" **{towers:,}**. A table of words has {size['vocabulary']:,} × {size['width']:,} ="
        f" **{table:,}** numbers, {once if tied else thrice}. The whole model: **{whole:,}**."
    )
    if name == OURS:
        counted = sum(values.size for key, values in model.weights().items() if key != "tokenizer")
        other_parts = (
            "this model has parts that the sum above does not count, or lacks parts that it counts"
        )
        same = "the same" if counted == whole else other_parts
        st.markdown(f"Counted in the file of `{run.id}`: {counted:,}, {same}.")
    st.caption(
        "One table needs one vocabulary for both languages. T5 shares the embedding table, and"
        " the position bias among the layers of each stack; encoder and decoder have their own"
        " weights."
    )


def recurrent(model: TranslatingModel[Any]) -> None:
    """The parts of a recurrent translator."""
    counts = dict.fromkeys(RECURRENT, 0)
    for name, values in model.net.named_parameters():
        counts[name.split(".")[0]] += values.numel()
    table = [
        {"part": says, "parameters": f"{counts[part]:,}"}
        for part, says in RECURRENT.items()
        if counts[part]
    ]
    rows.show(table, "parts")
    st.markdown(
        f"Together **{sum(counts.values()):,}**. Encoder and decoder use the same matrices at"
        " every word, one word after the other. A Transformer reads all words of a sentence at"
        " once."
    )
