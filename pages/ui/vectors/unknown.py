"""Words without a vector: what the model can do about them, and which known words are spelled
alike."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from engine.core.trace import Trace
from engine.live.markdown import escape
from engine.ngram.spelling import is_one_edit

if TYPE_CHECKING:
    from engine.models.wordspace import WordSpace

MOST, ALIKE, NEAR = 6, 5, 5


def show(model: WordSpace[Any], trace: Trace) -> None:
    st.subheader("Words without a vector of their own", anchor="unknown")
    words = [
        word
        for word in dict.fromkeys(trace.tokens[t] for t in trace.unknown)
        if any(c.isalnum() for c in word)
    ]
    composes = model.compose("apple") is not None
    if not words:
        st.markdown(
            "Every typed word has a vector. Try a misspelling like “applw”, or a new word like"
            " “hyperhappiness”."
        )
    for word in words[:MOST]:
        _one(model, word)
    if len(words) > MOST:
        st.caption(f"The first {MOST} of {len(words)} such words.")
    size = f"{len(model.space):,} words"
    st.caption(
        f"This model has a vector for each of {size} and builds one for any other word as the"
        " mean of the vectors of its character n-grams."
        if composes
        else (
            f"This model has a vector for each of {size} and none for any other word: no"
            " neighbours, and no place in the pictures above. Models with character n-grams,"
            " like fastText, compose one from the parts of the word; alternatives are one"
            " vector for all unknown words, or the nearest spelling."
        )
    )


def _one(model: WordSpace[Any], word: str) -> None:
    vector_D = model.compose(word)
    alike = spelled_alike(model.space.words, word)
    said = list(map(escape, alike))
    made = "This model builds none."
    if vector_D is not None and np.any(vector_D):
        near = ", ".join(f"{escape(w)} ({c:.2f})" for w, c in model.space.nearest(vector_D, NEAR))
        made = f"Nearest words to the vector composed from its n-grams: {near}."
        cosine_V = model.space.cosines(vector_D)[0]
        said = [f"{escape(w)} ({cosine_V[model.space.row(w)]:.2f})" for w in alike]
    spelled = "No known word is one slip away in spelling."
    if alike:
        spelled = f"One slip away in spelling: {', '.join(said)}."
    st.markdown(f"**{escape(word[:60])}** has no vector of its own. {made} {spelled}")


def spelled_alike(words: tuple[str, ...], word: str) -> list[str]:
    """The commonest known words that one letter more, less, changed or two swapped make of it."""
    word = word.lower()
    near = (w for w in words if abs(len(w) - len(word)) <= 1 and is_one_edit(word, w))
    return list(islice(near, ALIKE))
