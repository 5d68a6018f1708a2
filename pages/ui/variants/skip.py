"""Skip-grams: the tuples with gaps of a typed sentence and of the whole text, and what stands at a
distance from a word."""

from __future__ import annotations

from math import comb

import numpy as np
import streamlit as st

from engine.core.trace import Table
from engine.live.markdown import escape
from engine.ngram import skipgrams
from engine.ngram.counts import Counts
from engine.text.tokenizers.base import Tokens
from engine.views import theme
from pages.ui import ask, plate, rows, show
from pages.ui.counting.context import word_id
from pages.ui.counting.study import BY_TEXT, Chosen
from pages.ui.plate import Plate
from pages.ui.variants import chosen as variants

# k; rows of the list of the whole text; tuples of the text that are counted without being asked
MOST, LISTED, COUNTED = 4, 200, 12_000_000
CLASH = (
    "**One name, two things.** The *skip-gram model* of word2vec learns vectors that predict the"
    " neighbours of a word; see Embeddings. Here nothing is learned: tuples of words are counted,"
    " and words between them may be left out."
)


def section(chosen: Chosen) -> None:
    row = ask.line()
    tokens = variants.sentence(chosen, row)
    n = ask.among("n, words in a tuple", (2, 3, 4), "tuple", 2, row)
    k = ask.between(row.slider, "k, words that may be skipped", "skip", 0, MOST, 2, width=230)
    plate.row(growth(chosen, len(tokens), tokens.labels), picture(chosen, tokens, n, k))
    st.markdown(
        "The words of an n-gram are adjacent. A **k-skip-n-gram** may skip up to k words"
        " between them, over all gaps together."
    )
    size = len(tokens)
    show.formula(r"\{(w_{i_1},\dots,w_{i_n}) : i_1 < \dots < i_n,\ (i_n - i_1) - (n - 1) \le k\}")
    counted = [number(size, n, j) for j in range(MOST + 1)]
    if n == 2:
        parts = " + ".join(f"({size}-1-{j})" for j in range(k + 1) if size - 1 - j > 0) or "0"
        show.formula(rf"\sum_{{j=0}}^{{{k}}} (T - 1 - j) = {parts} = {counted[k]}")
    st.markdown(
        f"This sentence of {size} {chosen.cut} has **{counted[k]:,}** {k}-skip-{n}-grams; without"
        f" gaps {counted[0]:,}."
    )
    whole(chosen, n, k)
    st.markdown(CLASH)
    distance(chosen)


def number(size: int, n: int, k: int) -> int:
    """How many there are in a sentence of so many tokens."""
    return sum(max(0, size - reach) * comb(reach - 1, n - 2) for reach in range(n - 1, n + k))


def growth(chosen: Chosen, size: int, labels: tuple[str, ...]) -> Plate:
    """How many tuples of 2, 3 and 4 words for every k."""
    ks = range(MOST + 1)
    return plate.lines(
        "skipgrams",
        "How many skip-grams the sentence has",
        ((f"n = {n}", ks, [number(size, n, k) for k in ks]) for n in (2, 3, 4)),
        f"variants-{chosen.id}",
        chosen.says,
        x="k, words that may be skipped",
        y="skip-grams",
        text=" ".join(labels),
        of_series="",
        whole=True,
    )


def stretches(tokens: Tokens, n: int, k: int) -> list[tuple[tuple[str, ...], int, int]]:
    """(words, first place, last place) of all, those without a gap first."""
    ends = (
        (start, offset)
        for start in range(len(tokens.ids))
        for offset in skipgrams.offsets(n, k)
        if start + offset[-1] < len(tokens.ids)
    )
    found = [
        (tuple(theme.visible(tokens.labels[start + o]) for o in offset), start, start + offset[-1])
        for start, offset in ends
    ]
    return sorted(found, key=lambda s: s[2] - s[1])


def picture(chosen: Chosen, tokens: Tokens, n: int, k: int) -> Plate:
    """Every skip-gram of the sentence as a line from its first word to its last."""
    found = stretches(tokens, n, k)
    made = Table.of_rows(
        "stretches",
        f"All {k}-skip-{n}-grams of the sentence",
        ("word", "start", "stop", "value"),
        [(" ".join(words), a, b, b - a - (n - 1)) for words, a, b in found],
    )
    return chosen.plate(
        "stretches",
        "spans",
        made,
        " ".join(tokens.labels),
        source=variants.SOURCE,
        words=tokens.labels,
        what="words left out",
    )


def whole(chosen: Chosen, n: int, k: int) -> None:
    """All tuples of the counted text, sentence by sentence."""
    study = chosen.study
    if len(study.stream) * len(skipgrams.offsets(n, k)) > COUNTED:
        st.caption(
            f"The whole text has too many {k}-skip-{n}-grams to count at once here; take a smaller"
            " n or k."
        )
        return
    total, different, listed = _whole(chosen, n, k)
    st.markdown(
        f"The whole text has **{total:,}** of them, **{different:,}** different ones; none goes"
        " beyond a sentence. The most frequent:"
    )
    rows.show([{"skip-gram": gram, "times": count} for gram, count in listed], height=220)


@st.cache_data(max_entries=60, show_spinner="Counting …", hash_funcs=BY_TEXT)
def _whole(chosen: Chosen, n: int, k: int) -> tuple[int, int, list[tuple[str, int]]]:
    study = chosen.study
    gram_Gn, count_G = skipgrams.count_skipgrams(study.stream, n, k, study.tokenizer.boundary)
    listed = [
        (" ".join(theme.visible(study.vocab[i]) for i in gram), int(c))
        for gram, c in zip(gram_Gn[:LISTED].tolist(), count_G[:LISTED], strict=True)
    ]
    return int(count_G.sum()), len(count_G), listed


def commonest(counts: Counts) -> int:
    count_V = np.array(counts.orders[0].count_G)
    count_V[counts.boundary] = 0
    return int(count_V.argmax())


def distance(chosen: Chosen) -> None:
    """P_skip: what stands exactly d places after a word."""
    study = chosen.study
    st.markdown(
        "**Which words occur at a fixed distance from a word?** Distance 1 is the next word;"
        " with up to k words left out, distances run from 1 to k + 1."
    )
    left, right = st.columns((2, 3), vertical_alignment="bottom")
    name = ask.text("Word", "centre", 100, "empty: the commonest", left)
    d = ask.between(right.slider, "Distance d", "distance", 1, MOST + 1, 1)
    id = word_id(chosen, name.strip() or name) if name else commonest(study.raw)
    if id is None or id == study.tokenizer.boundary:
        st.warning(
            f"“{escape(name[:40])}” is not one token of the counted text; the commonest one is"
            " taken instead."
        )
        id = commonest(study.raw)
    count_V = skipgrams.at_distance(study.stream, id, d, len(study.vocab), study.tokenizer.boundary)
    total, said = int(count_V.sum()), variants.word(chosen, id)
    if not total:
        st.info(f"Nothing occurs {d} places after “{said}” in the same sentence.")
        return
    best = int(count_V.argmax())
    show.formula(
        r"P_{\text{skip}}(w \mid v, d) = \frac{c(v,w,d)}{\sum_{w'} c(v,w',d)} ="
        rf" \frac{{{int(count_V[best])}}}{{{total}}} = {count_V[best] / total:.4g}"
    )
    st.caption(
        f"v is “{said}”, w is “{variants.word(chosen, best)}”, d = {d}. The text has"
        f" {skipgrams.pairs(study.stream, d, study.tokenizer.boundary):,} pairs at this distance."
    )
    says = f"Words {d} {'place' if d == 1 else 'places'} after “{theme.plain(study.vocab[id])}”"
    p_V, all_V, word = count_V / total, np.arange(len(count_V)), study.vocab[id]
    plate.show(variants.bars(chosen, "pskip", says, p_V, all_V, f"distance {d}", word))
