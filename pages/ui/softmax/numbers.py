"""The gradients of both losses in numbers, checked by finite differences; two classes as a sigmoid."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.analysis import softmax_loss
from engine.analysis.activations import sigmoid
from engine.analysis.softmax_loss import Logits
from engine.views.base import number
from pages.ui import ask, rows, written
from pages.ui.softmax import chosen, hero

NEAR = 1e-5
FORMULAS = (
    r"\frac{\partial}{\partial z_j} (-\ln p_y) = \frac{p_j - y_j}{T}",
    r"\begin{gathered} \frac{\partial}{\partial z_j} \tfrac{1}{2} \sum_k d_k^2"
    r" = \frac{p_j}{T} \Big( d_j - \sum_k p_k d_k \Big) \\ d = p - y \end{gathered}",
)


def checked(now: Logits, kind: str) -> float:
    """The largest difference to what two losses close by give."""
    found = []
    for k in range(len(now.z)):
        up, down = (
            Logits(tuple(z + d * (j == k) for j, z in enumerate(now.z)), now.target, now.t)
            for d in (NEAR, -NEAR)
        )
        found.append((up.loss(kind) - down.loss(kind)) / (2 * NEAR))
    return float(np.abs(np.array(found) - now.gradient(kind)).max())


def show() -> None:
    now = chosen.now()
    found = hero.table(now)
    rows.show(found, forms={name: "%.6f" for name in found[0] if name not in ("Class", "wanted y")})
    off = {kind: checked(now, kind) for kind in softmax_loss.LOSSES}
    st.markdown(
        f"Both agree with finite differences, to {number(off['entropy'])} and {number(off['squared'])}. Each column of"
        " gradients adds up to 0: what one logit gains, the others lose."
    )
    for column, formula in zip(st.columns(2), FORMULAS, strict=True):
        column.latex(formula)
    st.markdown(
        "The squared error has the probability as a factor once more. Where the target has next to none, nothing is"
        " learned; the logarithm of cross-entropy takes just this factor away."
    )
    first, second = sorted(range(len(now.z)), key=lambda k: -now.z[k])[:2]
    ahead = now.z[first] - now.z[second]
    st.markdown(
        f"**Exponential, not proportional.** Classes {first + 1} and {second + 1} have the logits"
        f" {number(now.z[first])} and {number(now.z[second])}. Their probabilities stand as"
        f" {number(float(now.p[first] / now.p[second]))} to 1, which is e to the power of their difference by T,"
        f" {number(ahead)} / {number(now.t)}; the ratio of the logits says nothing. One more in a logit multiplies its"
        f" odds by {number(float(np.exp(1 / now.t)))}, whatever the logit was."
    )
    st.markdown(
        "**Two classes** are a sigmoid of the difference: only how far the logits lie apart counts."
    )
    gap = ask.slider("Difference of two logits", "s_gap", -8.0, 8.0, 1.73, 0.01)
    p = float(sigmoid(np.array(gap)))
    n, odds = written.number, float(np.log(p / (1 - p)))
    left, right = st.columns(2)
    left.latex(rf"\text{{softmax}}({n(gap)},\ 0)_1 = \sigma({n(gap)}) = {n(p)}")
    right.latex(rf"\ln \frac{{p}}{{1 - p}} = \ln \frac{{{n(p)}}}{{{n(1 - p)}}} = {n(odds)}")
