"""The readers of the first page: one of each kind, and a menu to take another run in its place."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine.core.cell_card import listed
from engine.core.registry import models
from engine.live import cache
from engine.runs.store import Run
from pages.ui.language import told

UNITS = {"chars": "characters", "words": "words"}


def word_spaces() -> tuple[str, ...]:
    """Ids of all models that are tables of word vectors, that of most lessons first."""
    return tuple(dict.fromkeys(("skipgram", *models.heirs("WordSpace"))))


@dataclass(frozen=True, slots=True)
class Kind:
    """`models` are those whose runs can stand here; the first run of the first is there at
    first."""

    id: str
    title: str
    models: tuple[str, ...]


KINDS = (
    Kind("ngram", "n-gram", ("ngram", "hmm")),
    Kind("lstm", "LSTM", listed()),
    Kind("transformer", "Transformer", ("transformer",)),
    Kind("skipgram", "embedding", word_spaces()),
)


def choose(where: DeltaGenerator) -> list[tuple[Kind, str, str, Run]]:
    """Per kind that has a run: the kind, its title here, what its tokens are called, and the chosen
    run.

    where  what the menu stands in
    """
    every = cache.runs(None)
    found = [
        (kind, runs)
        for kind in KINDS
        if (runs := {r.id: r for id in dict.fromkeys(kind.models) for r in every if r.model == id})
    ]
    if any(len(runs) > 1 for _, runs in found):
        with where.popover(
            told("Other readers"),
            help=told("Replace any of the four with another run, for example one of your own"),
        ):
            for kind, runs in found:
                if len(runs) > 1:
                    st.selectbox(
                        told(kind.title), list(runs), key=f"reader_{kind.id}", bind="query-params"
                    )
    picked = []
    for kind, runs in found:
        first = next(iter(runs))
        id = st.session_state.get(f"reader_{kind.id}", first)
        run = runs[id if id in runs else first]
        title = kind.title if run.id == first else run.title.split(",")[0]
        picked.append(
            (kind, title, UNITS.get(run.note["config"].get("tokenizer", "words"), "tokens"), run)
        )
    return picked
