"""What lies behind the steps: one question a fold; a fold that is shut costs nothing."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from engine.runs.store import Run
from pages.ui.attention import counts, cross, hand, learn, masks, pull, same, scale, scores
from pages.ui.fragment import fragment

FOLDS: dict[str, tuple[str, Callable[[Run], None]]] = {
    "hand": ("How is attention computed by hand?", hand.show),
    "scale": ("Why divide by √d?", scale.show),
    "pull": ("How does attention move a word towards its neighbours?", pull.show),
    "same": ("What if queries and keys were the same?", same.show),
    "scores": ("Is the dot product the only way to compare?", scores.show),
    "masks": ("How is a token masked, and what can go wrong?", masks.show),
    "cross": ("What if one text attends to another?", cross.show),
    "learn": ("How do queries, keys and values become what they are?", learn.show),
    "counts": ("How many numbers, how many parameters?", counts.show),
}


def show(run: Run) -> None:
    st.subheader("Behind the steps", anchor=False)
    for id, (question, draw) in FOLDS.items():
        fold(id, question, draw, run)


@fragment
def fold(id: str, question: str, draw: Callable[[Run], None], run: Run) -> None:
    opened = st.expander(question, key=f"fold.{id}", on_change="rerun")
    if opened.open:
        with opened:
            draw(run)
