"""Positions as a number added to the score: ALiBi's wedges, T5's buckets, Shaw's clipped distances;
and the learned table."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import streamlit as st

from engine.analysis.positions import encodings
from engine.core.trace import Axis, Field, FieldSpec, Kind, Table, TableSpec
from engine.live import cache
from engine.runs.store import Run
from pages.ui import plate
from pages.ui.plate import Plate

CURVE = ("series", "x", "value")


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


def curve(
    id: str, columns: dict[str, np.ndarray], says: str, source: str, of: str, **options: str
) -> Plate:
    table = Table(TableSpec(id, CURVE, says), columns)
    return Plate(
        id,
        "curve",
        (table,),
        source,
        of,
        options={**options, "tight": True},
        model="transformer",
        fluid=True,
    )


def places(count: int) -> tuple[Axis, Axis]:
    names = tuple(map(str, range(count)))
    return Axis("query", names), Axis("key", names)


def alibi() -> None:
    st.markdown(
        "**ALiBi**: each head loses a fixed amount per token of distance. Nothing is learned."
    )
    row = st.columns(2)
    heads = row[0].slider("Heads", 1, 16, 8, key="bias_heads", bind="query-params")
    count = row[1].slider("Tokens", 4, 32, 8, key="bias_tokens", bind="query-params")
    m_N = encodings.slopes(heads)
    bias = -m_N[:, None, None] * np.abs(np.subtract.outer(np.arange(count), np.arange(count)))
    spec = FieldSpec(
        "alibi",
        Kind.SCORE,
        ("head", "query", "key"),
        "What ALiBi adds to the score",
        "−m |q − k|",
        domain=(-8.0, 8.0),
    )
    field = Field(
        spec, bias, (Axis("head", tuple(str(h + 1) for h in range(heads))), *places(count))
    )
    st.latex(r"s(q,k) - m_h\,|q-k| \qquad m_h = 2^{-8h/H}")
    plate.show(
        Plate(
            "alibi",
            "multiples",
            (field,),
            f"alibi-{heads}",
            f"ALiBi, {heads} heads",
            model="transformer",
            fluid=True,
        )
    )
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
        help=("An encoder also distinguishes what comes after."),
    )
    far = np.arange(-180, 181 if both else 1)
    columns = {
        "series": np.full(len(far), "bucket", object),
        "x": far.astype(float),
        "value": encodings.buckets(far, both, count, farthest).astype(float),
    }
    of = f"T5, {count} buckets, {'both ways' if both else 'looking back only'}"
    plate.show(
        curve(
            "buckets",
            columns,
            "The bucket of each distance: a staircase with ever wider steps",
            f"t5-{count}-{farthest}",
            of,
            x="key − query",
            y="bucket",
        )
    )
    if run:
        from engine.models.transformer import Transformer

        bias = encodings.by_distance(cache.model(run, Transformer), 129)
        assert bias is not None
        names = [f"head {h + 1}" for h in range(len(bias))]
        far = np.arange(bias.shape[1])
        columns = {
            "series": np.repeat(names, len(far)).astype(object),
            "x": np.tile(far, len(bias)).astype(float),
            "value": bias.ravel().astype(float),
        }
        span = int(run.note["config"]["span"])
        of = f"{run.title}; trained on distances up to {span - 1}"
        plate.show(
            curve(
                "t5",
                columns,
                "The T5 bias that the small model has learned",
                run.id,
                of,
                x="tokens back",
                y="added to the score",
                of_series="head",
            )
        )
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
    far = np.clip(np.subtract.outer(np.arange(count), np.arange(count)).T, -reach, reach)
    spec = FieldSpec(
        "clipped",
        Kind.SCORE,
        ("query", "key"),
        "Which vector stands for which pair: the distance, cut off",
        "clip(k − q)",
        domain=(-16.0, 16.0),
    )
    st.latex(r"s(q,k) = \frac{x_q W^Q \cdot (x_k W^K + a_{\mathrm{clip}(k-q)})}{\sqrt{d_k}}")
    plate.show(
        Plate(
            "shaw",
            "heatmap",
            (Field(spec, far, places(count)),),
            f"shaw-{reach}",
            f"Shaw, reach {reach}",
            model="transformer",
            fluid=True,
        )
    )
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
    spec = FieldSpec(
        "cosine",
        Kind.COSINE,
        ("query", "key"),
        "Cosine of every two rows of the table that our small model has learned",
    )
    plate.show(
        Plate(
            "table",
            "heatmap",
            (Field(spec, unit_TD @ unit_TD.T, places(len(unit_TD))),),
            run.id,
            run.title,
            model="transformer",
            fluid=True,
        )
    )
    near, far = (
        float(np.mean([unit_TD[i] @ unit_TD[i + d] for i in range(len(unit_TD) - d)]))
        for d in (1, 20)
    )
    st.caption(
        "The model was never told that position 7 is next to position 8. Neighbouring rows have"
        f" a cosine of {near:.2f} on average, rows 20 apart {far:.2f}."
    )
