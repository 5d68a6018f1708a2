"""The same words in another order through every model of the page, without a mask and as it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

from engine.analysis.positions import shuffle
from engine.core.registry import positions
from engine.core.trace import Field, Kind
from engine.live import cache
from engine.live.markdown import escape
from engine.runs.store import Run
from engine.views.theme import shorten
from pages.ui import plate
from pages.ui.plate import Plate
from pages.ui.positions.figures import grid

LONGEST = 60  # tokens: the smallest context of the models, less some
DIMS = 8  # numbers that are drawn, evenly spread over the heads


@dataclass(frozen=True)
class Case:
    """A text in two orders, for one model."""

    tokens: Any
    order: np.ndarray
    told: shuffle.Told


def case(run: Run, text: str, seed: int) -> Case | None:
    """None where there are not two words to shuffle, or no other order of them."""
    from engine.models.transformer import Transformer

    model = cache.model(run, Transformer)
    tokens = model.tokens(text)[: min(LONGEST, model.context or LONGEST)]
    order = shuffle.shuffled(tokens, seed)
    if len(tokens) < 3 or (order == np.arange(len(order))).all():
        return None
    return Case(tokens, order, shuffle.compare(model, text, tokens, order))


def show(text: str, run: Run, others: Mapping[str, Run]) -> None:
    st.subheader("Shuffle the words", anchor="shuffle")
    st.markdown(
        "Attention is a sum over words, and a sum has no order. Below, the words of your text"
        " are shuffled, and each word's result is shown beside the original one. **Without"
        " positions and without a mask nothing changes**: the rows only trade places, and their"
        " mean stays the same."
    )
    seed = int(st.session_state.get("shuffle", 0))
    st.button("Shuffle again", on_click=lambda: st.session_state.update(shuffle=seed + 1))
    models = {positions.get(kind).title: of for kind, of in others.items()} or {run.title: run}
    cases = {title: found for title, of in models.items() if (found := case(of, text, seed))}
    if not cases:
        st.info("Type two different words or more: there is nothing to shuffle yet.")
        return
    first = next(iter(cases.values()))
    st.markdown(
        f"In order: **{escape(spelled(first.tokens, np.arange(len(first.order))))}**  \nShuffled:"
        f" **{escape(spelled(first.tokens, first.order))}**"
    )
    left, right = st.columns(2, gap="medium")
    with left:
        st.markdown("**Change by kind of position**")
        st.dataframe(
            rows(cases),
            hide_index=True,
            key="shuffled",
            column_config={name: st.column_config.Column(width=92) for name in rows(cases)[0]},
        )
        st.caption(
            "Length of the difference as a share of the length of the numbers. Words, their mean:"
            " what the heads of layer 1 read when every token may look at every other. As it is:"
            " what the whole decoder, with its mask, holds at its top; next token: how much of its"
            f" answer goes elsewhere. Of a long text the first {LONGEST} tokens are taken."
        )
    with right:
        shown = next((title for title, of in models.items() if of.id == run.id), next(iter(cases)))
        if shown in cases:
            plate.show(picture(cases[shown], shown, models[shown], text))
    st.markdown(said(cases))


def spelled(tokens: Any, order: np.ndarray, most: int = 220) -> str:
    starts = {part.start for part in shuffle.words(tokens)}
    words = "".join(
        (" " if t in starts else "") + tokens.labels[t].strip() for t in order[1:].tolist()
    ).strip()
    return shorten(words, most + 1)


def share(value: float) -> str:
    return "0 (rounding)" if value < 1e-5 else f"{100 * value:.3g} %"


def rows(cases: Mapping[str, Case]) -> list[dict[str, Any]]:
    return [
        {
            "positions": title,
            "words": share(c.told.moved),
            "their mean": share(c.told.pooled),
            "as it is": share(c.told.masked),
            "next token": f"{100 * c.told.next:.3g} %",
        }
        for title, c in cases.items()
    ]


def said(cases: Mapping[str, Case]) -> str:
    """What the numbers of the model without positions say, true of these numbers."""
    if (none := cases.get(positions.get("none").title)) is None:
        return "A model with positions tells the two orders apart even without a mask."
    return (
        "“Dog bites man” and “man bites dog” would be the same *bag* for such a model: the"
        " vectors are those of the same words, and their mean is equal. But a decoder has a"
        " mask, and a mask reveals order: a token that can look back at three others differs"
        " from one that can look back at five. So even without positions"
        f" {share(none.told.masked)} changes at the top of this decoder, and"
        f" {100 * none.told.next:.3g} % of its probability for the next token moves elsewhere."
    )


def picture(c: Case, title: str, run: Run, text: str) -> Plate:
    names = ("in order", "shuffled, put back", "difference")
    some = np.linspace(0, c.told.one.shape[1] - 1, DIMS).round().astype(int)
    values = np.stack([c.told.one, c.told.other, c.told.other - c.told.one])[:, :, some]
    axes = {"label": names, "token": c.tokens.labels, "dim": some}
    top = float(np.ceil(10 * np.abs(values[:2]).max()) / 10) or 1.0
    says = "What layer 1 reads for each word without a mask"
    field = Field.of("reading", Kind.STATE, axes, values, says, domain=(-top, top))
    of = f"{run.title}; {DIMS} of {c.told.one.shape[1]} numbers, from all heads"
    return grid(field, run.id, of, "shuffle", text=text[:200])
