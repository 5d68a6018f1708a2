"""The output layer of the chosen kind: all words, noise words with their chances, or the Huffman
tree."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import streamlit as st

from engine.core.trace import Table
from engine.live.markdown import escape
from engine.nn.word2vec import toy
from engine.nn.word2vec.chances import keep_probability, noise_probability
from engine.nn.word2vec.huffman import Tree
from pages.ui import plate, rows
from pages.ui.word2vec.chosen import Now

THRESHOLD = 0.1
PER_CENT = "%.4f"


def show(now: Now) -> None:
    if now.setting.output == "softmax":
        v = len(now.text.words)
        st.markdown(
            f"Each prediction uses **all {v} output rows** and moves all of them. With a"
            " vocabulary of 100,000 words that is 100,000 products for one centre; negative"
            " sampling uses 1 + K rows per target, a tree about log₂ of the vocabulary."
        )
    elif now.setting.output == "negative":
        noise(now)
    else:
        huffman(now)


def noise(now: Now) -> None:
    count_V = now.text.counts
    noise_V, keep_V = noise_probability(count_V), keep_probability(count_V, THRESHOLD)
    paper_V = keep_probability(count_V, THRESHOLD, paper=True)
    words: list[dict[str, Any]] = [
        {
            "word": word,
            "count": int(count_V[i]),
            "share": count_V[i] / count_V.sum(),
            "noise": noise_V[i],
            "paper": paper_V[i],
            "program": keep_V[i],
        }
        for i, word in enumerate(now.text.words)
    ]
    number, kept = st.column_config.NumberColumn, f"kept, √(t/f), t = {THRESHOLD:g}"
    rows.show(
        sorted(words, key=lambda row: -row["count"]),
        forms={
            "share": number("share of the text", format=PER_CENT),
            "noise": rows.bar("probability as noise", PER_CENT),
            "paper": number(kept, format=PER_CENT),
            "program": number("kept, √(t/f) + t/f", format=PER_CENT),
        },
    )
    if now.asked:
        drawn = "; ".join(
            f"for “{escape(now.text.words[t])}”: "
            + ", ".join(f"“{escape(w)}”" for w in now.names(k))
            for t, k in zip(now.asked.targets, now.asked.noise_TK, strict=True)
        )
        st.markdown(f"Drawn for this update, {drawn}.")
    st.markdown(
        "Noise words are drawn with probability proportional to **count^0.75**: rare words a"
        " little more often than their share, common ones a little less. If the target itself"
        " is drawn, the draw is repeated. The two columns on the right are for"
        " **subsampling**: how often an occurrence is read at all, by the formula in the paper"
        f" and by that of its program. Long texts use t = 0.001; {THRESHOLD:g} shows an effect"
        " in a short one. No word is left out on this page."
    )


def huffman(now: Now) -> None:
    tree = now.text.tree
    assert tree is not None
    words, v = now.text.words, len(now.text.words)
    weight = weights(tree, now.text.counts)
    above = {int(child): n for n, pair in enumerate(tree.child_N2) for child in pair}
    order = downwards(tree)
    columns = {
        "node": order,
        "parent": [above[i] + v if i in above else -1 for i in order],
        "word": [words[i] if i < v else f"n{i - v + 1}" for i in order],
        "count": [weight[i] for i in order],
        "share": [weight[i] / weight[above[i] + v] if i in above else 1.0 for i in order],
    }
    says = "The Huffman tree: the two rarest nodes are joined, again and again"
    options = {"measure": "share of the node above (%)", "number": "count"}
    of = (
        "n1, n2 … in the order of joining; upper branch: left (0), the rarer one; lower branch:"
        " right (1)"
    )
    table = Table.of("huffman", says, columns, ("node", "parent"))
    plate.show(now.plate("huffman", "tree", table, of, options=options))
    if now.done is None:
        return
    chance_V = toy.chances(now.tables[1], now.done.h_D, now.setting, now.text)
    rows.show(
        [
            {
                "word": word,
                "count": int(now.text.counts[i]),
                "code (0 left, 1 right)": tree.code(i),
                "p": chance_V[i],
            }
            for i, word in enumerate(words)
        ],
        forms={"p": rows.bar("p now", "%.6f")},
    )
    mean = float(now.text.counts @ tree.length_V / now.text.counts.sum())
    st.markdown(
        "The probability of a word is the product of the turns on its path; over all words"
        f" these add up to **{chance_V.sum():.6f}**. Common words have short codes:"
        f" **{mean:.2f}** questions per word of this text on average, where a softmax uses {v}"
        " rows."
    )


def weights(tree: Tree, count_V: np.ndarray) -> dict[int, int]:
    """The count of each word, and of each inner node (numbered from V on) the sum of what hangs on
    it."""
    v = len(count_V)

    @cache
    def of(i: int) -> int:
        return int(count_V[i]) if i < v else sum(map(of, tree.child_N2[i - v].tolist()))

    return {i: of(i) for i in range(2 * v - 1)}


def downwards(tree: Tree) -> list[int]:
    """All nodes from the root, each before what hangs on it, left before right: the picture keeps
    this order from top to bottom."""
    v, order = len(tree.node_VL), []
    todo = [2 * v - 2]  # the root was made last
    while todo:
        order.append(i := todo.pop())
        if i >= v:
            todo += [int(child) for child in tree.child_N2[i - v][::-1]]
    return order
