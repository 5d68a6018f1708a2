"""What a filter looks for: the phrases of the built-in reviews that match it best."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from engine.live import cache
from engine.models.textcnn import TextCNN
from engine.runs.store import Run
from engine.text.corpora.reviews import CORPUS
from pages.ui import kept, rows

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST = 6  # phrases of a filter


@kept.data(max_entries=4)
def _matched(run: Run) -> list[list[tuple[float, str, str]]]:
    """Per filter the best matches, one a review: how well, the phrase, the label of the review."""
    model = cache.model(run, TextCNN)
    found: list[list[tuple[float, str, str]]] = [[] for _ in model.filters]
    for label, text in CORPUS.labelled():
        trace = model.trace(text, fields=("response",))
        c_TU = trace.field("response").values
        for u, t in enumerate(c_TU.argmax(0)):
            words = trace.tokens[max(0, int(t) - covers(model, u) + 1) : int(t) + 1]
            found[u].append((float(c_TU[t, u]), " ".join(words), label))
    return [sorted(some, reverse=True)[:MOST] for some in found]


def covers(model: TextCNN, unit: int) -> int:
    return model.config.covers[unit // model.config.filters]


def towards(model: TextCNN, unit: int) -> str:
    """The label whose score a filter adds most to."""
    return model.names[int(np.argmax(model.net.head.weight.detach().numpy()[:, unit]))]


def show(run: Run, model: TextCNN) -> None:
    st.markdown(
        "Nobody told a filter what to look for. These phrases of the built-in short reviews match it"
        " best, one of each review."
    )
    names: Sequence[str] = [f"{u}, {towards(model, u)}" for u in range(len(model.filters))]
    unit = names.index(st.selectbox("Filter", names, key="seeks"))
    table = {
        "phrase": [phrase for _, phrase, _ in _matched(run)[unit]],
        "match": [match for match, _, _ in _matched(run)[unit]],
        "the review is": [label for _, _, label in _matched(run)[unit]],
    }
    rows.show(table, forms={"match": "%.2f"})
