"""Three contests to look at, one click each, and what to look for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine.core.registry import tasks


@dataclass(frozen=True)
class Try:
    title: str
    state: Mapping[str, Any]
    look: str


BEGIN = {
    "cells": ["Elman RNN", "LSTM", "GRU", "LSTM of 1997"],
    "task": tasks.get("lag").title,
    "noise": "none",
    "match": "parameters",
    "size": 40,
    "distance": 20,
    "steps": 600,
    "seed": 0,
}
TRIES = (
    Try(
        "Long distances only",
        BEGIN | {"far": "long only", "forget": 1},
        "There are no short distances to start from: the RNN and the LSTM only guess. The GRU"
        " and the LSTM of 1997 find the link.",
    ),
    Try(
        "The same, with a forget bias of 3",
        BEGIN | {"far": "long only", "forget": 3},
        "Only the LSTM's forget bias has changed. Now it learns what it could not learn"
        " before: the gradient reaches back to the letter.",
    ),
    Try(
        "Unseen distractors",
        BEGIN | {"far": "short and long", "forget": 1},
        "All were trained without distractors. In the picture on the right, the GRU falls"
        " below 70 % beyond the training distances, while the LSTM stays above 99 %. Then set"
        " distractors in training to half. Resistance to noise is learned, and then all of"
        " these cells have it.",
    ),
)


def show(where: DeltaGenerator) -> None:
    with where.popover("Examples"):
        for each in TRIES:
            st.button(each.title, on_click=_take, args=(each,))
    chosen = st.session_state.get("tried")
    if chosen and all(st.session_state.get(k) == v for k, v in chosen.state.items()):
        st.info(chosen.look)


def _take(each: Try) -> None:
    st.session_state.update(each.state)
    st.session_state["tried"] = each
