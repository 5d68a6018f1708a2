"""The shape of a mask: which head of which text it lands on, and when torch refuses it."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.analysis.masks.shapes import PAD, SHAPES, Laid, lay, real
from pages.ui import rows
from pages.ui.choice import one_of

WORDS = (("cats", "sleep", "all", "day"), ("dogs", "bark"), ("rain",), ("birds", "sing", "early"))
LONGEST = max(map(len, WORDS))


def show() -> None:
    st.markdown(
        "Texts in a batch are filled up to the longest. Scores have the shape (texts, heads, from, to); a"
        " mask has fewer axes, and torch matches them **from the last one backwards**."
    )
    a, b, c = st.columns((2, 2, 4), vertical_alignment="bottom")
    texts = int(a.slider("Texts", 2, len(WORDS), 4, key="shapes.texts"))
    heads = int(b.slider("Heads", 1, 4, 4, key="shapes.heads"))
    shape = one_of("Shape of the mask", SHAPES, "shapes.shape")
    adds = c.toggle(
        "The attention adds an axis for the heads: mask.unsqueeze(1)", True, key="shapes.adds"
    )
    lines = WORDS[:texts]
    ids = [[n + 1 for n, _ in enumerate(line)] + [PAD] * (LONGEST - len(line)) for line in lines]
    found = lay(real(ids), heads, shape, adds)
    st.markdown(said(found, shape, texts, heads))
    if found.may_BNTS is None:
        return
    last = found.may_BNTS[:, :, -1]  # what the last token may look at
    table = {
        "text": [" ".join((*line, *["·"] * (LONGEST - len(line)))) for line in lines],
        **{
            f"head {n + 1}": [
                seen(lines[b], last[b, n], found.wrong_BN[b, n]) for b in range(texts)
            ]
            for n in range(heads)
        },
    }
    rows.show(table, "shapes.found")
    st.caption(
        "In a cell what the last place may look at in this text; · is filling, – what is hidden, ✗ a head"
        " that has got the wrong mask."
    )


def seen(line: tuple[str, ...], may_S: np.ndarray, wrong: bool) -> str:
    words = (*line, *["·"] * (LONGEST - len(line)))
    shown = " ".join(word if may else "–" for word, may in zip(words, may_S, strict=True))
    return f"✗ {shown}" if wrong else shown


def said(found: Laid, shape: str, texts: int, heads: int) -> str:
    scores = f"({texts}, {heads}, {LONGEST}, {LONGEST})"
    given = "(" + ", ".join(map(str, found.given)) + ")"
    if found.may_BNTS is None:
        return f"Mask {given}, scores {scores}: **torch refuses**. “{found.problem}” That is the better luck."
    count = int(found.wrong_BN.sum())
    if not count:
        return f"Mask {given}, scores {scores}: **right**, every head of every text gets what was meant."
    if shape == "BS":
        return (
            f"Mask {given}, scores {scores}: nothing fails, and **{count} of {found.wrong_BN.size} heads are"
            " wrong**. The axis of the texts has landed on that of the heads."
        )
    return (
        f"Mask {given}, scores {scores}: nothing fails, and **{count} of {found.wrong_BN.size} heads are"
        " wrong**. An axis has landed on another that happens to be as long."
    )
