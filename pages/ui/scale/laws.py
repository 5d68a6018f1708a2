"""What size buys: the GPT series, the power laws of the loss, and skills that seem to come all at
once."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.analysis import scale
from pages.ui import plate, rows

SIZES = 10 ** np.linspace(6, 13, 29)


def show() -> None:
    series()
    left, right = st.columns(2)
    with left:
        laws()
    with right:
        skills()


def series() -> None:
    table, before = [], None
    for size in scale.SIZES:
        times = f"{size.parameters / before:.1f} ×" if before else ""
        table.append(
            {
                "model": size.name,
                "year": size.year,
                "layers": size.layers,
                "width": size.width,
                "places": size.places,
                "parameters, counted": f"{size.parameters:,}",
                "of the row above": times,
                "as its authors say": size.said,
                "trained on": size.data,
                "what was new": size.new,
            }
        )
        before = size.parameters
    rows.show(table, "series")
    st.caption(
        "Counted from layers L, width H, vocabulary V and places P: V·H + P·H + L·(12·H² + 13·H) +"
        " 2·H, the output tied to the embeddings (GPT-1 has no last norm). The size of GPT-4 (2023)"
        " was never published, so it is not in the table. GPT-3 alternates dense layers with layers"
        " that look at near words only; its count stays the same."
    )


def laws() -> None:
    n = st.slider(
        "Parameters, as a power of ten", 6.0, 13.0, 9.0, 0.1, key="power", bind="query-params"
    )
    size = 10**n
    kaplan = plate.lines(
        "laws",
        "Loss by size, as Kaplan et al. fitted it in 2020",
        [
            ("by parameters N", SIZES, map(scale.loss_by_parameters, SIZES)),
            ("by training tokens D", SIZES, map(scale.loss_by_tokens, SIZES)),
        ],
        "laws",
        "L(N) = (8.8e13 / N)^0.076, L(D) = (5.4e13 / D)^0.095",
        x="parameters N, or training tokens D",
        y="nats per token",
        of_series="",
        log_x=True,
        log_y=True,
        model="formula",
    )
    plate.show(kaplan)
    loss, double = scale.loss_by_parameters(size), scale.loss_by_parameters(2 * size)
    st.markdown(
        f"With {size:,.0f} parameters the law predicts **{loss:.2f} nats** per token (perplexity"
        f" {np.exp(loss):.1f}). With twice as many it predicts {double:.2f}: always"
        f" **{double / loss:.3f}** times the loss. Halving the loss takes"
        f" {2 ** (1 / 0.076):,.0f} times the parameters. The laws were fitted to one family of"
        " models; outside the measured range they are a guess."
    )


def skills() -> None:
    tokens = st.slider(
        "Tokens that must all be right", 1, 64, 16, key="in_a_row", bind="query-params"
    )
    one = np.array([np.exp(-scale.loss_by_parameters(size)) for size in SIZES])
    row = np.array([scale.all_right(float(p), tokens) for p in one])
    right = plate.lines(
        "skills",
        "The same smooth law, scored in two ways",
        [
            ("one token", SIZES, one / one[-1] * 100),
            (f"{tokens} in a row", SIZES, row / row[-1] * 100),
        ],
        "skills",
        "Chance of a right token: e to the power of minus the loss",
        x="parameters N",
        y="chance to be right, with 10¹³ parameters = 100",
        of_series="",
        log_x=True,
        model="formula",
    )
    plate.show(right)
    st.markdown(
        "Some skills seem to appear suddenly as models grow. Part of this comes from how they"
        " are scored: if an answer is right only when every token is, a chance that grows"
        f" smoothly for one token stays near nothing for {tokens} in a row and then seems to"
        " jump. Whether anything else is sudden is disputed."
    )
