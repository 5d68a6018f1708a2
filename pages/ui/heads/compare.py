"""Two sentences through one run, or one sentence through two runs: how far apart the weights of
each head lie."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from engine.analysis.heads import compare, tags
from engine.core.trace import Field, Kind, Trace
from engine.lessons.heads.stage import tokens_of
from engine.live import cache
from engine.live.markdown import escape
from engine.runs.store import Run
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
    layers, heads = min(a.shape[0], b.shape[0]), min(a.shape[1], b.shape[1])
    layer = max(0, min(int(look.get("layer") or 0), layers - 1))
    head = max(0, min(int(look.get("head") or 0), heads - 1))
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
            "divergence": (apart, "Jensen-Shannon divergence of each head's weights", "bits"),
            "difference": (moved, "Share of each head's weight that moved", "share"),
        }
        of = f"{run.title} and {run_2.title}"
        cells = {"layer": range(1, layers + 1), "head": range(1, heads + 1)}
        drawn = []
        for name, (values, says, unit) in grids.items():
            domain = (0.0, max(0.1, float(np.ceil(values.max() * 10) / 10)))
            field = Field.of(name, Kind.GATE, cells, values, says, unit=unit, domain=domain)
            drawn.append(grid(run, field, of, shown.text))
        plate.row(*drawn, gap="small")
    where = f"Layer {layer + 1}, head {head + 1}"
    drawn = []
    for n, (r, tokens, weight, text) in enumerate(
        ((run, one, a, shown.text), (run_2, two, b, second or shown.text)), 1
    ):
        axes = {"query": tokens.labels, "key": tokens.labels}
        says = f"{where}: {('first', 'second')[n - 1]} reading"
        field = Field.of(f"side_{n}", Kind.ATTENTION, axes, weight[layer, head], says, "A")
        drawn.append(grid(r, field, f"Model: {r.title} ({r.id})", text))
    plate.row(*drawn, gap="small")


def grid(run: Run, field: Field, of: str, text: str) -> Plate:
    name = field.spec.name
    return Plate(name, "heatmap", (field,), run.id, of, text[:200], model=run.model, fluid=True)


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
