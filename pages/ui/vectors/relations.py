"""What a cosine does not say: likeness in meaning, opposites, kinds and parts all come out
alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from engine.lessons.vectors.typed import neighbours
from engine.runs.store import Run
from pages.ui import plate
from pages.ui.fragment import fragment

if TYPE_CHECKING:
    from engine.models.wordspace import WordSpace

PAIRS = {
    "same meaning": "quick fast, big large, rich wealthy, begin start, car automobile, ill sick",
    "opposites": "war peace, hot cold, big small, happy sad, good bad, north south",
    "a kind of": "chair furniture, dog animal, rose flower, sparrow bird, spaniel dog, car vehicle",
    "a part of": "page book, door house, wheel car, finger hand, leaf tree, sail ship",
}


def measured(model: WordSpace[Any]) -> dict[str, list[tuple[str, float]]]:
    """Cosines of the pairs that have both words, least first."""
    found = {}
    for relation, pairs in PAIRS.items():
        both = [pair.split() for pair in pairs.split(", ")]
        rows = [(f"{a}, {b}", model.space.row(a), model.space.row(b)) for a, b in both]
        known = [
            (pair, float(model.space.unit[i] @ model.space.unit[j]))
            for pair, i, j in rows
            if i is not None and j is not None
        ]
        if known:
            found[relation] = sorted(known, key=lambda pair: pair[1])
    return found


@fragment
def show(run: Run, model: WordSpace[Any]) -> None:
    st.subheader("What a cosine does not say", anchor="relations")
    found = measured(model)
    if not found:
        st.info("This table has none of the English words in this comparison.")
        return
    left, right = st.columns((4, 5), gap="medium")
    with left:
        st.markdown(
            "Words are near when they occur in the same contexts. Synonyms do, and so do"
            " opposites, kinds and parts: a cosine alone does not tell which relation holds."
            " It has no direction either, so it cannot tell that a spaniel is a dog and not"
            " the other way round."
        )
        for relation, pairs in found.items():
            values = [value for _, value in pairs]
            spread = (
                f"on average, from {values[0]:.2f} ({pairs[0][0]}) to {values[-1]:.2f}"
                f" ({pairs[-1][0]})"
                if len(pairs) > 1
                else f"({pairs[0][0]})"
            )
            st.markdown(f"- **{relation}**: {np.mean(values):.2f} {spread}")
        same, opposite = found.get("same meaning"), found.get("opposites")
        if same and opposite and opposite[-1][1] > same[0][1]:
            st.markdown(
                f"Here the opposites “{opposite[-1][0]}” are nearer to each other"
                f" ({opposite[-1][1]:.2f}) than the synonyms “{same[0][0]}” ({same[0][1]:.2f})."
            )
    rows = [
        (relation, pair, value, n)
        for relation, pairs in found.items()
        for n, (pair, value) in enumerate(reversed(pairs), 1)
    ]
    made = plate.by(
        run,
        "relations",
        "neighbours",
        neighbours("relations", "Cosines of pairs in four relations, nearest pair first", rows),
        f"Pairs chosen by hand. Model: {run.title} ({run.id})",
        options={"titles": "relation"},
        kept=f"relations {run.folder} {run.note.get('recipe')}",
        fluid=True,
    )
    plate.show(made, right)
