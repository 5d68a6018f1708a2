"""Unknown words: how often a word has to be counted to be known, and what the unknown token gets from the others."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.analysis import least_count
from engine.analysis.study import Study
from engine.live.markdown import escape
from engine.text.tokenizers.words import Words
from engine.views import theme
from engine.views.base import number
from pages.ui import ask, plate, rows
from pages.ui.counting.context import Context
from pages.ui.counting.study import BY_TEXT, Chosen
from pages.ui.rows import WHOLE

MOST, LINES, WORDS = 10, 4, 160  # least counts; lines and words that are shown


@st.cache_resource(max_entries=12, show_spinner="Counting …", hash_funcs=BY_TEXT)
def _closed(chosen: Chosen, least: int) -> Study:
    return least_count.closed(chosen.study, least)


def show(chosen: Chosen, context: Context) -> None:
    st.markdown(
        "A word that never occurs in the text has no count, and neither has `<unk>`, unless the text has some. So words"
        " that are too rare are read as `<unk>` while counting: then it follows other words, and gets probabilities"
        " like any word."
    )
    if not isinstance(chosen.study.tokenizer, Words):
        st.info("Characters are never that rare. Cut the text into words, under *Counting*.")
        return
    most = max(2, min(MOST, int(least_count.word_counts(chosen.study).max())))
    label = "A word is known from a count of"
    least = ask.between(st.slider, label, "least", 1, most, 2, width=320)
    study = _closed(chosen, least)
    st.markdown(_lines(chosen, study))
    found = least_count.course(chosen.study, most)
    at = range(1, most + 1)
    shares = [
        ("counted lines", at, 100 * found.counted_L),
        ("held-out lines", at, 100 * found.held_L),
    ]
    left, right = st.columns((3, 2), gap="medium")
    plate.show(
        plate.lines(
            "unknown-share",
            "Words that are read as unknown",
            [*shares, ("chosen", [least], [100 * found.counted_L[least - 1]])],
            chosen.id,
            chosen.says,
            x="a word is known from a count of",
            y="percent of all words",
            of_series="",
            whole=True,
            fluid=True,
            model="ngram",
        ),
        left,
    )  # fmt: skip
    with right:
        rows.show(
            {
                "known from": [1, least],
                "words known": [int(found.known_L[n - 1]) for n in (1, least)],
                "unknown, held-out": [
                    "" if np.isnan(share) else f"{100 * share:.1f} %"
                    for share in (found.held_L[0], found.held_L[least - 1])
                ],
            },
            forms={"words known": WHOLE},
        )
        st.markdown(_after(chosen, study, context))
        st.caption(
            "The smaller the vocabulary, the easier it is to guess, so perplexities of two"
            " vocabularies can't be compared: with every word unknown it would be close to 1."
        )


def _lines(chosen: Chosen, study: Study) -> str:
    """The first lines, with the words in red that are read as unknown."""
    said, left = [], WORDS
    for line in chosen.study.lines[:LINES]:
        tokens = study.tokenizer.encode(line)[:left]
        rare, left = set(tokens.unknown), left - len(tokens)
        said.append(
            " ".join(
                f":red-background[{escape(theme.visible(word))}]" if t in rare else escape(theme.visible(word))
                for t, word in enumerate(tokens.labels)
            )
        )  # fmt: skip
    return "  \n".join(filter(None, said))


def _after(chosen: Chosen, study: Study, context: Context) -> str:
    """What the unknown token gets after the last word of the context, by counting alone."""
    if study.order == 1:
        grams = study.raw.orders[0]
        share = float(grams.count_G[0] / max(1, grams.total_P[0]))
        return f"P(`<unk>`) = **{number(share)}**, counted and not smoothed."
    last = chosen.study.vocab[int(context.ids[-1])]
    before = study.vocab.index(last) if last in study.vocab else 0
    said = study.vocab[before]
    if int(context.ids[-1]) == study.raw.boundary:
        before, said = study.raw.boundary, "<s>"
    grams = study.raw.orders[1]
    place = int(study.raw.find(2, np.array([before]), np.zeros(1, np.int64))[0])
    count, total = grams.count_G[place] if place >= 0 else 0, grams.total_P[before]
    p = number(float(count / total)) if total else "0 / 0"
    return f"P(`<unk>` | “{escape(theme.visible(said))}”) = **{p}**, counted and not smoothed."
