"""Positions as a number added to the score: ALiBi's wedges, T5's buckets, Shaw's clipped distances;
and the learned table."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import streamlit as st

from engine.analysis.positions import encodings
from engine.core.trace import Field, Kind
from engine.live import cache
from engine.runs.store import Run
from pages.ui import plate
from pages.ui.positions.figures import curves, grid


def show(runs: Mapping[str, Run]) -> None:
    left, right = st.columns(2, gap="large")
    with left:
        alibi()
    with right:
        t5(runs.get("t5"))
    left, right = st.columns(2, gap="large")
    with left:
        shaw(runs.get("shaw"))
    with right:
        learned(runs.get("learned"))


def alibi() -> None:
    st.markdown(
        "**ALiBi**: each head loses a fixed amount per token of distance. Nothing is learned."
    )
    row = st.columns(2)
    heads = row[0].slider("Heads", 1, 16, 8, key="bias_heads", bind="query-params")
    count = row[1].slider("Tokens", 4, 32, 8, key="bias_tokens", bind="query-params")
    m_N = encodings.slopes(heads)
    field = Field.of(
        "alibi",
        Kind.SCORE,
        {"head": range(1, heads + 1), "query": range(count), "key": range(count)},
        -m_N[:, None, None] * np.abs(np.subtract.outer(np.arange(count), np.arange(count))),
        "What ALiBi adds to the score",
        "−m |q − k|",
        domain=(-8.0, 8.0),
    )
    st.latex(r"s(q,k) - m_h\,|q-k| \qquad m_h = 2^{-8h/H}")
    plate.show(grid(field, f"alibi-{heads}", f"ALiBi, {heads} heads"))
    said = ", ".join(f"{m:.4g}" for m in m_N)
    st.caption(
        f"Slopes of the heads: {said}. A decoder uses the lower left half only. A token that costs"
        " 8 gets e⁻⁸ = 0.03 % of the weight it would have next door."
    )


def t5(run: Run | None) -> None:
    st.markdown(
        "**T5**: one learned number per head and *bucket* of distances. Near distances have a"
        " bucket each, far ones share."
    )
    row = st.columns((3, 3, 2))
    count = row[0].slider("Buckets", 8, 64, 32, 4, key="buckets", bind="query-params")
    farthest = row[1].slider(
        "Last bucket from", 64, 256, 128, 16, key="farthest", bind="query-params"
    )
    both = row[2].toggle(
        "Both ways",
        key="both",
        bind="query-params",
        help="An encoder also distinguishes what comes after.",
    )
    far = np.arange(-180, 181 if both else 1)
    staircase = curves(
        "buckets",
        "The bucket of each distance: a staircase with ever wider steps",
        [("bucket", far, encodings.buckets(far, both, count, farthest))],
        f"t5-{count}-{farthest}",
        f"T5, {count} buckets, {'both ways' if both else 'looking back only'}",
        x="key − query",
        y="bucket",
    )
    plate.show(staircase)
    if run:
        from engine.models.transformer import Transformer

        bias = encodings.by_distance(cache.model(run, Transformer), 129)
        assert bias is not None
        span = int(run.note["config"]["span"])
        learned = curves(
            "t5",
            "The T5 bias that the small model has learned",
            [(f"head {h}", range(bias.shape[1]), of_head) for h, of_head in enumerate(bias, 1)],
            run.id,
            f"{run.title}; trained on distances up to {span - 1}",
            x="tokens back",
            y="added to the score",
            of_series="head",
        )
        plate.show(learned)
        used = encodings.buckets(-np.arange(129), False)
        new = int(np.argmax(used > used[span - 1]))
        st.caption(
            f"Distances from {new} on fall into buckets that no training text of {span} tokens"
            " reaches: their numbers are nearly what they were before training, close to 0."
        )


def shaw(run: Run | None) -> None:
    st.markdown(
        "**Shaw**: a learned vector for each distance, cut off at a reach; the query is compared"
        " with it."
    )
    row = st.columns(2)
    reach = row[0].slider("Reach", 1, 16, 4, key="reach", bind="query-params")
    count = row[1].slider("Tokens ", 4, 24, 12, key="stokens", bind="query-params")
    field = Field.of(
        "clipped",
        Kind.SCORE,
        {"query": range(count), "key": range(count)},
        np.clip(np.subtract.outer(np.arange(count), np.arange(count)).T, -reach, reach),
        "Which vector stands for which pair: the distance, cut off",
        "clip(k − q)",
        domain=(-16.0, 16.0),
    )
    st.latex(r"s(q,k) = \frac{x_q W^Q \cdot (x_k W^K + a_{\mathrm{clip}(k-q)})}{\sqrt{d_k}}")
    plate.show(grid(field, f"shaw-{reach}", f"Shaw, reach {reach}", "shaw"))
    st.caption(
        "An encoder looks both ways, so there are 2 · reach + 1 vectors. All distances beyond"
        " the reach share one vector: near distances are exact, far ones are just “far”."
        + (
            " Our model has a reach of 16. Choose Shaw above to see its scores for your text."
            if run
            else ""
        )
    )


def learned(run: Run | None) -> None:
    st.markdown(
        "**Learned**: a table with a row per place. BERT's has 512 rows of 768 numbers, 393,216"
        " parameters, and no row 513."
    )
    if not run:
        st.info("The model with learned positions is not here. `make zoo` makes it.")
        return
    from engine.models.transformer import Transformer

    rows_TD = encodings.added(cache.model(run, Transformer), 10**6)
    assert rows_TD is not None
    unit_TD = rows_TD / np.linalg.norm(rows_TD, axis=1, keepdims=True)
    field = Field.of(
        "cosine",
        Kind.COSINE,
        {"query": range(len(unit_TD)), "key": range(len(unit_TD))},
        unit_TD @ unit_TD.T,
        "Cosine of every two rows of the table that our small model has learned",
    )
    plate.show(grid(field, run.id, run.title, "table"))
    near, far = (
        float(np.mean([unit_TD[i] @ unit_TD[i + d] for i in range(len(unit_TD) - d)]))
        for d in (1, 20)
    )
    st.caption(
        "The model was never told that position 7 is next to position 8. Neighbouring rows have"
        f" a cosine of {near:.2f} on average, rows 20 apart {far:.2f}."
    )
