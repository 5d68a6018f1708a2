"""The net, counts and a cache of recent words together: bits per word alone and mixed, with shares of one's own."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.analysis import beyond_counts
from engine.lessons.feedforward import beside
from engine.live.markdown import escape
from engine.models.feedforward import FeedForward
from engine.ngram import mixture
from engine.runs.store import Run
from pages.ui import ask, plate

LONGEST = 300
TEXTS = (
    "The doctor looked at the girl. The girl looked at the doctor, and the doctor smiled at the girl.",
)


def show(run: Run, net: FeedForward) -> None:
    if (counts := beside.counts(run)) is None:
        st.info("This needs counts of words cut alike; none are here.")
        return
    text = ask.text("Text", "mixed_text", LONGEST, value=TEXTS[0]).strip()
    line = ask.line()
    w = ask.slider("Share of the cache", "mixed_cache", 0.0, 0.5, 0.1, 0.05, where=line, width=170)
    q = ask.slider(
        "Share of the counts", "mixed_counts", 0.0, 0.5, 0.3, 0.05, where=line, width=170
    )
    fade = ask.slider(
        "Decay of the cache", "mixed_fade", 0.5, 1.0, 1.0, 0.05, where=line, width=170
    )
    labels = net.tokens(text).labels[1:]
    if not labels:
        st.info("Type a text.")
        return
    try:
        p_TK = beyond_counts.apiece(net, counts, text, fade)
    except ValueError:
        st.info("The net and the counts do not cut this text alike.")
        return
    mixed_T = beyond_counts.mixed(p_TK, q, w)
    series = {"the net": p_TK[:, 0], "with counts and cache": mixed_T}
    bits = {name: -np.log2(np.maximum(p_T, 1e-300)) for name, p_T in series.items()}
    places = range(1, len(labels) + 1)
    plate.show(
        plate.lines(
            "hybrid",
            "How surprising each word is",
            [(name, places, b_T) for name, b_T in bits.items()],
            run.id,
            "Cut like the net: a word that it does not know is one of the unknown words.",
            x="word of the text",
            y="bits",
            of_series="model",
            whole=True,
            text=text,
            model=run.model,
        )
    )
    best = mixture.fit(p_TK[1:]).best if len(p_TK) > 1 else None
    alone, both = (float(b_T.mean()) for b_T in bits.values())
    st.markdown(
        f"**{alone:.2f}** bits per word by the net alone, **{both:.2f}** with {100 * q:.0f} % of counts and"
        f" {100 * w:.0f} % of a cache. The cache holds the words of this very text so far, so it helps where words come"
        " back and costs a little at every other word."
    )
    if best is not None:
        net_, counts_, cache_ = (100 * float(x) for x in best)
        st.markdown(
            f"Shares fitted to this text itself: net {net_:.0f} %, counts {counts_:.0f} %, cache {cache_:.0f} %. Fitted"
            " on the text they are judged on, they flatter; a new text needs shares from another one."
        )
    at = int(np.argmax(bits["the net"] - bits["with counts and cache"]))
    a, b, c = p_TK[at]
    cached = w if at else 0.0
    st.latex(
        rf"P={1 - q - w:.2f}\cdot{a:.3g}+{q:.2f}\cdot{b:.3g}+{cached:.2f}\cdot{c:.3g}={mixed_T[at]:.3g}"
        if at
        else rf"P=\frac{{{1 - q - w:.2f}\cdot{a:.3g}+{q:.2f}\cdot{b:.3g}}}{{{1 - w:.2f}}}={mixed_T[at]:.3g}"
    )
    st.caption(f"This is for “{escape(labels[at])}”, word {at + 1}, the one that gains most.")
