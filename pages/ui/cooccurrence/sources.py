"""Random, counted, trained: the same words with vectors from each source, side by side."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.analysis import embedding_sources
from engine.analysis.embedding_sources import EVERY, GRAMMAR, STEPS, Text, Trained
from engine.core.trace import Field, Kind
from engine.lessons.cooccurrence.counts import sound
from engine.live import cache
from engine.live.markdown import sentence
from engine.models.abilities import Knows
from engine.runs.store import Run
from pages.ui import ask, plate, rows, typed
from pages.ui.plate import Plate

GIVEN = {"toy": "a toy text of five classes of words", "above": "the text above"}
SOURCES = {
    "random": "random numbers",
    "counted": "counts: PPMI and SVD",
    "trained": "trained with a small net",
    "large": "the model of this page",
}
WIDTHS, SEEDS, MOST, NEAR, CHARACTERS = (2, 4, 8, 16, 32), 5, 40, 2, 10_000


@st.cache_resource(show_spinner="Training …", max_entries=16)
def trained(text: str, width: int, seed: int) -> Trained:
    return embedding_sources.trained(Text.of(text), width, seed)


@st.cache_data(show_spinner=False, max_entries=16)
def read(text: str) -> Text:
    return Text.of(text)


def show(run: Run, example: str) -> None:
    st.markdown(
        "A word becomes a row of numbers. They can be drawn at random, so that words are told apart and"
        " nothing more; counted from what stands near the word; or learned together with a task, here by a"
        " net that foretells a word from the two before it. Its training begins with the random ones."
    )
    line = ask.line()
    which = ask.pick("Text", GIVEN, "source_text", where=line, width=280)
    source = ask.pick("Source of the vectors", SOURCES, "source_kind", "trained", line, width=230)
    width = ask.pick("Numbers in a vector", WIDTHS, "source_width", 16, line, width=150)
    seed = ask.slider("Seed", "source_seed", 1, SEEDS, 1, 1, line, width=110)
    step = ask.slider("Training step", "source_step", 0, STEPS, STEPS, EVERY, line, width=190)
    written = embedding_sources.toy() if which == "toy" else sound(typed.text(example)[:CHARACTERS])
    text = read(written)
    try:
        learned = trained(written, width, seed)
    except ValueError as problem:
        st.info(sentence(problem))
        return
    words, order = shown(text)
    found = {
        "random": embedding_sources.random(text, width, seed),
        "counted": embedding_sources.counted(text, width),
        "trained": learned.vector_TVD[step // EVERY],
        "large": large(run, text.words),
    }
    grid = embedding_sources.cosines(found[source][order])
    field = Field.of(
        "sources",
        Kind.COSINE,
        {"source": words, "target": words},
        grid,
        f"Cosine of every two words: {SOURCES[source]}",
    )
    plate.show(Plate("sources", "heatmap", (field,), "sources", GIVEN[which], fluid=True))
    shares(text, found)
    table = {"word": words}
    for name, vector_VD in found.items():
        near = embedding_sources.nearest(vector_VD[order], min(NEAR, len(words) - 1))
        table[SOURCES[name]] = [
            ", ".join(words[j] for j in row) if np.any(vector_VD[order[i]]) else "–"
            for i, row in enumerate(near)
        ]
    st.markdown("**Nearest words**, of those in the picture:")
    rows.show(table, "sources.near", tallest=350)
    st.caption(
        f"The net has {width} numbers for a word; after {STEPS} steps its loss is"
        f" {learned.loss_N[-1]:.3f} nats a word, at first {learned.loss_N[0]:.3f}. At step 0 its vectors are"
        " the random ones."
    )


def shown(text: Text) -> tuple[list[str], list[int]]:
    """The commonest words, those of one class side by side, and their rows."""
    kind = {word: n for n, some in enumerate(GRAMMAR.values()) for word in some.split()}
    order = sorted(range(min(MOST, len(text.words))), key=lambda i: kind.get(text.words[i], 9))
    return [text.words[i] for i in order], order


def large(run: Run, words: tuple[str, ...]) -> np.ndarray:
    """The vectors of the model of this page; zeros for a word that it doesn't know."""
    space = cache.model(run, Knows).space
    found = np.zeros((len(words), space.values.shape[1]), np.float32)
    for i, word in enumerate(words):
        if (row := space.row(word)) is not None:
            found[i] = space.values[row]
    return found


def shares(text: Text, found: dict[str, np.ndarray]) -> None:
    measured = {name: embedding_sources.together(text.words, v) for name, v in found.items()}
    if any(share is None for share in measured.values()):
        return
    st.markdown(
        "How often the nearest other word of a class (animals, persons, food, places, verbs) is of the same"
        " class:"
    )
    table = {
        "source of the vectors": [SOURCES[name] for name in measured],
        "share": [*measured.values()],
    }
    rows.show(table, "sources.shares", {"share": rows.bar("share")})
