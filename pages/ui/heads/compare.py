"""Two sentences through one run, or one sentence through two runs: how far apart the weights of
each head lie."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from engine.analysis.heads import compare, tags
from engine.core.trace import Axis, Field, FieldSpec, Kind, Trace
from engine.live import cache
from engine.live.markdown import escape
from engine.runs.store import Run
from engine.stages.heads.stage import tokens_of
from engine.text.tokenizers.base import Tokens
from pages.ui import plate
from pages.ui.plate import Plate

if TYPE_CHECKING:
    from engine.models.abilities import Attends

MOST = 96  # tokens of a text that are compared
SECOND = "The students closed their books because they wanted to sleep"


def show_pair(run: Run, model: Attends[Any], shown: Trace, look: Mapping[str, Any]) -> None:
    st.subheader("Two texts or models side by side", anchor=False)
    others = {r.id: r for id in tags.MODELS for r in cache.runs(id) if r.id != run.id}
    left, right = st.columns(2)
    second = left.text_input(
        "Second sentence; empty: the one above", SECOND, key="second", max_chars=2_000
    )
    id = right.selectbox(
        "Read by",
        [run.id, *others],
        key="second_run",
        help="The first sentence is always read by the run chosen at the top of the page.",
    )
    run_2 = others.get(id, run)
    try:
        model_2 = cache.model(run_2)
    except ValueError as problem:  # a damaged run
        st.error(f"{problem}. Choose another run.")
        return
    one, two = tokens_of(model, shown)[:MOST], model_2.tokens(second or shown.text)[:MOST]
    if not len(one) or not len(two):
        st.info("Type a few words in both boxes.")
        return
    a, b = tags.weights(model, one), tags.weights(model_2, two)
    heads = min(a.shape[0], b.shape[0]), min(a.shape[1], b.shape[1])
    layer, head = (
        max(0, min(int(look.get(name) or 0), n - 1))
        for name, n in zip(("layer", "head"), heads, strict=True)
    )
    place_1, place_2 = compare.aligned(one.labels, two.labels)
    if a.shape[:2] != b.shape[:2]:
        st.info(
            f"The runs have {a.shape[0]} x {a.shape[1]} and {b.shape[0]} x {b.shape[1]} layers and"
            " heads, so no head has a counterpart; they stand side by side."
        )
    elif len(place_1) < 2:
        st.info(
            "The two texts share no two tokens, so there is nothing to subtract; the heads stand"
            " side by side."
        )
    else:
        cuts = compare.cut(a, place_1), compare.cut(b, place_2)
        apart, moved = compare.divergence(*cuts), compare.difference(*cuts)
        layer, head = divmod(int(apart.argmax()), apart.shape[1])
        st.markdown(_said(one, two, place_1, apart, moved, layer, head))
        grids = {
            "divergence": (apart, "Jensen-Shannon divergence of each head's weights, in bits"),
            "difference": (moved, "Share of each head's weight that moved"),
        }
        for column, (name, (values, says)) in zip(st.columns(2), grids.items(), strict=True):
            domain = (0.0, max(0.1, float(np.ceil(values.max() * 10) / 10)))
            axes = tuple(
                Axis(axis, tuple(str(n + 1) for n in range(size)))
                for axis, size in zip(("layer", "head"), values.shape, strict=True)
            )
            field = Field(
                FieldSpec(name, Kind.STATE, ("layer", "head"), says, domain=domain), values, axes
            )
            with column:
                plate.show(
                    Plate(
                        name,
                        "heatmap",
                        (field,),
                        run.id,
                        f"{run.title} and {run_2.title}",
                        shown.text[:200],
                        model=run.model,
                        fluid=True,
                    )
                )
    sides = ((run, one, a, shown.text), (run_2, two, b, second or shown.text))
    for n, (column, (r, tokens, weight, text)) in enumerate(zip(st.columns(2), sides, strict=True)):
        axes = (Axis("query", tokens.labels), Axis("key", tokens.labels))
        spec = FieldSpec(
            f"side_{n + 1}",
            Kind.ATTENTION,
            ("query", "key"),
            f"Layer {layer + 1}, head {head + 1}: {('first', 'second')[n]} reading",
            "A",
        )
        with column:
            field = Field(spec, weight[layer, head], axes)
            plate.show(
                Plate(
                    spec.name,
                    "heatmap",
                    (field,),
                    r.id,
                    f"Model: {r.title} ({r.id})",
                    text[:200],
                    model=r.model,
                    fluid=True,
                )
            )


def _said(
    one: Tokens,
    two: Tokens,
    place: np.ndarray,
    apart: np.ndarray,
    moved: np.ndarray,
    layer: int,
    head: int,
) -> str:
    """What was compared and what came out."""
    if len(one) == len(two):
        which = f"Both have {len(one)} tokens, compared position by position."
    else:
        words = " ".join(escape(one.labels[i].strip()) for i in place[:40])
        which = (
            f"They have {len(one)} and {len(two)} tokens. The {len(place)} shared ones are"
            f" compared, in order ({words}), and each row is renormalised over them."
        )
    return (
        f"{which} **Head {head + 1} of layer {layer + 1}** differs most:"
        f" {apart[layer, head]:.2f} bits, with {100 * moved[layer, head]:.0f} % of its weight"
        f" moved. The mean over all heads is {apart.mean():.2f} bits and"
        f" {100 * moved.mean():.0f} %. 0 bits means the same weights, 1 bit no overlap."
    )
