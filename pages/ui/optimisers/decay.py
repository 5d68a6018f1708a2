"""Weight decay: a pull towards 0 that Adam divides away, and AdamW does not."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.analysis.optimising import decay
from engine.analysis.optimising.race import racers
from engine.views.base import number
from pages.ui import ask, plate, rows, train
from pages.ui.optimisers import net

PAIR = ("adam", "adamw")
STEPS = 200
SHARES = (0.0, 0.1, 0.3, 1.0)  # decays that a net is trained with
SPREAD, BINS = 2.0, 80


@st.cache_data(max_entries=64, show_spinner=False)
def _fading(id: str, rate: float, share: float) -> np.ndarray:
    return decay.fading(racers()[id], rate, share, STEPS)


def show() -> None:
    known = racers()
    st.markdown(
        f"{decay.MANY:,} weights of each of three kinds begin at 1. Their gradients are pure noise, small,"
        " medium or large, so nothing but the decay moves them on average."
    )
    row = ask.line()
    left = ask.pick("On the left", {i: r.title for i, r in known.items()}, "d_left", PAIR[0], row)
    right = ask.pick(
        "On the right", {i: r.title for i, r in known.items()}, "d_right", PAIR[1], row
    )
    rate = ask.slider("Learning rate", "d_rate", 0.001, 0.05, 0.01, 0.001, row, width=200)
    share = ask.slider("Weight decay", "d_decay", 0.0, 1.0, 0.1, 0.01, row, width=200)
    plates, ends = [], []
    for n, id in enumerate((left, right)):
        means = _fading(id, rate, share)
        ends.append(means[-1])
        plates.append(
            plate.lines(
                f"decay-{n}",
                f"{known[id].title}: mean weight",
                [
                    (f"gradients of size {size:g}", range(STEPS + 1), means[:, i])
                    for i, size in enumerate(decay.SIZES)
                ],
                "weight decay",
                f"rate {rate:g}, decay {share:g}",
                tight=True,
                x="step",
                y="mean weight",
                of_series="",
                low=-0.05,
                high=1.15,
                model=known[id].title,
            )
        )
    plate.row(*plates)
    for id, end in zip((left, right), ends, strict=True):
        st.markdown(
            f"**{known[id].title}**: after {STEPS} steps the three means lie between"
            f" {number(float(end.min()))} and {number(float(end.max()))}."
        )
    st.latex(rf"(1 - {rate:g} \cdot {share:g})^{{{STEPS}}} = {number((1 - rate * share) ** STEPS)}")
    st.caption(
        "In Adam the decay is part of the gradient, and is divided by the root of its mean square like all"
        " of it: weights with large gradients hardly decay, those with small ones at the full rate. AdamW"
        " takes the decay out of the gradient. For SGD both are the same."
    )
    _weights(known[right].title, known[right].optimiser, rate)
    train.link({"optimiser": known[right].optimiser, "decay": share}, text="stories")


def _weights(title: str, optimiser: str, rate: float) -> None:
    """A histogram of all weights for each decay, once somebody asks for it."""
    st.markdown(f"**The weights of a small LSTM** ({title})")
    asked = st.button("Train it with each decay", key="decay_train")
    if not asked and "decay_trained" not in st.session_state:
        return
    st.session_state["decay_trained"] = True
    every = {
        share: net.trained(
            net.settings_of(
                {"optimiser": optimiser, "rate": rate, "steps": net.STEPS, "decay": share}
            ),
            f"Training with a decay of {share:g}",
        )
        for share in SHARES
    }
    found = {share: one for share, one in every.items() if one.weights.size}  # not diverged
    edges = np.linspace(-SPREAD, SPREAD, BINS + 1)
    series = []
    for share, one in found.items():
        counts, _ = np.histogram(np.clip(one.weights, -SPREAD, SPREAD), edges)
        series.append((f"{share:g}", (edges[:-1] + edges[1:]) / 2, 100 * counts / one.weights.size))
    plate.show(
        plate.lines(
            "weights",
            "Weights by their size",
            series,
            "small network",
            f"{title}, rate {rate:g}, {net.STEPS} steps; what is further out is counted at the ends",
            tight=True,
            x="weight",
            y="% of the weights",
            of_series="weight decay",
            model="lstm",
        )
    )
    rows.show(
        [
            {
                "weight decay": share,
                "root mean square of the weights": float(np.sqrt(np.square(one.weights).mean())),
                "loss, last tenth": one.ends,
                "held-out loss": one.held,
            }
            for share, one in found.items()
        ],
        forms={
            "weight decay": "%g",
            "root mean square of the weights": "%.4f",
            "loss, last tenth": "%.3f",
            "held-out loss": "%.3f",
        },
    )
