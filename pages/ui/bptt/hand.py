"""Backpropagation through time by hand: two units, three tokens, every number; and five ways to get
it wrong."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.analysis import by_hand
from engine.analysis.by_hand import FAULTS, LISTED, Net
from pages.ui import rows
from pages.ui.written import WANTED, edit, equations, matrix, number

UNITS, TOKENS, NUMBERS = ("unit 0", "unit 1"), ("x₁", "x₂", "x₃"), ("0", "1", "2")


def show(_model: object) -> None:
    st.subheader("By hand: two units, three tokens", anchor=False)
    st.markdown(
        "A network small enough to follow every product. Its output is wanted to be 1 at each"
        " token; the loss is the squared distance. Change a weight or an input."
    )
    left, right, _ = st.columns([3, 4, 3])
    with left:
        st.caption("Recurrent weights, W_hh")
        w_HH = edit(np.array(by_hand.W_HH), UNITS, ("from 0", "from 1"), "hand.w", 300)
    with right:
        st.caption("Inputs")
        x_TD = edit(np.array(by_hand.X), TOKENS, NUMBERS, "hand.x", 330)
    if not (np.isfinite(w_HH).all() and np.isfinite(x_TD).all()):
        st.info(WANTED)
        return
    net = Net(w_HH, x_TD)
    _forward(net)
    _backward(net)
    _jacobians(net)
    _faults(net)


def _forward(net: Net) -> None:
    st.markdown("**Forwards**, from the first token to the last: h = tanh(W_xh x + W_hh h + b)")
    ran = by_hand.forward(net)
    for t, (h_H, y, loss) in enumerate(zip(ran.h_TH[1:], ran.y_T, ran.loss_T, strict=True), 1):
        equations(
            (
                (f"a_{t}", matrix(ran.a_TH[t - 1][:, None])),
                (f"h_{t}", matrix(h_H[:, None])),
                (f"y_{t}", number(float(y))),
                (f"L_{t} = (y_{t} - 1)^2", number(float(loss))),
            )
        )


def _backward(net: Net) -> None:
    st.markdown(
        "**Backwards**, from the last token to the first: what comes from the loss of the token,"
        " and what comes back from the token after it. Each step adds its term to the gradient"
        " of the same weights."
    )
    st.latex(
        r"\delta h_t = w_{hy}\,\delta y_t + W_{hh}^\top\,\delta a_{t+1} \qquad"
        r" \delta a_t = \delta h_t \odot (1 - h_t^2) \qquad"
        r" \frac{\partial L}{\partial W_{hh}} = \sum_t \delta a_t\, h_{t-1}^\top"
    )
    found = by_hand.backward(net)
    for t in reversed(range(len(found.dy_T))):
        at = t + 1
        equations(
            (
                (rf"\delta y_{at}", number(float(found.dy_T[t]))),
                (rf"\delta h_{at}", matrix(found.dh_TH[t][:, None])),
                (rf"\delta a_{at}", matrix(found.da_TH[t][:, None])),
                (rf"\delta a_{at}\,h_{at - 1}^\top", matrix(found.terms_THH[t])),
            )
        )
    equations(
        (
            (r"\frac{\partial L}{\partial W_{hh}}", matrix(found.dw_HH)),
            (r"\text{by central differences}", matrix(by_hand.differences(net))),
        )
    )


def _jacobians(net: Net) -> None:
    st.markdown(
        "**The same as a chain of factors**: what a step does to a small change of the state before it is its Jacobian,"
        " the slopes of tanh times W_hh. Over several steps they multiply, the latest leftmost."
    )
    st.latex(
        r"\frac{\partial h_t}{\partial h_{t-1}} = \mathrm{diag}(1 - h_t^2)\, W_{hh} \qquad"
        r" \frac{\partial h_q}{\partial h_k} = \frac{\partial h_q}{\partial h_{q-1}} \cdots"
        r" \frac{\partial h_{k+1}}{\partial h_k}"
    )
    step_THH = by_hand.jacobians(net)
    pairs = [
        (rf"\frac{{\partial h_{t + 1}}}{{\partial h_{t}}}", matrix(step_THH[t]))
        for t in range(1, len(step_THH))
    ]
    whole_HH = by_hand.product(step_THH[1:])
    last = len(step_THH)
    equations((*pairs, (rf"\frac{{\partial h_{last}}}{{\partial h_1}}", matrix(whole_HH))))
    lengths = [float(np.linalg.norm(m, 2)) for m in (*step_THH[1:], whole_HH)]
    st.caption(
        f"Largest singular values: {', '.join(number(x) for x in lengths[:-1])}; of the product {number(lengths[-1])},"
        f" at most {number(float(np.prod(lengths[:-1])))}."
    )


def _faults(net: Net) -> None:
    st.markdown(
        "**Five ways to get it wrong.** A wrong gradient is not always far off, so it can train"
        " for a long time before anybody notices; that is what central differences are for."
    )
    right = by_hand.backward(net).dw_HH
    size = float(np.linalg.norm(right))
    found = {says: by_hand.backward(net, fault).dw_HH for fault, says in FAULTS.items()}
    found["the first three together"] = by_hand.backward(net, *LISTED).dw_HH
    found["the first four together"] = by_hand.backward(net, *LISTED, "last").dw_HH
    rows.show(
        {
            "fault": list(found),
            "∂L/∂W_hh": [_plain(values) for values in found.values()],
            "error": [
                float(np.linalg.norm(values - right)) / size if size else np.nan
                for values in found.values()
            ],
        },
        "hand.faults",
        {"error": "percent"},
    )
    st.caption("Error: the length of the difference, as a share of the length of the gradient.")


def _plain(values: np.ndarray) -> str:
    return "; ".join(", ".join(f"{x:.4f}" for x in row) for row in values)
