"""The typed words, and the n-grams of the first: which were seen in training, and which share a
row."""

from __future__ import annotations

from collections import Counter

import numpy as np
import streamlit as st

from engine.core.trace import Field, Kind
from engine.course.curriculum import Lesson
from engine.live import cache
from engine.live.markdown import escape
from engine.models.gramvectors import GramVectors
from engine.models.wordspace import MARKS
from engine.runs.store import Run
from engine.text.segmentation import first
from engine.vectors import shared
from engine.vectors.grams import gram_hash, grams
from pages.ui import ask as box
from pages.ui import kept, plate
from pages.ui import rows as table
from pages.ui.typed import own

MOST, LONGEST = 8, 60
# a list that is common in teaching material
NOTES_CAT = ("<c", "c", "a", "t", "t>", "<ca", "ca", "at", "t>", "<cat", "cat", "cat>", "<cat>")


def ask(lesson: Lesson) -> list[str]:
    label = "Two words: the first is cut up, the second is compared with it"
    typed = box.words(lesson, label, "pieces_words", 300, box.line(), own(300))
    return [first(word, LONGEST) for word in dict.fromkeys(typed.lower().split())][:MOST]


@kept.resource(max_entries=4)
def seen(run: Run) -> tuple[Counter[str], Counter[int]]:
    """(in how many known words each n-gram stands, how many n-grams each bucket holds)"""
    model = cache.model(run, GramVectors)
    found = shared.vocabulary_grams(model.vocab[MARKS:], model.config.least, model.config.most)
    return found, shared.bucket_loads(found, model.config.buckets)


def chips(found: Counter[str], made: tuple[str, ...]) -> str:
    """N-grams as coloured words: green where training has seen them."""
    return " ".join(f":{'green' if found[g] else 'red'}-badge[{escape(g)}]" for g in made)


def show(run: Run, typed: list[str]) -> None:
    if not typed:
        st.info("Type a word.")
        return
    model, (found, _) = cache.model(run, GramVectors), seen(run)
    word, config = typed[0], model.config
    made = shared.different(word, config.least, config.most)
    if not made:
        st.info(
            f"“{escape(word)}” is too short for n-grams of {config.least} to {config.most}"
            " characters."
        )
        return
    _rows(run, model, word, made)
    unseen = [g for g in made if not found[g]]
    known = word in model.vocab[MARKS:]
    st.markdown(
        f"< and > mark the ends of **{escape(word)}**. It has **{len(made)}** different"
        f" n-grams of {config.least} to {config.most} characters; {len(made) - len(unseen)} of"
        f" them occur in words that the model knows (green), {len(unseen)} in none (red: their"
        " rows were never trained for them). "
        + (
            f"The word itself is known{' and has a row of its own in addition' * model.whole}."
            if known
            else "The word itself is **not known**: the model has only its n-grams."
        )
    )
    for n in sorted({len(g) for g in made}):
        st.markdown(f"{n} characters: {chips(found, tuple(g for g in made if len(g) == n))}")
    if word == "cat" and config.least == 1:
        st.caption(
            "One list for “cat” in teaching material,"
            f" {', '.join(escape(g) for g in NOTES_CAT)}, has t\\> twice, lacks at\\>, and"
            " includes \\<cat\\>, which has five characters. One common reader of such vectors"
            " (torchtext) looks up only lengths 2 to 4 and averages those it finds."
        )


def _rows(run: Run, model: GramVectors, word: str, made: tuple[str, ...]) -> None:
    vector, config, (found, loads) = model.compose(word), model.config, seen(run)
    assert vector is not None
    rows = [gram_hash(g) % config.buckets for g in made]
    unit = model.grams.buckets[rows].astype(np.float32)
    unit /= np.maximum(np.linalg.norm(unit, axis=1, keepdims=True), 1e-12)
    pull = unit @ (vector / max(1e-12, float(np.linalg.norm(vector))))
    times = Counter(grams(word, config.least, config.most))
    says = f"Which n-grams point in the direction of “{word}”"
    field = Field.of("pull", Kind.COSINE, {"label": made}, pull, says, "cos")
    of = f"{run.title} ({run.id})"
    plate.show(plate.by(run, "pull", "bars", field, of, text=word, options={"top": 14}))
    with st.expander("Every n-gram and its row"):
        table.show(
            {
                "n-gram": made,
                "times in the word": [times[g] for g in made],
                "known words with it": [found[g] for g in made],
                "row": rows,
                "n-grams in this row": [max(1, loads[row]) for row in rows],
                "cosine with the word vector": pull.astype(float),
            },
            "pieces_rows",
        )
        crowd = np.array(list(loads.values()))
        st.caption(
            f"{len(found):,} different n-grams of the vocabulary share"
            f" {config.buckets:,} rows, found by a hash (FNV-1a); {len(crowd):,} rows"
            f" are in use, with {crowd.mean():.1f} n-grams each on average and {crowd.max()}"
            " at most. N-grams that share a row share its numbers."
        )
