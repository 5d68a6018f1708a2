"""Where the dashed line comes from: the bound of a plain recurrent net, worked out with its own numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import streamlit as st

from engine.analysis import backpropagation
from engine.live import compared
from engine.models.recurrent import RecurrentModel
from engine.runs.store import Run
from engine.views.base import number
from pages.ui import kept, rows
from pages.ui.fragment import fragment

STEPS = (1, 10, 50)


@fragment
def show(runs: Sequence[Run]) -> None:
    opened = st.expander("Where the bound comes from", key="reach.bound", on_change="rerun")
    if not opened.open:
        return
    with opened:
        st.markdown(
            "A step of a plain net reads the state before it in one place only. What the step does to a small change"
            " of that state is a matrix, its **Jacobian**; over many steps the matrices multiply, the latest leftmost."
        )
        st.latex(
            r"h_t = \varphi(a_t), \quad a_t = U h_{t-1} + W x_t + b, \qquad"
            r" J_t = \frac{\partial h_t}{\partial h_{t-1}} = D_t\,U, \quad D_t = \mathrm{diag}(\varphi'(a_t))"
        )
        st.latex(
            r"\frac{\partial L}{\partial h_k} = J_{k+1}^\top \cdots J_q^\top\,\frac{\partial L}{\partial h_q},"
            r"\qquad \lVert J_t \rVert \le \lVert D_t \rVert\,\lVert U \rVert \le \gamma\,\sigma_{\max}(U)"
        )
        st.latex(
            r"\left\lVert \frac{\partial L}{\partial h_k} \right\rVert \le"
            r" \bigl(\gamma\,\sigma_{\max}(U)\bigr)^{q-k} \left\lVert \frac{\partial L}{\partial h_q} \right\rVert"
        )
        st.markdown(
            "γ is the largest slope of the activation: 1 for tanh and ReLU, a quarter for the logistic function. Where"
            " γ σ is below 1 the gradient **must** vanish. Above 1 it may explode, and need not: slopes below 1, and"
            " directions that U shortens, keep the curve under the line. The largest **eigenvalue** is no bound: over"
            " few steps a product can grow though every eigenvalue is below 1. In a net of several layers this is the"
            " way back within each layer; in the long run the largest of them decides."
        )
        plain = [run for run in runs if _measured(run, compared.opened(run))]
        if not plain:
            st.info(
                "No plain recurrent net is chosen above; gates and attention have other ways back."
            )
        for run in plain:
            found = _measured(run, compared.opened(run))
            st.markdown(f"**{run.title}**")
            rows.show(
                {
                    "layer": [n + 1 for n in range(len(found))],
                    "largest singular value": [largest for largest, _ in found],
                    "largest eigenvalue": [radius for _, radius in found],
                    **{
                        f"bound over {n} steps" if n > 1 else "bound over 1 step": [
                            number(largest**n) for largest, _ in found
                        ]
                        for n in STEPS
                    },
                },
                f"reach.bound.{run.id}",
                {"largest singular value": "%.3f", "largest eigenvalue": "%.3f"},
            )


@kept.data(max_entries=16, show_spinner=False)
def _measured(run: Run, _model: Any) -> list[tuple[float, float]]:
    """Per layer of a plain recurrent net the largest singular value of its recurrent weights, and the size of their
    largest eigenvalue; empty for any other model."""
    if not isinstance(_model, RecurrentModel):
        return []
    net: Any = _model.net
    found = []
    for layer, bound in enumerate(backpropagation.bounds(_model)):
        u_HH = net.layers[layer].matrices()[1].detach().double().cpu().numpy()
        found.append((bound, float(np.abs(np.linalg.eigvals(u_HH)).max())))
    return found
