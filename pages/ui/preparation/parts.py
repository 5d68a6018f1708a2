"""Below the live part: what a pipeline gains and loses, the danger of "not", the ways to cut
"don't", what a lemma needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from engine.text.corpora.reviews import CORPUS as REVIEWS
from engine.text.preparation import lemma, stopwords, tokens
from engine.text.preparation.effect import Judge
from engine.text.preparation.pipeline import STRAIGHT, Pipeline
from pages.ui import closer
from pages.ui import rows as table
from pages.ui.preparation import effect

FILMS = ("The movie was not very good.", "The movie was very good.")
LISTS = {
    "no list": "tokens",
    **{words: f"tokens-stopwords.{id}" for id, words in stopwords.CHOICES.items()},
}
CUTS = {"kept whole": "whole", "at every sign": "apart", "as the Penn Treebank": "penn"}


def draw(traces: Mapping[str, Any], look: Mapping[str, Any]) -> None:
    def gain() -> None:
        settle = st.session_state.get("live-preparation.settle") or {}
        effect.show(str(settle.get("text", "")), str(look.get("steps", STRAIGHT)))

    parts = {
        "Gain and loss": gain,
        "The danger of “not”": negation,
        "Three ways to cut “don’t”": contraction,
        "What a lemma needs": lemmas,
        "Is it worth it?": worth,
    }
    closer.one_of(parts, "prep_part")


@st.cache_resource(max_entries=16, show_spinner="Training the classifier …")
def judge(written: str) -> Judge:
    return Judge.trained(REVIEWS.labelled(), Pipeline.read(written))


def negation() -> None:
    first, second = (
        st.text_input(f"{which} sentence", text, key=f"prep_film{n}", max_chars=200)
        for n, (which, text) in enumerate(zip(("First", "Second"), FILMS, strict=True))
    )
    texts, rows = [first or "", second or ""], []
    for name, written in LISTS.items():
        cut = [" ".join(Pipeline.read(written).tokens(text)) for text in texts]
        p = judge(written).probability(texts, "positive")
        rows.append(
            {
                "stop list": name,
                "first, after removal": cut[0],
                "second, after removal": cut[1],
                "first: P(positive)": f"{100 * p[0]:.1f} %",
                "second: P(positive)": f"{100 * p[1]:.1f} %",
                "same": "yes" if cut[0] == cut[1] else "no",
            }
        )
    table.show(rows, height="content")
    st.markdown(
        f"P(positive) comes from naive Bayes trained on {len(REVIEWS.labelled())} short"
        " reviews with the same list. Scikit-learn's list of 318 contains “not”, and “very”"
        " too: both film sentences become **movie good .** Where *same* says yes, no model of"
        " any kind can tell the sentences apart. Keeping “not” makes them different, but this"
        " classifier still does not understand negation: it counts single words and cannot"
        " tell what “not” belongs to. A model that reads in order can."
    )


def contraction() -> None:
    begins = "I don't know, we can't go: it's John's!"
    text = st.text_input("A text with contractions", begins, key="prep_cut", max_chars=300) or ""
    found = [tokens.PREPARATION.apply(text, cut).after.split() for cut in CUTS.values()]
    columns = {
        "how": list(CUTS),
        "tokens": ["   ".join(pieces) for pieces in found],
        "count": [len(pieces) for pieces in found],
        "different": [len(set(pieces)) for pieces in found],
    }
    table.show(columns, height="content")
    st.markdown(
        "All three are in use. *Whole*: “don't” is one word that has nothing in common with"
        " “do” or “not”. *At every sign*: the “t” means nothing by itself. *Penn Treebank*:"
        " “n't” is a token of its own, so “don't”, “can't” and “isn't” share one token for the"
        " negation; but “ca” is not a word. German writes compounds as one word:"
        " Freundschaftsbezeugung (a demonstration of friendship) stays one token in all three."
        " To split it takes a lexicon, or pieces of words (*Tokenizers*)."
    )


def lemmas() -> None:
    names = ("word", "part of speech", "its lemma", "as in", "what the list says")
    rows = [dict(zip(names, (*row, lemma.lemma(row[0])), strict=True)) for row in lemma.BY_PART]
    table.show(rows, height="content")
    wrong = sum(row["its lemma"] != row["what the list says"] for row in rows)
    st.markdown(
        "A word can be two parts of speech and have two lemmas. The list sees only the word"
        f" and gives one lemma: here it is wrong in {wrong} of {len(rows)} rows. The right"
        " choice needs a tagger that reads the sentence first (*Task shapes* has one). As an"
        " adjective, “worse” belongs to “bad”; the list says “wrong”. The lemma of a noun is a"
        " noun: for “democratization” it is not “democratize”. And a lemma is a valid word"
        " only if the list knows the word: unknown words stay as they are."
    )


WORTH = """
| Question | Remove words, or cut them | Leave them |
| --- | --- | --- |
| What is the task? | search, topics: what a text is about | \
sentiment, translation, writing: every “not” and every ending counts |
| What is the model? | counts of words, small vocabularies | \
networks that read in order, pieces of words (*Tokenizers*) |
| How much text is there? | little: walk, walks and walked each occur once | much: each form occurs often enough |
| Which language? | many forms of a word, and a good stemmer or list | no stemmer, or no spaces between words |
"""


def worth() -> None:
    st.markdown(WORTH)
    st.markdown(
        "These four questions apply to stop words, stems and lemmas alike. Measure both ways"
        " under *Gain and loss*, on your own text. A model trained on raw text needs raw text:"
        " prepare your text as the model's training text was prepared, or its words will not"
        " be found."
    )
