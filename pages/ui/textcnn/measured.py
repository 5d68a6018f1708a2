"""How often the classifier is right, beside an LSTM and a count of words, on the same unseen reviews."""

from __future__ import annotations

import streamlit as st

from engine.live import cache
from engine.runs.store import Run
from pages.ui import rows

SAID = ("accuracy", "accuracy_of_reviews")
COUNTED = ("bag_of_words", "bag_of_words_of_reviews")


def show(run: Run) -> None:
    others = [one for one in cache.runs("sentiment") if set(SAID) <= set(one.note.get("test", {}))]
    test = run.note.get("test", {})
    if not set(SAID) <= set(test):
        st.info("This run was not tested on unseen reviews.")
        return
    table = [("convolution over words", [test[name] for name in SAID])]
    table += [("LSTM", [one.note["test"][name] for name in SAID]) for one in others[:1]]
    if set(COUNTED) <= set(test):
        table.append(("bag of words (logistic regression)", [test[name] for name in COUNTED]))
    rows.show(
        {
            "model": [name for name, _ in table],
            "passages of 1 to 3 sentences": [f"{100 * found[0]:.1f} %" for _, found in table],
            "whole reviews": [f"{100 * found[1]:.1f} %" for _, found in table],
        }
    )
    st.caption(
        f"{test['passages']:,} passages of {test['reviews']} reviews that none of them has seen; all"
        " learned from the same passages of 1,800 others. A passage has the label of its review, even"
        " where it only tells the plot, so nobody can be right always."
    )
