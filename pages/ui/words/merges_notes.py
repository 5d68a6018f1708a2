"""Below the live part of the Merges page: what the notes leave open, and an example of theirs that cannot come out."""

from __future__ import annotations

import streamlit as st

UNHAPPINESS = (
    "The notes cut “unhappiness” into **un**, **happy** and **ness**. Put together that is “unhapp**y**ness”. Tokens of BPE, WordPiece and Unigram are stretches of the text itself: put together "
    "they give the word back. So this cut can never come out. **un**, **happi**, **ness** can, if enough words of the text have these stretches. Then “happy” and “happi” are two tokens "
    "that have nothing to do with each other: to see that they are one word takes a stemmer or a lemma (*Text preparation*)."
)
TIES = (
    "The notes do not say which pair is merged when several are equally frequent. In a small text that is often so, and it changes the vocabulary: choose another rule above and look at the text.",
    "They do not say how overlapping pairs are counted. In “aaaa” the pair **a a** stands three times, but it can be replaced only twice, from left to right. Here all three places are counted.",
    "They do not say how a **new** text is cut. The merges are applied in the order in which they were learned, inside each word: see *Cut a new word*.",
)
LIBRARY = (
    "The same text was given to ours and to the `tokenizers` library. **BPE**, over bytes and over characters: the same merges in the same order, with the tie rule *the smallest by its numbers*.",
    "**WordPiece**: the library's trainer does not use the score. It merges by count, as BPE does, and only writes the ##: it takes the order of the left list above, not that of the right one. "
    "*Cutting* a word into the longest pieces that fit is the same.",
    "**Unigram**: the same probabilities where nothing has to be left out; where much has, a few pieces in a hundred differ. With the same pieces a word is cut the same way.",
)
CARELESS = (
    "The notes' program for BPE has three faults. It does **not cut the text into words first**, so merges cross spaces and even line ends: choose *merges may cross spaces* above.",
    "It has **no unknown token**: a letter that was not in the training text is left out without a word. Trained so on low, lower, newest and widest, “zebra!” comes back as “er”.",
    "It hands the trainer `*.txt` as if that were the name of a file. No such file exists: the names have to be found first.",
)
PARTS = {"“unhappiness”": (UNHAPPINESS,), "Ties, overlaps, new words": TIES, "Does the library do the same?": LIBRARY, "A careless recipe": CARELESS}


def show() -> None:
    part = st.segmented_control("Look closer", PARTS, key="merges_part", bind="query-params", default="“unhappiness”", required=True)
    for text in PARTS.get(str(part), (UNHAPPINESS,)):
        st.markdown(text)
