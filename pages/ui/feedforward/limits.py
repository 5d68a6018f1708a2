"""Four limits of counting, and what the net makes of each, measured on a text of one's own; and the three together:
the net, counts and a cache of recent words."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from engine.analysis import beyond_counts, windowed
from engine.live import cache
from engine.live.markdown import escape
from engine.models.base import Model
from engine.models.feedforward import FeedForward
from engine.ngram import mixture
from engine.runs.store import Run
from engine.stages.feedforward import beside
from engine.stages.scoring.latex import power
from pages.ui import ask, choice, plate, rows

LONGEST = 300
TEXT = "It was a cold evening, and the old woman sat by the fire with the old"
TEXTS = (
    "The doctor looked at the girl. The girl looked at the doctor, and the doctor smiled at the girl.",
)
WORDS = ("Nobody", "Everybody")
LIMITS = ("A row for each text", "Runs never counted", "Words that are alike", "A window")


def counted(run: Run) -> tuple[Run, Model[Any]] | None:
    """The counts that stand beside this net."""
    other = next((other for other, title in beside.choose(run) if title == "n-gram"), None)
    return (other, cache.model(other, Model)) if other else None


def show(run: Run, net: FeedForward) -> None:
    if (found := counted(run)) is None:
        st.info("This needs counts of words cut alike; none are here.")
        return
    _, counts = found
    line = ask.line()
    text = ask.text("Text", "limits_text", LONGEST, where=line, value=TEXT).strip()
    words = text.split()
    if len(words) < 2:
        st.info("Type two words or more.")
        return
    limit = choice.one_of("Limit", LIMITS, "limit", where=line, link=True)
    n, v = net.config.window, len(net.tokenizer.vocab)
    written: list[tuple[str, ...]] = [("", "counts", "the net")]
    if limit == LIMITS[0]:
        written.append(
            (
                f"numbers for every run of {n + 1} words",
                f"${power(float(v) ** (n + 1))}$",
                f"{windowed.size(net.config, v, n).total:,}",
            )
        )
        says = (
            f"A full table of counts has a cell for each run of {n + 1} words from a vocabulary of {v:,}; the net"
            " shares its numbers between all runs. Real counts keep only runs that occurred, and that is the next"
            " limit."
        )
    elif limit == LIMITS[1]:
        long_T = beyond_counts.unseen(counts, text, n + 1)
        p_TK = beyond_counts.apiece(net, counts, text)
        bits = [f"{-np.log2(np.maximum(p_TK[:, k], 1e-300)).mean():.2f}" for k in (1, 0)]
        written += [
            (
                f"runs of {k} words that it has met",
                f"{int((long_T >= k).sum())} of {max(len(long_T) - k + 2, 0)}",
                "no run is needed",
            )
            for k in range(2, n + 1)
        ]
        written.append(("bits per token of this text", *bits))
        says = (
            "Most long runs of a new text were never counted; then counts can only fall back on shorter ones. The net"
            " computes an answer for any words that have vectors."
        )
    elif limit == LIMITS[2]:
        ids = net.tokenizer.encode(words[-1]).ids
        id = int(ids[-1])
        other, cosine = beyond_counts.nearest(net, id)
        word, alike = net.tokenizer.vocab[id], net.tokenizer.vocab[other]
        before = " ".join(words[:-1])
        far = [f"{beyond_counts.moved(m, before, word, alike):.3f}" for m in (counts, net)]
        written.append((f"“{escape(word)}” → “{escape(alike)}”: share that moves", *far))
        says = (
            f"The last word gives way to the one whose vector is most like it (cosine {cosine:.2f}). To counts these"
            " are two different words. In the net what was learned behind one helps behind the other."
        )
    else:
        first = WORDS[words[0] == WORDS[0]]
        changed = " ".join([first, *words[1:]])
        far = []
        for m in (counts, net):
            a, b = (
                m.trace(t, fields=("probability",)).field("probability").values[-1]
                for t in (text, changed)
            )
            far.append(f"{float(np.abs(a.astype(float) - b).sum() / 2):.3f}")
        written.append((f"“{escape(words[0])}” → “{first}”: share that moves", *far))
        says = (
            f"This limit stays: the net sees {n} words, and what stands before them changes nothing. Only a state"
            " (recurrent nets) or attention looks further."
        )
    st.markdown(rows.written(written, "--- | --: | --:"))
    st.markdown(says)


def together(run: Run, net: FeedForward) -> None:
    if (found := counted(run)) is None:
        st.info("This needs counts of words cut alike; none are here.")
        return
    _, counts = found
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
