"""The same word in another place of the window meets other weights: how alike is what it adds?

Shapes: N = places of the window
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from engine.analysis import windowed
from engine.core.trace import Field, Kind
from engine.live.markdown import escape
from engine.runs.store import Run
from engine.views.base import number
from pages.ui import ask, plate

if TYPE_CHECKING:
    from engine.models.feedforward import FeedForward

LONGEST, WORD = 40, "not"


def show(run: Run, model: FeedForward) -> None:
    st.markdown(
        "H has a block of weights for each place of the window. A word that moves one place on meets"
        " other weights, and what the net has learned of it in one place it has to learn again in the"
        " next. A recurrent net has one block for all places."
    )
    typed = ask.text("Word", "word", LONGEST, value=WORD)
    ids = model.tokenizer.encode(typed).ids
    if not len(ids):
        st.info("Type a word.")
        return
    id, n = int(ids[0]), model.config.window
    word = model.tokenizer.vocab[id]
    cosine_NN = windowed.alike(model, id)
    names = [f"w_t−{n - i - 1}" if i < n - 1 else "w_t" for i in range(n)]
    others = cosine_NN[~np.eye(n, dtype=bool)]
    if others.size:
        st.markdown(
            f"What “{escape(word)}” adds in two places has a cosine of"
            f" **{number(float(others.mean()))}** on average; 1 would be the same in both."
        )
    says = f"The cosine between what “{word}” adds to the hidden layer in two places of the window"
    axes = {"step": names, "label": names}
    made = Field.of("cosine", Kind.COSINE, axes, cosine_NN, says)
    of = f"Model: {run.title} ({run.id}). Word: {word}."
    plate.show(plate.by(run, "places", "heatmap", made, of, text=word))
