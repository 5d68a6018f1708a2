"""One loss on its way back through a recurrent net and through a Transformer: layer by layer, token by token."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from engine.analysis import backpropagation
from engine.core.trace import Field, Kind
from engine.course import curriculum
from engine.live import cache
from engine.models.neural import NeuralLanguageModel
from engine.models.recurrent import RecurrentModel
from engine.runs.store import Run
from engine.views import theme
from engine.views.base import number
from pages.ui import ask, plate
from pages.ui.plate import Plate

MOST, LOWEST = 100, -5.0  # characters; power of ten


def show(run: Run, model: RecurrentModel[Any]) -> None:
    st.subheader("The way back through a Transformer", anchor=False)
    st.markdown(
        "In a recurrent net the gradient of the last loss goes back **through every step** between. In a Transformer"
        " it goes down the layers, and at each of them attention hands it to **any** earlier token at once. Colour: how"
        " long it is there, beside the longest, in powers of ten."
    )
    others = {r.id: r for r in cache.runs_of("transformer")}
    if not others:
        st.info("No Transformer has been trained yet. Train one in the training room.")
        return
    ask.begin(beside_text=curriculum.lesson("bptt").example)
    row = ask.line()
    text = ask.text("Type a sentence", "beside_text", MOST, where=row, live="150ms")
    first = "transformer" if "transformer" in others else None
    titles = {id: r.title for id, r in others.items()}
    other = others[ask.pick("Transformer", titles, "beside_run", first, where=row)]
    plates, said = [], []
    try:
        for id, one in (("beside_net", run), ("beside_transformer", other)):
            by = model if one is run else cache.model(other, NeuralLanguageModel)
            made = _plate(id, one, by, text)
            if made is None:
                st.info("Type at least one token.")
                return
            plates.append(made[0])
            said.append(f"{one.title}: {number(100 * made[1])} %")
    except ValueError as problem:
        st.info(str(problem))
        return
    plate.row(*plates)
    st.caption(
        "Of the gradient at the vector of the token just before, so much is left at the first token of the text:"
        f" {'; '.join(said)}."
    )


def _plate(
    id: str, run: Run, model: NeuralLanguageModel[Any], text: str
) -> tuple[Plate, float] | None:
    tokens = model.tokens(text)
    tokens = tokens[max(0, len(tokens) - (model.context or len(tokens))) :]
    if len(tokens) < 3:
        return None
    size_LK = backpropagation.layers(model, tokens, len(tokens) - 1)
    if not np.isfinite(size_LK).all():
        raise ValueError("The gradient is no finite number: this network has diverged.")
    left = float(size_LK[0, 1] / max(size_LK[0, -1], 1e-30))
    power_LK = np.log10(np.maximum(size_LK / max(size_LK.max(), 1e-30), 10**LOWEST))[::-1]
    names = ["vectors", *(f"layer {n}" for n in range(1, len(size_LK)))][::-1]
    labels = [theme.visible(label) for label in tokens.labels[:-1]]
    field = Field.of(
        "gradient",
        Kind.LOSS,
        {"row": names, "column": labels},
        power_LK.astype(np.float32),
        run.title,
        unit="power of ten",
        domain=(LOWEST, 0.0),
    )
    last = theme.visible(tokens.labels[-1])
    of = f"Loss of the last token, “{last}”: length of the gradient, as a power of ten of the longest"
    return Plate(id, "heatmap", (field,), run.id, of, model=run.model, text=text, fluid=True), left
