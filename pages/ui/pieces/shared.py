"""What two words have in common: the n-grams of one, of the other, of both; and how alike a family
of words is made."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.core.trace import Axis, Field, FieldSpec, Kind
from engine.live import cache
from engine.live.markdown import escape
from engine.models.gramvectors import GramVectors
from engine.runs.store import Run
from engine.vectors import shared
from pages.ui import plate
from pages.ui.pieces.panels import chips, seen
from pages.ui.plate import Plate


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
    first, both, second = st.columns(3)
    for column, title, made in (
        (first, f"only {escape(a)}", tuple(g for g in found.first if g not in found.both)),
        (both, "both", found.both),
        (second, f"only {escape(b)}", tuple(g for g in found.second if g not in found.both)),
    ):
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
        left, right = st.columns(2)
        overlap = [[shared.overlap(x, y, least, most).jaccard for y in typed] for x in typed]
        unit = np.stack([_vector(model, word) for word in typed])
        for column, id, kind, says, values in (
            (
                left,
                "jaccard",
                Kind.SCORE,
                "Share of n-grams in common (Jaccard)",
                np.array(overlap),
            ),
            (right, "alike", Kind.COSINE, "Cosine of the vectors", unit @ unit.T),
        ):
            spec = FieldSpec(id, kind, ("word", "label"), says, "", domain=(-1, 1))
            field = Field(
                spec,
                values.astype(np.float32),
                (Axis("word", tuple(typed)), Axis("label", tuple(typed))),
            )
            with column:
                plate.show(
                    Plate(
                        id,
                        "heatmap",
                        (field,),
                        run.id,
                        f"{run.title} ({run.id})",
                        " ".join(typed),
                        model=run.model,
                    )
                )


def _vector(model: object, word: str) -> np.ndarray:
    """Of length 1; zeros where the model can't make one."""
    row = model.space.row(word)  # type: ignore[attr-defined]
    vector = model.space.values[row] if row is not None else model.compose(word)  # type: ignore[attr-defined]
    vector = np.zeros(model.config.width) if vector is None else np.asarray(vector, np.float64)  # type: ignore[attr-defined]
    length = float(np.linalg.norm(vector))
    found: np.ndarray = vector / length if length else vector
    return found
