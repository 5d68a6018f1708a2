"""What was settled below the live pictures of the task shapes: tags that later words have turned,
and two films of the same words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from engine.core.trace import Trace
from engine.live import cache
from engine.live.markdown import escape
from engine.models.abilities import Labels
from engine.runs.store import Run
from pages.ui import rows

if TYPE_CHECKING:
    from engine.models.labelling import LabellingModel

MOST = 40  # words whose tags are followed
PAIRS = (
    ("The movie started great but ended terribly", "The movie started terribly but ended great"),
    ("The acting is perfect, but the plot is dull", "The plot is dull, but the acting is perfect"),
)


def turned(model: LabellingModel[Any], text: str, trace: Trace) -> list[tuple[str, str, str]]:
    """Per word: its spelling, its tag when it was the last word read, and its tag now that all have
    been read."""
    names, now = trace.field("tag").axis("tag").labels, trace.field("tag").values.argmax(-1)
    found = []
    for t, (label, (_, stop)) in enumerate(zip(trace.tokens, trace.spans, strict=True)):
        then = model.trace(text[:stop], fields=("tag",)).field("tag").values[-1].argmax()
        found.append((label, names[then], names[now[t]]))
    return found


def turns(run: Run, traces: Mapping[str, Trace], look: Mapping[str, Any]) -> None:
    """`run`: of the tagger that reads both ways."""
    both, forwards = traces["tagger_both"], traces["tagger"]
    if not len(both) or both.offset:
        return
    if len(both.tokens) > MOST:
        st.caption(f"Tag changes are shown for texts of up to {MOST} words.")
        return
    from engine.models.labelling import LabellingModel

    words = turned(cache.model(run, LabellingModel), both.text, both)
    field = forwards.field("tag")
    alone = [field.axis("tag").labels[i] for i in field.values.argmax(-1)]
    changed = [f"“{escape(word)}” from {then} to {now}" for word, then, now in words if then != now]
    st.subheader("Which tags did a later word change?", anchor="turned")
    said = (
        f"Both ways, later words changed {', '.join(changed)}."
        if changed
        else "Both ways, no later word changed the tag of an earlier one here."
    )
    st.markdown(
        f"{said} Forwards, no tag can change: the state at a word is finished before the next"
        " word is read."
    )
    table = [
        {
            "word": word,
            "forwards": tag,
            "both ways, when it was the last word": then,
            "both ways, now": now,
        }
        for (word, then, now), tag in zip(words, alone, strict=True)
    ]
    rows.show(table)


def pairs(run: Run) -> None:
    """The same words in another order."""
    model = cache.model(run, Labels)
    last = {
        text: model.trace(text, fields=("label",)).field("label").values[-1]
        for pair in PAIRS
        for text in pair
    }
    st.subheader("The same words in another order", anchor="order")
    table: dict[str, list[str]] = {"text": [*last]}
    for name, p_T in zip(model.names, zip(*last.values(), strict=True), strict=True):
        table[name] = [f"{100 * p:.1f} %" for p in p_T]
    rows.show(table)
    points = [100 * np.abs(last[one] - last[other]).max() for one, other in PAIRS]
    apart = " and ".join(f"{most:.1f}" for most in points)
    st.markdown(
        "These texts form pairs with the same words. A bag of words has to give both texts of"
        " a pair the same answer; a recurrent network reads them in order and may tell them"
        f" apart: this one by {apart} percentage points. {_quality(run)}"
    )


def _quality(run: Run) -> str:
    """How often it is right, beside a count of words, where the run says so."""
    test = run.note.get("test", {})
    said = {"accuracy", "bag_of_words", "accuracy_of_reviews", "bag_of_words_of_reviews"}
    if not said <= set(test):
        return ""
    return (
        "It is not a good classifier: on passages of one to three sentences from unseen"
        f" reviews it gets {100 * test['accuracy']:.1f} % right, on whole reviews"
        f" {100 * test['accuracy_of_reviews']:.1f} %. A bag of words (logistic regression)"
        f" trained on the same passages gets {100 * test['bag_of_words']:.1f} % and"
        f" {100 * test['bag_of_words_of_reviews']:.1f} %."
    )
