"""One word in several sentences: its vector from the table up through the layers, and a map of it
at each depth."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from engine.analysis.residual_stream import senses
from engine.analysis.residual_stream.senses import Senses
from engine.core.trace import Field, Kind, Table
from engine.live.markdown import escape
from engine.runs.store import Run
from pages.ui import plate
from pages.ui.plate import Plate

if TYPE_CHECKING:
    from engine.models.bert import Bert

SENTENCES = (
    "The bank is by the river.",
    "I sat by the river bank.",
    "I'm going fishing by the river bank.",
    "I deposited money in the bank.",
    "I need to deposit money at the bank.",
)
MOST, LONGEST = 12, 300


def show(run: Run, model: Bert) -> None:
    st.markdown(
        "A table of word vectors has **one** vector for “bank”, whatever it means. An encoder"
        " starts from that vector and lets every layer mix in the words around it. How far"
        " apart do the occurrences drift, and do those with the same meaning stay together?"
        " Change the sentences or add your own, one per line."
    )
    left, right = st.columns((5, 2), gap="medium")
    typed = left.text_area(
        "Sentences, one a line",
        "\n".join(SENTENCES),
        key="sentences",
        height=150,
        max_chars=MOST * LONGEST,
    )
    word = right.text_input("The word", "bank", key="sense", max_chars=40)
    lines = [line.strip() for line in typed.split("\n") if line.strip()]
    if len(lines) > MOST:
        right.caption(f"The first {MOST} sentences are read.")
    lines = lines[:MOST]
    if not word.strip() or not lines:
        st.info("Type a word, and at least one sentence that contains it.")
        return
    try:
        found = senses.senses(model, lines, word)
    except ValueError as problem:
        st.info(f"{escape(str(problem))}. Type a sentence with it, or choose another word.")
        return
    if found.without:
        right.caption(f"Without the word: sentence {', '.join(str(n + 1) for n in found.without)}.")
    if len(found.where) < 2:
        st.info("There is only one occurrence. Add a second sentence with the word.")
        return
    places_of = zip(names(found), found.where, strict=True)
    right.caption("  \n".join(f"{n}: {escape(_short(one.text))}" for n, one in places_of))
    cosines(run, found)
    places(run, found)


def names(found: Senses) -> list[str]:
    """The number of the sentence; a letter behind it where the word stands in it more than once."""
    sentences = [one.sentence for one in found.where]
    often = Counter(sentences)
    made = []
    for i, n in enumerate(sentences):
        letter = chr(ord("a") + sentences[:i].count(n)) if often[n] > 1 else ""
        made.append(f"{n + 1}{letter}")
    return made


def cosines(run: Run, found: Senses) -> None:
    cosine_LNN, label = found.cosines(), names(found)
    pairs = [(i, j) for i in range(len(label)) for j in range(i + 1, len(label))]
    values = np.array([cosine_LNN[:, i, j] for i, j in pairs], np.float32)
    field = Field.of(
        "cosine",
        Kind.COSINE,
        {"point": (f"{label[i]} and {label[j]}" for i, j in pairs), "layer": found.depths},
        values,
        "Similarity of two occurrences of the word: pairs of sentences, from the embedding"
        " upwards.",
    )
    st.subheader(f"How similar are the occurrences of “{escape(found.word)}”?", anchor=False)
    low = values[:, -1].argmin()
    i, j = pairs[low]
    if found.alone:
        st.markdown(
            "As a word alone the vectors are the same, so every cosine is"
            f" {values[:, 0].min():.2f}."
        )
    st.markdown(
        f"After the last layer the two least alike are those of sentences {label[i]} and"
        f" {label[j]}: **{values[low, -1]:.2f}**. Rows are pairs of sentences."
    )
    of = f"“{found.word}” in {len(label)} places. Model: {run.title} ({run.id})"
    text = " / ".join(o.text for o in found.where)[:200]
    plate.show(Plate("senses_cosine", "heatmap", (field,), run.id, of, text, model=run.model))


def places(run: Run, found: Senses) -> None:
    st.subheader(f"A map of “{escape(found.word)}”, layer by layer", anchor=False)
    depth_name = st.select_slider(
        "Depth", found.depths, value=found.depths[-1], key="depth", width=560
    )
    depth = found.depths.index(depth_name) if depth_name in found.depths else len(found.depths) - 1
    xy_N2, share = found.places(depth)
    label = names(found)
    count = len(label)
    columns: dict[str, Any] = {
        "word": label,
        "x": xy_N2[:, 0],
        "y": xy_N2[:, 1],
        "group": [2.0] * count,
        "frequency": [0.0] * count,
    }
    what = (
        "All occurrences lie on one point"
        if not xy_N2.any()
        else (
            f"Two principal components at this depth, which show {100 * share:.0f} % of the"
            " differences; numbers are those of the sentences"
        )
    )
    table = Table.of("senses", f"“{found.word}”, {depth_name}. {what}.", columns)
    of, text = f"Model: {run.title} ({run.id})", " / ".join(o.text for o in found.where)[:200]
    plate.show(Plate("senses_map", "scatter", (table,), run.id, of, text, model=run.model))


def _short(text: str) -> str:
    return text if len(text) <= 44 else f"{text[:43]}…"
