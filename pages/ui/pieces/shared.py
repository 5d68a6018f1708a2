"""What two words have in common: the n-grams of one, of the other, of both; and how alike a family
of words is made."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.core.trace import Field, Kind
from engine.live import cache
from engine.live.markdown import escape
from engine.models.gramvectors import GramVectors
from engine.runs.store import Run
from engine.vectors import shared
from pages.ui import plate
from pages.ui.pieces.panels import chips, seen


def show(run: Run, typed: list[str]) -> None:
    model = cache.model(run, GramVectors)
    least, most = model.config.least, model.config.most
    if len(typed) < 2:
        st.info("Type a second word after the first: a related word, or a misspelling.")
        return
    a, b = typed[:2]
    found = shared.overlap(a, b, least, most)
    vectors = [_vector(model, word) for word in (a, b)]
    cosine = float(vectors[0] @ vectors[1])
    parts = {
        f"only {escape(a)}": tuple(g for g in found.first if g not in found.both),
        "both": found.both,
        f"only {escape(b)}": tuple(g for g in found.second if g not in found.both),
    }
    for column, (title, made) in zip(st.columns(3), parts.items(), strict=True):
        with column, st.container(border=True):
            st.markdown(f"**{title}: {len(made)}**")
            st.markdown(chips(seen(run)[0], made) or "none")
    st.markdown(
        f"{len(found.both)} of the {len(found.first)} n-grams of “{escape(a)}” also occur in"
        f" “{escape(b)}”; of all {len({*found.first, *found.second})} different ones that is"
        f" {100 * found.jaccard:.0f} % (Jaccard). Cosine of the two vectors: **{cosine:.2f}**."
        + (
            " A misspelling need not share most of its n-grams: here it is less than half."
            if (a, b) == ("apple", "applw") and least == 3
            else ""
        )
    )
    if len(typed) > 2:
        overlap = [[shared.overlap(x, y, least, most).jaccard for y in typed] for x in typed]
        stacked = np.stack([_vector(model, word) for word in typed])
        axes, of, text = {"word": typed, "label": typed}, f"{run.title} ({run.id})", " ".join(typed)
        drawn = [
            plate.by(
                run,
                id,
                "heatmap",
                Field.of(id, kind, axes, np.array(values), says, unit=unit, domain=(-1, 1)),
                of,
                text=text,
            )
            for id, kind, says, unit, values in (
                ("jaccard", Kind.SCORE, "Share of n-grams in common (Jaccard)", "share", overlap),
                ("alike", Kind.COSINE, "Cosine of the vectors", "", stacked @ stacked.T),
            )
        ]
        plate.row(*drawn, gap="small")


def _vector(model: GramVectors, word: str) -> np.ndarray:
    """Of length 1; zeros where the model can't make one."""
    row = model.space.row(word)
    vector = model.space.values[row] if row is not None else model.compose(word)
    if vector is None:
        return np.zeros(model.config.width)
    vector = np.asarray(vector, np.float64)
    return vector / (np.linalg.norm(vector) or 1)
