"""Label smoothing: the target, the loss, and how far apart logits go."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.analysis.optimising import smoothing
from engine.views.base import number
from pages.ui import ask, plate, rows, train
from pages.ui.written import WANTED, edit

FIRST = (2.0, 1.0, 0.1, 0.0)


def show() -> None:
    st.markdown(
        "A target of 1 is never reached: to come nearer the right logit has to grow without end. Label"
        " smoothing asks for a little less, so that there is a best gap between the logits, and a model"
        " that is less sure of itself."
    )
    row = ask.line()
    share = ask.between(
        row.slider, "ε, share that is spread", "epsilon", 0.0, 1.0, 0.1, step=0.01, width=300
    )
    right = ask.among("Right answer", (1, 2, 3, 4), "right", 1, row) - 1
    left, other = st.columns(2)
    with left:
        names = [f"answer {n}" for n in range(1, len(FIRST) + 1)]
        typed = edit(np.array(FIRST)[:, None], names, ("logit",), "logits", 260)
    if not np.isfinite(typed).all():
        st.info(WANTED)
        return
    logits, k = typed[:, 0], len(FIRST)
    hard, torch_q, others_q = (
        smoothing.target(k, right, 0.0),
        smoothing.target(k, right, share),
        smoothing.target(k, right, share, False),
    )
    logs = smoothing.logarithms(logits)
    with left:
        rows.show(
            [
                {
                    "target": name,
                    "loss, nats": smoothing.loss(logits, q),
                    "least possible": smoothing.floor(q),
                    "best gap": f"{smoothing.gap(q, right):.4f}".replace("inf", "∞"),
                }
                for name, q in (
                    ("1 and 0", hard),
                    ("ε over all", torch_q),
                    ("ε over the others", others_q),
                )
            ],
            forms={"loss, nats": "%.4f", "least possible": "%.4f"},
        )
        train.link({"smoothing": min(0.9, share)}, text="stories")
    with other:
        gaps = np.linspace(0, 10, 101)
        at = np.zeros((len(gaps), k))
        at[:, right] = gaps
        plate.show(
            plate.lines(
                "smoothing",
                "Loss by the gap of the right logit",
                [
                    (name, gaps, [smoothing.loss(one, q) for one in at])
                    for name, q in (
                        ("1 and 0", hard),
                        ("over all", torch_q),
                        ("over the others", others_q),
                    )
                ],
                "label smoothing",
                f"{k} answers, ε {share:g}",
                tight=True,
                x="gap",
                y="nats",
                of_series="",
                model="label smoothing",
            )
        )
    rows.show(
        {
            "answer": names,
            "p": np.exp(logs),
            "1 and 0": hard,
            "ε over all": torch_q,
            "ε over the others": others_q,
        },
        forms={
            name: rows.bar(name, "%.4f")
            for name in ("p", "1 and 0", "ε over all", "ε over the others")
        },
    )
    st.latex(
        r"\text{loss} = -\sum_k q_k \log p_k = "
        + " + ".join(rf"{number(q)} \cdot {number(-v)}" for q, v in zip(torch_q, logs, strict=True))
        + rf" = {number(smoothing.loss(logits, torch_q))}"
    )
    st.caption(
        f"An ε of {share:g} over the others is one of {number(smoothing.as_torch(share, k))} over all"
        " answers, the right one too, as torch and the training room have it."
    )
