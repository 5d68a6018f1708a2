"""The same word, or the same phrase, in another place of the window meets other weights: how alike is what it adds?

Shapes: N = places of the window
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from engine.analysis import recurrence_gains, windowed
from engine.core.trace import Field, Kind
from engine.lessons.feedforward import beside
from engine.live import cache
from engine.live.markdown import escape
from engine.models.recurrent import RecurrentModel
from engine.runs.store import Run
from engine.views.base import number
from pages.ui import ask, plate

if TYPE_CHECKING:
    from engine.models.feedforward import FeedForward

LONGEST, WORD = 40, "not"
TEXTS = ("old man", "she said that it was the")


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
    names = [f"t−{n - i - 1}" if i < n - 1 else "t" for i in range(n)]
    others = cosine_NN[~np.eye(n, dtype=bool)]
    if others.size:
        st.markdown(
            f"What “{escape(word)}” adds in two places has a cosine of"
            f" **{number(float(others.mean()))}** on average; 1 would be the same in both."
        )
    says = f"The cosine between what “{word}” adds to the hidden layer in two places of the window"
    axes = {"row": names, "column": names}
    made = Field.of("cosine", Kind.COSINE, axes, cosine_NN, says)
    of = f"Model: {run.title} ({run.id}). Word: {word}."
    plate.show(plate.by(run, "places", "heatmap", made, of, text=word))
    moved(run, model)


def moved(run: Run, model: FeedForward) -> None:
    st.markdown("##### A phrase that moves")
    line = ask.line()
    typed = ask.text("Phrase", "moved_phrase", LONGEST, where=line, value=TEXTS[0]).strip()
    before = ask.text("Words before it", "moved_before", LONGEST, where=line, value=TEXTS[1])
    ids = model.tokenizer.encode(typed).ids
    cosine_P = windowed.phrase(model, ids)
    if not len(ids) or len(cosine_P) < 2:
        st.info(f"Type a phrase of at most {model.config.window - 1} words.")
        return
    series: list[tuple[str, Iterable[float], Iterable[float]]] = [
        ("window: what it adds to the hidden layer", range(len(cosine_P)), cosine_P)
    ]
    lstm = next((other for other, title in beside.choose(run) if title == "LSTM"), None)
    if lstm is not None:
        read = cache.model(lstm, RecurrentModel)
        state_K = recurrence_gains.behind(read, before, typed, len(cosine_P) - 1)
        series.append(
            ("LSTM: what it adds to the gates", range(len(cosine_P)), np.ones(len(cosine_P)))
        )
        series.append(("LSTM: the state at its end", range(len(state_K)), state_K))
    plate.show(
        plate.lines(
            "phrase",
            "How alike the phrase is to itself in the first place",
            series,
            run.id,
            "The window: the phrase stands so many places further back. The LSTM: so many words stand before it.",
            x="places moved",
            y="cosine",
            of_series="network",
            whole=True,
            text=typed,
            model=run.model,
        )
    )
    st.markdown(
        f"In the window the cosine falls to **{number(float(cosine_P[1]))}** after one place. A recurrent net uses"
        " the same weights at every step, so a word adds the same to its sums wherever it stands. Its state is not the"
        " same for all that: it holds what came before, too."
    )
