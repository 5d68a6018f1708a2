"""Four limits of counting, and what the net makes of each, measured on a text of one's own."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.analysis import beyond_counts, windowed
from engine.lessons.feedforward import beside
from engine.lessons.scoring.latex import power
from engine.live.markdown import escape
from engine.models.feedforward import FeedForward
from engine.runs.store import Run
from pages.ui import ask, choice, rows

LONGEST = 300
TEXT = "It was a cold evening, and the old woman sat by the fire with the old"
WORDS = ("Nobody", "Everybody")
LIMITS = ("A row for each text", "Runs never counted", "Words that are alike", "A window")


def show(run: Run, net: FeedForward) -> None:
    if (counts := beside.counts(run)) is None:
        st.info("This needs counts of words cut alike; none are here.")
        return
    line = ask.line()
    text = ask.text("Text", "limits_text", LONGEST, where=line, value=TEXT).strip()
    tokens = net.tokens(text)  # the first is the mark of the start
    if len(tokens) < 3 or len(counts.tokens(text)) != len(tokens):
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
            for k in range(2, min(n, counts.config.order) + 1)
        ]
        written.append(("bits per token of this text", *bits))
        says = (
            "Most long runs of a new text were never counted; then counts can only fall back on shorter ones. The net"
            " computes an answer for any words that have vectors."
        )
    elif limit == LIMITS[2]:
        other, cosine = beyond_counts.nearest(net, int(tokens.ids[-1]))
        alike = net.tokenizer.vocab[other]
        far = [f"{beyond_counts.moved(m, text, alike):.3f}" for m in (counts, net)]
        word = tokens.labels[-1]
        written.append((f"“{escape(word)}” → “{escape(alike)}”: share that moves", *far))
        says = (
            f"The last word gives way to the one whose vector is most like it (cosine {cosine:.2f}). To counts these"
            " are two different words. In the net what was learned behind one helps behind the other."
        )
    else:
        first = WORDS[tokens.labels[1] == WORDS[0]]
        far = [f"{beyond_counts.moved(m, text, first, at=1):.3f}" for m in (counts, net)]
        written.append((f"“{escape(tokens.labels[1])}” → “{first}”: share that moves", *far))
        says = (
            f"This limit stays: the net sees {n} words, and what stands before them changes nothing. Only a state"
            " (recurrent nets) or attention looks further."
            if len(tokens) - 1 > n
            else f"The net sees {n} words, and all of this text is among them. Type more than {n}."
        )
    st.markdown(rows.written(written, "--- | --: | --:"))
    st.markdown(says)
