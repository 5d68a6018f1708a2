"""The zero-probability problem: one unseen n-gram makes a whole sentence impossible, unless
something was kept for it."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.core.trace import Field, Kind
from engine.live.markdown import escape
from engine.ngram.smoothed import Smoothed
from engine.views import theme
from pages.ui import ask, plate, rows
from pages.ui.counting.context import clean
from pages.ui.counting.study import Chosen

LONGEST = 60  # tokens


def show(chosen: Chosen, models: dict[str, Smoothed], method: str) -> None:
    typed = clean(ask.text("A sentence", "sentence", 600, "Type a sentence"))
    study = chosen.study
    tokens = study.tokenizer.encode(typed.replace("\n", " "))[:LONGEST]
    if not len(tokens):
        st.info(
            "Type a sentence: its probability is the product of one factor per token,"
            " including the sentence end."
        )
        return
    boundary = study.raw.boundary
    stream = np.r_[boundary, tokens.ids, boundary].astype(np.int64)
    other = method if method != "mle" else "modified_kneser_ney"
    pair = [models["mle"], models[other]]
    p_MT = np.stack([m.probabilities(stream) for m in pair])
    sum_MT = np.stack(
        [m.distributions(m.counts.places(stream[:-1])).sum(1, dtype=np.float64) for m in pair]
    )
    labels = (*(theme.visible(w) for w in tokens.labels), "</s>")
    _say(pair, p_MT, labels)
    with np.errstate(divide="ignore"):
        log_MT = np.log10(p_MT).cumsum(1)
    says = "log10 of the product so far; a line that ends in −∞ means an impossible sentence"
    axes = {"method": [m.method.title for m in pair], "token": labels}
    made = Field.of("product", Kind.SCORE, axes, log_MT, says, unit="log10 P")
    left, right = st.columns((6, 5), gap="medium")
    plate.show(chosen.plate("product", "lines", made, typed), left)
    frame: dict[str, list[str]] = {"token": list(labels)}
    for m, p_T, sum_T in zip(pair, p_MT, sum_MT, strict=True):
        frame["P, MLE" if m is pair[0] else "P, smoothed"] = [f"{p:.4g}" for p in p_T]
        frame["row sum" if m is pair[0] else "its row "] = [f"{s:.4f}" for s in sum_T]
    with right:
        st.caption(
            "Each factor, and the sum of the row that it comes from. A sum of 0 means that the"
            " context never occurs, so there is nothing to share out."
        )
        rows.show(frame, "factors", tallest=420)


def _say(pair: list[Smoothed], p_MT: np.ndarray, labels: tuple[str, ...]) -> None:
    """The two products in words."""
    for m, p_T in zip(pair, p_MT, strict=True):
        factors = r" \cdot ".join(_latex(p) for p in p_T[:12]) + (
            r" \cdots" if len(p_T) > 12 else ""
        )
        st.markdown(rf"{m.method.title}: $\displaystyle {factors} = {_latex(float(np.prod(p_T)))}$")
    zero = np.flatnonzero(p_MT[0] <= 0)
    if len(zero):
        words = ", ".join(f"“{escape(labels[i])}”" for i in zero[:6])
        st.markdown(
            f"{len(zero)} of {len(labels)} factors of maximum likelihood are 0 ({words}):"
            " never counted in this context. One zero is enough; the rest of the sentence"
            " cannot help."
        )
    else:
        st.markdown(
            "Every factor of maximum likelihood is above 0 here. Change one word to one that"
            " never occurs there."
        )


def _latex(p: float) -> str:
    if p and p < 1e-3:
        base, power = f"{p:.2e}".split("e")
        return rf"{base}\times 10^{{{int(power)}}}"
    return f"{p:.3g}"
