"""What stands behind the heads: output weights, residual, norm and feed-forward part, as in the paper
and as printed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st
import torch

from engine.analysis.residual_stream import behind_heads
from engine.live.markdown import sentence
from engine.runs.store import Run
from engine.views.base import number
from pages.ui import ask, plate, rows, typed
from pages.ui.address import begin
from pages.ui.written import equations, matrix

if TYPE_CHECKING:
    from engine.models.abilities import Attends

KINDS = {"standard": "standard", "printed": "as printed"}
X, OUT = [[1.0, 2, 3, 4], [2, 0, -2, 0]], [[0.5, -0.5, 1, -1], [1, -1, 1, -1]]
MOST = 300


def show(run: Run, model: Attends[Any], example: str) -> None:
    st.subheader("From the mixed values to the output of a block", anchor=False)
    st.markdown(
        "Behind the heads stand the output weights W_O, a residual connection and a norm; then the"
        " feed-forward part, with a residual connection and a norm of its own. Only the"
        " feed-forward part has a non-linearity. Drawn as one “fully connected layer”, the two"
        " become one, and what attention adds is clipped at 0."
    )
    line = ask.line()
    kind = ask.pick("Order of the parts", KINDS, "behind_order", where=line, width=150)
    n, k, d, inner = (
        ask.between(line.number_input, label, f"behind_{key}", 1, most, first, width=130)
        for label, key, most, first in (
            ("N, tokens", "n", 4096, 5),
            ("width of a value", "v", 4096, 64),
            ("d, width", "d", 16_384, 128),
            ("inner width", "inner", 65_536, 512),
        )
    )
    printed = kind == "printed"
    found = behind_heads.steps(n, d, k, inner, printed)
    table = [
        {"step": s.name, "formula": s.formula, "shape": s.shape, "parameters": s.parameters}
        for s in found
    ]
    rows.show(table, "behind.steps", {"parameters": rows.WHOLE})
    st.markdown(
        f"Together **{sum(s.parameters for s in found):,}** parameters. Z has the width of the"
        f" values, {k}; W_O brings it to {d}, or it could not be added to X."
    )
    st.markdown("**By hand**, two tokens of four numbers:")
    x, out = torch.tensor(X), torch.tensor(OUT)
    added = out.relu() if printed else out
    names = (
        (r"\max(0, \text{Out})", r"X + \max(0, \text{Out})")
        if printed
        else (r"\text{Out}", r"X + \text{Out}")
    )
    parts = (
        ("X", x),
        (names[0], added),
        (names[1], x + added),
        (r"\text{LN}", behind_heads.joined(x, out, printed)),
    )
    equations((name, matrix(part.double().numpy(), places=6)) for name, part in parts)
    inside(run, model, example)


def inside(run: Run, model: Attends[Any], example: str) -> None:
    """What the non-linearity would take away from the model above."""
    st.markdown("##### What it would do to the model above")
    begin(behind_text=typed.own(MOST) or example)
    text = ask.text("Text", "behind_text", MOST, live="150ms")
    try:
        bits_2T = behind_heads.surprisals(model, text).numpy() if model.foretells else None
    except ValueError as problem:
        st.info(sentence(problem))
        return
    trace = model.trace(text, fields=(behind_heads.OUT,))
    if not len(trace):
        st.info("Type at least one word.")
        return
    out_LTD = trace.field(behind_heads.OUT).values.astype(float)
    above_LTD = np.maximum(out_LTD, 0)
    table = {
        "layer": [str(n + 1) for n in range(len(out_LTD))],
        "numbers below 0": (out_LTD < 0).mean((1, 2)),
        "length that is left": np.linalg.norm(above_LTD, axis=-1).mean(1)
        / np.maximum(np.linalg.norm(out_LTD, axis=-1).mean(1), 1e-12),
        "mean of what is added": out_LTD.mean((1, 2)),
        "mean when clipped": above_LTD.mean((1, 2)),
    }
    shares = dict.fromkeys(("numbers below 0", "length that is left"), rows.SHARE)
    rows.show(
        table,
        "behind.layers",
        {**shares, "mean of what is added": "%.4f", "mean when clipped": "%.4f"},
    )
    if bits_2T is None:
        return
    st.markdown(
        f"Clipped in all layers, a token of your text costs **{number(float(bits_2T[1].mean()))} bits**"
        f" in the mean, instead of {number(float(bits_2T[0].mean()))}. The model was trained without"
        " clipping; one trained with it would do better than this, but could only ever raise a number of the"
        " stream by attention, never lower it."
    )
    names = ("as it is", "attention clipped at 0")
    plate.show(
        plate.lines(
            "behind",
            "Surprisal of each token of your text",
            [(a, range(1, len(b) + 1), b) for a, b in zip(names, bits_2T, strict=True)],
            run.id,
            run.title,
            x="token",
            y="bits",
            whole=True,
            tight=True,
            fluid=True,
            text=text,
            model=run.model,
        )
    )
