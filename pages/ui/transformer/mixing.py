"""Who mixes tokens: one token's vector is disturbed, and it is measured which outputs move; and how
sparse the feed-forward part is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from engine.analysis import pointwise
from engine.core.tap import Edit, How
from engine.core.trace import Field, Kind, Trace
from engine.runs.store import Run
from engine.views import theme
from engine.views.base import number
from pages.ui import plate, rows
from pages.ui.plate import Plate

if TYPE_CHECKING:
    from engine.models.abilities import Attends

SMALL = 0.01
WIDTHS = (1, 3, 5)  # tokens that a kernel covers


def show(run: Run, model: Attends[Any], example: str) -> None:
    st.subheader("Which part mixes the tokens?", anchor=False)
    st.markdown(
        "Attention lets a token read others; the feed-forward block sees one token at a time."
        " Try it: set half of one token's numbers to 0 at the input of a block, and see which"
        " outputs move."
    )
    text = st.text_input("Text", example, max_chars=300, key="mix", bind="query-params")
    # of a long text its end, as much as the model looks back over
    trace = model.trace(text, fields=("feed_forward.activation",))
    if len(trace.tokens) < 2:
        st.info("Type at least one word.")
        return
    left, right = st.columns(2)
    numbered = [f"{i} {theme.visible(label)}" for i, label in enumerate(trace.tokens)]
    middle, key = len(numbered) // 2, f"mix.token.{len(numbered)}"
    token = left.selectbox("Token", numbered, index=middle, key=key)
    layers, layer = model.tower.design.layers, 0
    if layers > 1:
        layer = right.slider("Layer", 1, layers, 1, key="mix_layer", bind="query-params") - 1
    at = numbered.index(token)
    found = moved(model, text, layer, at)
    field = Field.of(
        "moved",
        Kind.STATE,
        {"label": ("attention", "feed-forward"), "token": trace.tokens},
        found,
        "How far each output moves, relative to its length, when half of one token's numbers are"
        " set to 0",
        domain=(-1, 1),
    )
    of = f"{run.title}, layer {layer + 1}; disturbed: token {at}"
    plate.show(Plate("moved", "heatmap", (field,), run.id, of, text, model=run.model))
    others = np.delete(found[1], at)
    after = int((np.delete(found[0], at) > 0).sum())
    who = "those after it, which can look back at it" if model.causal else "all that look at it"
    st.markdown(
        f"Feed-forward: of the other {len(others)} tokens **{int((others > 0).sum())}** move."
        f" Attention: **{after}** of them move: {who}."
    )
    convolutions(model, text, layer)
    sparsity(model, trace)


def convolutions(model: Attends[Any], text: str, layer: int) -> None:
    st.markdown("##### The feed-forward part as two convolutions")
    found = pointwise.both(model, model.trace(text, fields=pointwise.FIELDS), layer)
    part = pointwise.block(model, layer).feed_forward
    many, width = found.dense_TD.shape
    st.markdown(
        "A dense layer that is used at every token with the same weights is a convolution along the"
        f" text whose kernel covers 1 token. Layer {layer + 1} computed both ways, by its dense layers and by"
        f" torch's `conv1d` with the same weights: {many} tokens × {width} numbers, and the largest"
        f" difference is **{number(found.apart)}**; the largest number is"
        f" {number(float(np.abs(found.dense_TD).max()))}."
    )
    rows.show(
        {
            "kernel covers": [tokens(wide) for wide in WIDTHS],
            "an output reads": [tokens(pointwise.reads(wide)) for wide in WIDTHS],
            "learned numbers": [pointwise.learned(part, wide) for wide in WIDTHS],
        },
        forms={"learned numbers": rows.WHOLE},
    )
    st.caption(
        "A kernel of 3 would mix neighbours, as attention mixes tokens that are far apart. In a model that"
        " writes it would have to look back only."
    )


def tokens(count: int) -> str:
    return "1 token" if count == 1 else f"{count} tokens"


def moved(model: Attends[Any], text: str, layer: int, token: int) -> np.ndarray:
    """Relative change (2, T) of the attention and the feed-forward output of a layer when half of
    what it reads of one token shown is 0."""
    names = ("attention.output", "feed_forward.output")
    both = model.tower.design.parallel
    reads = ("residual.before", "residual.before" if both else "residual.middle")
    plain = model.trace(text, fields=names)
    moves = []
    for name, source in zip(names, reads, strict=True):
        wide = model.tower.design.width
        edit = Edit(source, {"layer": layer, "token": plain.offset + token, "unit": (0, wide // 2)})
        edited = model.trace(text, (edit,), fields=names)
        a, b = (t.field(name).values[layer].astype(float) for t in (plain, edited))
        moves.append(np.linalg.norm(b - a, axis=-1) / np.maximum(np.linalg.norm(a, axis=-1), 1e-12))
    return np.stack(moves)


def sparsity(model: Attends[Any], trace: Trace) -> None:
    st.markdown("##### How many feed-forward units are active?")
    act_LTF = trace.field("feed_forward.activation").values
    table = []
    for layer, act_TF in enumerate(act_LTF):
        squares = np.sort(act_TF.astype(float) ** 2, axis=-1)[:, ::-1]
        tenth = squares[:, : max(1, squares.shape[1] // 10)].sum() / max(squares.sum(), 1e-12)
        shares = {
            "above 0": act_TF > 0,
            f"within ±{SMALL}": np.abs(act_TF) < SMALL,
            "exactly 0": act_TF == 0,
        }
        row: dict[str, Any] = {"layer": layer + 1}
        row |= {name: f"{100 * found.mean():.0f} %" for name, found in shares.items()}
        table.append(row | {"the strongest tenth carries": f"{100 * tenth:.0f} %"})
    rows.show(table, "sparsity")
    kind = model.tower.design.activation
    bend = {"relu": "ReLU", "gelu": "GELU", "swiglu": "SwiGLU"}
    st.markdown(
        f"This model's non-linearity is {bend.get(kind, kind)}. ReLU makes every negative number"
        " 0: as many units would be silent as are not above 0 here. GELU leaves a little of"
        " small negative numbers, so hardly any is exactly 0; SwiGLU multiplies by a smooth"
        " gate and has no zeros either. By hand: ReLU of (1, −2.5, 0, 2) is (1, 0, 0, 2), 2 of"
        " 4 units active."
    )
    st.markdown(
        "Without these non-linearities, do the layers collapse to one linear map? They do not:"
        " softmax and norm are not linear. With the feed-forward parts switched off, doubling"
        " all embeddings should double the stream if the rest were linear; here it misses that"
        f" by **{number(100 * bent(model, trace.text))} %** of its length."
    )


def bent(model: Attends[Any], text: str) -> float:
    """How far the stream without feed-forward parts is from doubling when its start is doubled,
    relative to the doubled one."""
    off = Edit("feed_forward.output", {})
    twice = (off, Edit("residual.before", {"layer": 0}, 2.0, How.SCALE))
    a, b = (
        model.trace(text, edits, fields=("residual",)).field("residual").values[-1].astype(float)
        for edits in ((off,), twice)
    )
    return float(np.linalg.norm(b - 2 * a) / np.linalg.norm(2 * a))
