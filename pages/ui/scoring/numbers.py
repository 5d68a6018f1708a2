"""One number for a text: bits per token and perplexity, in every base and by every way to count,
and what was left out."""

from __future__ import annotations

import math

import numpy as np
import streamlit as st

from engine.language.numbers import figures
from engine.lessons.scoring.latex import finite, power
from engine.ngram.evaluate import Event, Measure
from engine.views import theme
from pages.ui import rows
from pages.ui.scoring.methods_compared import BASES, UNITS, Scored
from pages.ui.show import formula

LISTED = 200


def summary(s: Scored) -> None:
    """The chosen measure in its formula, in all three bases."""
    m = s.measure(s.mine)
    left = m.tokens - m.impossible
    if not left:
        st.info(
            f"{s.title} gives all {m.tokens:,} tokens probability 0, so there is no mean to"
            " compute."
        )
        return
    h = [m.rest_cross_entropy(base) or 0.0 for base in UNITS.values()]
    total, mine = m.bits / math.log2(s.base), dict(zip(UNITS, h, strict=True))[s.unit]
    if m.impossible:
        st.markdown(
            f"{m.impossible:,} of {m.tokens:,} tokens are impossible, so the text has no"
            f" finite perplexity. **Of the {left:,} others:**"
        )
    formula(
        rf"H = -\frac{{1}}{{N}} \sum_{{i=1}}^{{N}} \log_{{{BASES[s.unit]}}} P(w_i \mid h_i)",
        rf"\vphantom{{\sum_{{i=1}}^{{N}}}} = \frac{{{total:.5f}}}{{{left}}} = {mine:.5f}",
    )
    st.markdown(
        f"{s.unit} per token: the cross-entropy of the model on this text. Its perplexity is"
    )
    pp = m.rest_perplexity
    if pp is None:
        st.markdown("The perplexity is too large to write.")
        return
    formula(
        rf"\text{{perplexity}} = {BASES[s.unit]}^H = {BASES[s.unit]}^{{{mine:.5f}}} = {pp:,.5f}"
    )
    st.markdown(
        f"The model is as unsure as if each next token were drawn from **{figures(pp)}**"
        " equally likely ones."
    )
    if not s.mine.is_probability:
        st.markdown(
            "These are scores: a row sums to more than 1, so this number cannot be compared"
            " with a perplexity."
        )
    bits, nats, dits = h
    st.markdown("**The base of the power is the base of the logarithm**")
    formula(rf"2^{{{bits:.5f}}} = e^{{{nats:.5f}}} = 10^{{{dits:.5f}}} = {pp:,.5f}")
    st.markdown(
        f"A common mix-up gives $2^{{{nats:.5f}}} = {power(2**nats)}$ (nats as if they were"
        f" bits) or $e^{{{bits:.5f}}} = {power(math.exp(min(bits, 700)))}$ (bits as if they"
        f" were nats). Both are wrong; the perplexity is {figures(pp)}."
    )


def ways(s: Scored) -> None:
    """With and without the sentence end and unknown tokens."""
    found = s.mine
    measures = {
        "all tokens": found.whole,
        "without </s>": found.without_ends,
        "without unknown": found.without_unknown,
        "without both": found.without_both,
    }
    rows.show(
        {
            "counted": list(measures),
            "perplexity": [perplexity(m) for m in measures.values()],
            f"{s.unit} per token": [entropy(m, s.base) for m in measures.values()],
            "N": [m.tokens for m in measures.values()],
            "P = 0": [m.impossible for m in measures.values()],
        },
        "ways",
        dict.fromkeys(("N", "P = 0"), st.column_config.NumberColumn(width=60)),
    )


def entropy(m: Measure, base: float) -> str:
    h = m.rest_cross_entropy(base)
    return (
        "nothing to count" if h is None else f"{h:.5f} of the rest" if m.impossible else f"{h:.5f}"
    )


def perplexity(m: Measure) -> str:
    p = m.rest_perplexity
    if p is None:
        return "nothing to count" if not m.tokens - m.impossible else "too large to write"
    return f"{p:,.5f} of the rest" if m.impossible else f"{p:,.5f}"


def events(s: Scored) -> None:
    """Zero events and unknown tokens, one by one."""
    found, m = s.mine, s.mine.whole
    st.markdown(f"**Zero events: {m.impossible:,} of {m.tokens:,} tokens**")
    if m.impossible:
        rest, more = m.rest_perplexity, ""
        if rest is not None:
            more = (
                f" The rest alone has perplexity **{rest:,.4f}**, which leaves out exactly the"
                " worst predictions."
            )
        st.markdown(f"One of them is enough to make the whole product 0.{more}")
        _list(found.impossible(LISTED), "zeros", m.impossible)
    else:
        st.caption("This method gives no token probability 0.")
    n = int(found.unknown_T[1:].sum())
    st.markdown(f"**Unknown words: {n:,}**")
    if n:
        _list(found.unknown(LISTED), "unknowns", n)
    else:
        st.caption("Every token of the text is in the vocabulary.")


def _list(listed: list[Event], key: str, total: int) -> None:
    widths = {"treatment": 680, "sentence": 70, "P": 80}
    rows.show(
        {
            "sentence": [e.sentence + 1 for e in listed],
            "token": [theme.visible(e.word) for e in listed],
            "after": [theme.visible(" ".join(e.context), 40) for e in listed],
            "P": [f"{e.probability:.4g}" for e in listed],
            "treatment" if key == "unknowns" else "why": [e.says for e in listed],
        },
        key,
        {name: st.column_config.Column(width=width) for name, width in widths.items()},
        tallest=320,
    )
    if total > len(listed):
        st.caption(f"The first {len(listed)} of {total:,}.")


def losses(s: Scored) -> None:
    """The mean over sentences beside the mean over tokens."""
    loss_S, m = s.mine.sentence_S / math.log2(s.base), s.mine.whole
    sizes_S = np.bincount(s.mine.sentences_T[1:])
    fine = np.isfinite(loss_S)
    if not fine.any():
        st.info("Every sentence contains an impossible token, so none has a finite loss.")
        return
    if not fine.all():
        st.markdown(
            f"{int((~fine).sum()):,} of {len(fine):,} sentences contain an impossible token"
            " and have no finite loss. For the others:"
        )
    loss, tokens = float(loss_S[fine].sum()), int(sizes_S[fine].sum())
    by_s, by_t, b = loss / int(fine.sum()), loss / tokens, BASES[s.unit]
    left, right = st.columns(2, gap="medium")
    with left:
        st.markdown(f"**Per sentence**, in {s.unit}")
        formula(
            rf"\frac{{1}}{{|D|}} \sum_s \sum_t -\log P = \frac{{{loss:.5f}}}{{{int(fine.sum())}}} ="
            rf" {by_s:.5f}"
        )
    with right:
        st.markdown(f"**Per token**, in {s.unit}")
        formula(
            rf"\frac{{1}}{{N}} \sum_s \sum_t -\log P = \frac{{{loss:.5f}}}{{{tokens}}} ="
            rf" {by_t:.5f}"
        )
    st.markdown(
        f"${b}^{{{by_s:.5f}}} = {_raised(s.base, by_s)}$ is not a perplexity: longer sentences"
        f" make it larger although the model is the same. ${b}^{{{by_t:.5f}}} ="
        f" {_raised(s.base, by_t)}$ is. It counts all tokens, including sentence ends"
        f" ({m.tokens:,} in the text)."
    )
    shown = range(min(len(fine), LISTED))
    frame = {
        "sentence": [theme.plain(s.lines[i], 60) for i in shown if i < len(s.lines)],
        "tokens": sizes_S[shown].tolist(),
        f"{s.unit} of the sentence": list(map(finite, loss_S[shown])),
        f"{s.unit} per token": list(map(finite, loss_S[shown] / sizes_S[shown])),
    }
    rows.show(frame, "losses", tallest=320)


def _raised(base: float, exponent: float) -> str:
    tens = exponent * math.log10(base)
    return (
        f"{base**exponent:,.4f}"
        if tens < 6
        else rf"{10 ** (tens - math.floor(tens)):.4f} \times 10^{{{math.floor(tens)}}}"
    )
