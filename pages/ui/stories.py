"""Pairs of sentences that are told about bags of words, beside what a shipped model does."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from engine.analysis import told
from engine.course.stories import OPINIONS
from engine.live import cache
from engine.models.abilities import Labels
from engine.runs.store import Run
from pages.ui import rows

SURE = 0.05  # of a probability: less is next to nothing


@st.cache_data(show_spinner=False)
def _preferred(id: str) -> Sequence[tuple[float, float]]:
    model = cache.model(next(run for run in cache.runs(None) if run.id == id), Labels)
    return [told.preferred(model, story) for story in OPINIONS]


def _mark(true: bool) -> str:
    return "✓" if true else "–"


def _signed(value: float) -> str:
    return f"{round(value, 1) + 0.0:+.1f}".replace("-", "−")


def opinions(run: Run) -> None:
    """Below the film reviews."""
    st.markdown(
        "These pairs are often used to show what a bag of words cannot see. Is the first text of a"
        " pair more positive than the second for this model?"
        f" **✓**: by {100 * SURE:.0f} points or more."
    )
    found = _preferred(run.id)
    st.markdown(f"So many are as claimed: {sum(a - b >= SURE for a, b in found)} of {len(found)}.")
    rows.show(
        [
            {
                "Text": f"“{story.text}” / “{story.other}”",
                "What is told": story.told,
                "What is measured": f"{_mark(a - b >= SURE)} {100 * a:.1f} % positive against {100 * b:.1f} % of the"
                f" other: {_signed(100 * (a - b))}",
            }
            for story, (a, b) in zip(OPINIONS, found, strict=True)
        ]
    )
