"""What lies behind the steps: one question a fold; a fold that is shut costs nothing."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from engine.runs import Run
from pages.ui.attention import (
    steps_counts,
    steps_cross,
    steps_hand,
    steps_masks,
    steps_pull,
    steps_same,
    steps_scale,
    steps_scores,
)

FOLDS: dict[str, tuple[str, Callable[[Run], None]]] = {
    "hand": ("Can I do it by hand?", steps_hand.show),
    "scale": ("Why divide by √d?", steps_scale.show),
    "pull": ("How does a word move towards its neighbours?", steps_pull.show),
    "same": ("What if queries and keys were the same?", steps_same.show),
    "scores": ("Is the dot product the only way to compare?", steps_scores.show),
    "masks": ("How is a word hidden, and what can go wrong?", steps_masks.show),
    "cross": ("What if one text looks at another?", steps_cross.show),
    "counts": ("How many numbers, how many parameters?", steps_counts.show),
}


def show(run: Run) -> None:
    st.subheader("Behind the steps", anchor=False)
    for id, (question, draw) in FOLDS.items():
        fold(id, question, draw, run)


@st.fragment
def fold(id: str, question: str, draw: Callable[[Run], None], run: Run) -> None:
    opened = st.expander(question, key=f"fold.{id}", on_change="rerun")
    if opened.open:
        with opened:
            draw(run)
