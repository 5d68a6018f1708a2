"""The vector that n-grams alone give a word, by how much each length of n-gram counts, and the
words nearest to it."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.lessons.vectors.typed import neighbours
from engine.live import cache
from engine.live.markdown import escape
from engine.models.gramvectors import GramVectors
from engine.runs.store import Run
from engine.vectors import shared
from engine.vectors.grams import gram_hash
from pages.ui import choice, plate

NEAR = 10


def show(run: Run, typed: list[str]) -> None:
    if not typed:
        return
    model, word = cache.model(run, GramVectors), typed[0]
    made = shared.different(word, model.config.least, model.config.most)
    if not made:
        st.info(f"“{escape(word)}” has no n-grams to build a vector from.")
        return
    left, right = st.columns((1, 2), gap="medium")
    with left:
        how = choice.one_of("Combine the n-grams by", ("mean", "sum"), "pieces_how", link=True)
        lengths = sorted({len(g) for g in made})
        weights = {
            n: st.slider(f"Weight of {n} characters", 0.0, 2.0, 1.0, 0.25, key=f"pieces_weight_{n}")
            for n in lengths
        }
    weight = np.array([weights[len(g)] for g in made])
    if not weight.any():
        st.info("With every weight at 0 nothing is left: raise at least one.")
        return
    rows = [gram_hash(g) % model.config.buckets for g in made]
    total = (weight[:, None] * model.grams.buckets[rows].astype(np.float64)).sum(0)
    vector = total / weight.sum() if how == "mean" else total
    row = model.space.row(word)
    near = model.space.nearest(vector, NEAR, without=(word,))
    with left:
        st.markdown(
            f"Length of the vector: **{np.linalg.norm(vector):.2f}**. Sum and mean point the same"
            " way, so the neighbours are the same; only the length differs."
        )
        if row is not None:
            own = model.space.values[row]
            cosine = float(own @ vector / max(1e-12, np.linalg.norm(own) * np.linalg.norm(vector)))
            st.markdown(
                f"“{escape(word)}” is known. Cosine of its own vector with the one built here:"
                f" **{cosine:.2f}**."
            )
    says = f"Known words nearest to the vector built from the n-grams of “{word}”"
    table = neighbours("made", says, [(word, *pair, n) for n, pair in enumerate(near, 1)])
    of = f"{run.title} ({run.id}), all dimensions"
    plate.show(plate.by(run, "made", "neighbours", table, of, text=word, fluid=True), right)
