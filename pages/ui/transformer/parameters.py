"""Where the parameters are: a calculator with the sizes of the GPT models, and of the model on the
page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from engine.analysis import scale
from engine.analysis.costs import sizes
from engine.runs.store import Run
from pages.ui import rows
from pages.ui.choice import one_of

if TYPE_CHECKING:
    from engine.models.abilities import Attends

OWN = "my own sizes"


def show(run: Run, model: Attends[Any]) -> None:
    st.subheader("Where are the parameters?", anchor=False)
    named = {size.name: size for size in scale.SIZES}
    size = named.get(one_of("Sizes of", [*named, OWN], "sizes", "GPT-2 small", link=True))
    if size:
        layers, width, vocabulary = size.layers, size.width, size.vocabulary
        places, last = size.places, size.last_norm
    else:
        columns = st.columns(4)
        limits = (
            ("Layers", 1, 200, 4),
            ("Width", 8, 20_000, 192),
            ("Vocabulary", 16, 300_000, 4096),
            ("Places", 0, 131_072, 256),
        )
        layers, width, vocabulary, places = (
            int(c.number_input(label, low, high, first, key=f"own_{label.lower()}"))
            for c, (label, low, high, first) in zip(columns, limits, strict=True)
        )
        last = True
    tied = st.toggle(
        "Output tied to the embedding",
        True,
        key="tied",
        help="The output weights are the embedding table itself.",
    )
    parts = sizes.parameters(layers, width, vocabulary, places, last_norm=last, tied=tied)
    whole = sum(parts.values())
    table = {
        "part": [*parts, "together"],
        "parameters": [f"{count:,}" for count in (*parts.values(), whole)],
        "share": [*(f"{100 * count / whole:.1f} %" for count in parts.values()), ""],
    }
    rows.show(table, "parts")
    saved = vocabulary * width
    st.caption(
        f"V = {vocabulary:,} words, P = {places:,} places, L = {layers} layers, d = {width:,}: Vd +"
        f" Pd + L(12d² + 13d){' + 2d' if last else ''}{'' if tied else ' + Vd'}. Tying saves V·d ="
        f" {saved:,}; for the model of 2017 that was 37,000 · 512 = 18,944,000."
        + (f" Its authors say {size.said}." if size else "")
    )
    mine = sum(p.numel() for p in model.net.parameters())
    st.caption(f"{run.title}, the model above, has {mine:,} parameters.")
