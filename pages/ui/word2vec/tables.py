"""Which table holds the word vectors, and the same question asked by both models."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import streamlit as st

from engine.core.trace import Field, Kind
from engine.live.markdown import escape
from engine.nn.word2vec import toy
from engine.nn.word2vec.single import update
from pages.ui import choice, plate, rows
from pages.ui.word2vec.chosen import Now

LOOKS = {"W₁, the input table": 0, "W₂, the output table": 1, "the mean of both": 2}


def both(now: Now) -> None:
    """Skip-gram and CBOW at this centre, from the same tables."""
    models = []
    for name, cbow in (("Skip-gram", False), ("CBOW", True)):
        setting = replace(now.setting, cbow=cbow)
        asked = toy.ask(now.text, setting, now.t, now.n)
        if asked is None:
            return
        done = update(*now.tables, asked)
        models.append(
            {
                "model": name,
                "reads": ", ".join(now.names(asked.input_I)),
                "predicts": ", ".join(now.names(asked.targets)),
                "h": ", ".join(f"{x:.3f}" for x in done.h_D).replace("-", "−"),
                "loss per target": done.loss / len(asked.targets),
                "input rows moved": int((np.abs(done.in_VD).max(1) > 0).sum()),
                "output rows moved": int((np.abs(done.out_VD).max(1) > 0).sum()),
            }
        )
    rows.show(models, forms={"loss per target": "%.6f"})
    st.markdown(
        "Skip-gram: one word in, each word of the window out. CBOW: the mean of the window in,"
        " its centre out. CBOW makes one prediction per centre, not one per pair, and each of"
        " the n averaged rows gets one n-th of the gradient. The rows of W₁ are word vectors"
        " in **both**."
    )


def cosines(now: Now) -> None:
    if now.setting.output == "hierarchical":
        st.markdown(
            "With a tree the output rows belong to **nodes**, not to words, so only the rows"
            " of W₁ can be word vectors."
        )
    in_VD, out_VD = now.tables
    looks = list(LOOKS)[:1] if now.setting.output == "hierarchical" else list(LOOKS)
    chosen = choice.one_of("Cosines of the rows of", looks, f"w2v_table_{len(looks)}")
    table_VD = (in_VD, out_VD, (in_VD + out_VD) / 2)[LOOKS[chosen]]
    axes = {"source": now.text.words, "target": now.text.words}
    says = f"Cosines of the words in {chosen}"
    field = Field.of("cosine", Kind.COSINE, axes, _cosine(table_VD), says, "cos")
    plate.show(now.plate("cosines", "heatmap", field, f"After {now.n:,} updates", fluid=True))
    if now.setting.output == "hierarchical":
        return
    apart = np.abs(_cosine(in_VD) - _cosine(out_VD))
    i, j = np.unravel_index(apart.argmax(), apart.shape)
    a, b = (escape(now.text.words[k]) for k in (i, j))
    one, two = _cosine(in_VD)[i, j], _cosine(out_VD)[i, j]
    st.markdown(
        f"The tables disagree most about “{a}” and “{b}”: cosine **{one:.6f}** in W₁, **{two:.6f}**"
        " in W₂. ".replace("-", "−")
        + "Some texts take W₂ for CBOW and W₁ for skip-gram. Rows of W₂ *can* serve as word"
        " vectors, but so can those of W₁: the original program keeps W₁ for both models and"
        " throws W₂ away; some average the two."
    )


def _cosine(table_VD: np.ndarray) -> np.ndarray:
    length_V1 = np.linalg.norm(table_VD, axis=1, keepdims=True)
    unit_VD = table_VD / np.where(length_V1 > 0, length_V1, 1)
    return np.clip(unit_VD @ unit_VD.T, -1, 1)
