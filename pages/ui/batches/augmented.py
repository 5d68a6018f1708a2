"""Replaced tokens: a sentence as the training reads it, and what a usual listing does to it besides."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.analysis.batching import replacing
from engine.live.markdown import escape
from pages.ui import ask, rows, train
from pages.ui.address import begin

MARKS = ("[PAD]", "[BOS]", "[EOS]")
WORDS = (
    "a the in on of and to was is she he it we they house river garden letter captain king queen morning"
    " night old small red long good said went saw took gave found came"
).split()
EXAMPLE = "the old captain said good morning to the queen and went on"
MOST, DRAWN = 24, 50_000  # words; tokens that are drawn for the table


def show() -> None:
    st.markdown(
        "**Data augmentation**: in training some of the tokens that are read are replaced at random, while"
        " the targets stay. The model can't rely on any single word, and overfits less."
    )
    row = ask.line()
    begin(a_text=EXAMPLE)
    text = ask.text("A sentence", "a_text", 300, where=row, live="150ms")
    p = ask.slider("Share that is replaced", "a_share", 0.0, 0.9, 0.1, 0.05, row, width=220)
    size = ask.among("Vocabulary, V", (10, 50, 1_000), "a_size", 50, where=row)
    seed = int(ask.between(row.number_input, "Seed", "a_seed", 0, 999_999, 1, width=120))
    words = [word for word in text.split() if word not in MARKS][:MOST]
    read = [MARKS[1], *words, MARKS[2]]
    known = [*MARKS, *dict.fromkeys([*words, *WORDS])]
    ids = np.array([known.index(word) for word in read])
    for rule, name in replacing.RULES.items():
        found = replacing.replaced(rule, ids, p, len(known), len(MARKS), seed)
        said = " ".join(
            escape(known[new]) if new == old else f":red[**{escape(known[new])}**]"
            for old, new in zip(ids, found, strict=True)
        )
        st.markdown(f"*{name}*: {said}")
    table = []
    for rule, name in replacing.RULES.items():
        of = replacing.counted(rule, p, int(size), len(MARKS), DRAWN, seed)
        table.append(
            {
                "replaced by": name,
                "changed, by formula": of.formula,
                f"changed, of {DRAWN:,}": of.changed,
                "words that became a mark": of.to_marks,
                "marks lost": of.marks_struck,
            }
        )
    rows.show(table, forms={name: "%.4g" for name in table[0] if name != "replaced by"})
    st.markdown(
        "A usual listing draws from **all** ids: it may draw the same token again, so fewer than p change,"
        " p (1 − 1/V); a word may become padding or the end of the text; and the marks themselves are struck."
        " The training here changes words only, each to another one."
    )
    train.link({"replaced": p, "layers": 2}, text="stories")
