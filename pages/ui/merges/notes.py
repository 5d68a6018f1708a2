"""Below the live part of the Merges page: what the notes leave open, and an example of theirs that
cannot come out."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import streamlit as st

from pages.ui import closer

UNHAPPINESS = (
    "A common example cuts “unhappiness” into **un**, **happy** and **ness**. Joined again,"
    " that is “unhapp**y**ness”. The tokens of BPE, WordPiece and Unigram are substrings of"
    " the text: joined, they give back the word, so this cut can never come out. **un**,"
    " **happi**, **ness** can, if enough words of the text contain these pieces. Then “happy”"
    " and “happi” are two unrelated tokens: only a stemmer or a lemma shows that they are one"
    " word (*Text preparation*)."
)
TIES = (
    (
        "**Ties.** Several pairs can be equally frequent, and in a small text they often are."
        " The choice changes the vocabulary: choose another rule above and look at the text."
    ),
    (
        "**Overlaps.** In “aaaa” the pair **a a** occurs three times, but it can be replaced"
        " only twice, from left to right. Here all three places are counted."
    ),
    (
        "**New text.** The merges are applied in the order in which they were learned, inside"
        " each word: see *Cut a new word*."
    ),
)
LIBRARY = (
    (
        "The same text was given to our code and to the `tokenizers` library. **BPE**, over"
        " bytes and over characters: the same merges in the same order, with the tie rule *the"
        " smallest by its numbers*."
    ),
    (
        "**WordPiece**: the library's trainer does not use the score. It merges by count, as"
        " BPE does, and only adds the ##, so its order is that of the left list above, not of"
        " the right one. *Cutting* a word into the longest matching pieces is the same."
    ),
    (
        "**Unigram**: the same probabilities where nothing has to be pruned; where much is"
        " pruned, a few pieces in a hundred differ. With the same pieces a word is cut in the"
        " same way."
    ),
)
CARELESS = (
    (
        "A widely copied program for BPE has three faults. It does **not cut the text into"
        " words first**, so merges cross spaces and even line ends: choose *merges may cross"
        " spaces* above."
    ),
    (
        "It has **no unknown token**: a letter that was not in the training text is dropped"
        " silently. Trained on low, lower, newest and widest, it turns “zebra!” into “er”."
    ),
    (
        "It passes `*.txt` to the trainer as if that were a file name. No such file exists:"
        " the names have to be listed first."
    ),
)
PARTS = {
    "“unhappiness”": (UNHAPPINESS,),
    "Ties, overlaps, new words": TIES,
    "Does the library do the same?": LIBRARY,
    "A careless recipe": CARELESS,
}


def show() -> None:
    closer.one_of({name: partial(_say, texts) for name, texts in PARTS.items()}, "merges_part")


def _say(texts: Iterable[str]) -> None:
    for text in texts:
        st.markdown(text)
