"""Variable length: under each word of a sentence how long a context has been seen often enough."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import streamlit as st

from engine.core.trace import Table
from engine.ngram import longest
from engine.text.tokenizers.base import Tokens
from engine.views import theme
from engine.views.base import number
from pages.ui import ask, plate, rows, show
from pages.ui.counting.study import Chosen
from pages.ui.plate import Plate
from pages.ui.variants import chosen as variants


@dataclass(frozen=True)
class Looked:
    """Per token of a sentence and its end: context length, counts behind the probability, longest
    n-gram that ends there."""

    labels: tuple[str, ...]  # with <s> before them and </s> behind
    length_T: np.ndarray
    pair_T: np.ndarray
    total_T: np.ndarray
    matched_T: np.ndarray

    @property
    def p_T(self) -> np.ndarray:
        return self.pair_T / np.maximum(self.total_T, 1)

    def context(self, t: int) -> str:
        """The words that are looked at before token t."""
        found = self.labels[t + 1 - int(self.length_T[t]) : t + 1]
        return " ".join(theme.visible(w) for w in found)


def look(chosen: Chosen, tokens: Tokens, least: int) -> Looked:
    """From the longest context with so many occurrences."""
    counts, mark = chosen.study.raw, chosen.study.tokenizer.boundary
    stream_T = np.array([mark, *tokens.ids, mark], np.int64)
    place_TM = counts.places(stream_T)
    length_T = longest.context_length(counts, place_TM[:-1], least)
    seen_TM = longest.occurrences(counts, place_TM[:-1])
    total_T = seen_TM[np.arange(len(length_T)), length_T]
    pair_T = np.zeros(len(length_T), np.int64)
    for t, m in enumerate(length_T.tolist()):
        at = int(place_TM[t + 1, m + 1])
        pair_T[t] = counts.orders[m].count_G[at] if at >= 0 else 0
    reach = [
        max(
            (
                m
                for m in range(1, place_TM.shape[1])
                if place_TM[t, m] >= 0 and counts.orders[m - 1].count_G[place_TM[t, m]] > 0
            ),
            default=0,
        )
        for t in range(1, len(stream_T))
    ]
    return Looked(("<s>", *tokens.labels, "</s>"), length_T, pair_T, total_T, np.array(reach))


def section(chosen: Chosen) -> None:
    row = ask.line()
    tokens = variants.sentence(chosen, row)
    least = ask.between(row.slider, "c, occurrences required", "often", 1, 20, 1, width=300)
    found = look(chosen, tokens, least)
    plate.show(picture(chosen, found, least))
    st.markdown(
        "A fixed order is too long for rare words and too short for frequent ones. Here each word"
        " is predicted from the longest context that occurred at least **c** times, and from it"
        " alone."
    )
    st.caption(
        "Each line ends at its word and begins where its context begins, at most"
        f" {chosen.order - 1} {chosen.cut} earlier. Set “Longest n-gram” higher to look"
        " further back."
    )
    places = range(len(found.length_T))
    at = ask.kept(
        st.select_slider,
        "Word to explain",
        places,
        key="at",
        first=max(0, len(places) - 2),
        among=places,
        format_func=lambda t: f"{t + 1} {theme.visible(found.labels[t + 1])}",
    )
    formula(found, at, least)
    with st.expander("Every word as a table", expanded=True):
        rows.show(table(found))
    st.caption(
        "“Longest seen n-gram” includes the word itself: the length of the longest run ending"
        " in it that occurs in the text."
    )


def formula(found: Looked, t: int, least: int) -> None:
    """The fraction of one word."""
    word, where = theme.visible(found.labels[t + 1]), found.context(t)
    total, pair = int(found.total_T[t]), int(found.pair_T[t])
    show.formula(
        rf"P(w \mid h) = \frac{{c(hw)}}{{c(h)}} = \frac{{{pair}}}{{{total}}} = {found.p_T[t]:.4g}"
    )
    said = (
        f"h is “{variants.escape(where)}”"
        if where
        else "h is empty: no longer context occurred often enough"
    )
    zero = (
        ""
        if pair
        else (
            " It never followed this context, so its probability is 0; smoothing would give it"
            " some."
        )
    )
    times = "occurrence" if total == 1 else "occurrences"
    st.caption(
        f"w is “{variants.escape(word)}”, {said}, with {total:,} {times}; c is {least}.{zero}"
    )


def table(found: Looked) -> list[dict[str, object]]:
    return [
        {
            "word": theme.visible(found.labels[t + 1]),
            "context used": found.context(t) or "none",
            "its length": int(m),
            "counted": f"{int(found.pair_T[t]):,} of {int(found.total_T[t]):,}",
            "probability": number(float(found.p_T[t]), True),
            "longest seen n-gram": int(found.matched_T[t]),
        }
        for t, m in enumerate(found.length_T)
    ]


def picture(chosen: Chosen, found: Looked, least: int) -> Plate:
    """Under the sentence one line for each word: as long as the context that predicts it, the word
    itself at its end."""
    at = np.arange(1, len(found.length_T) + 1)
    columns = {
        "word": [theme.visible(w) for w in found.labels[1:]],
        "start": at - found.length_T,
        "stop": at,
        "value": found.length_T,
        "probability": found.p_T,
    }
    says = (
        f"How long a context each word has, with at least {least}"
        f" {'occurrence' if least == 1 else 'occurrences'}"
    )
    return chosen.plate(
        "longest",
        "spans",
        Table.of("longest", says, columns),
        " ".join(found.labels[1:-1]),
        source=variants.SOURCE,
        words=found.labels,
        what="context used",
    )
