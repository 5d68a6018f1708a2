"""What the typed text costs the shipped heads under each pattern, in a moment of rest."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from engine.analysis.masks import imposed
from engine.analysis.masks.imposed import Mask
from engine.analysis.masks.patterns import PATTERNS
from engine.core.trace import Field, Kind
from engine.lessons.masks import panels
from engine.lessons.sparse.panels import FIRST, SHOWN
from engine.live import cache
from engine.live.drawing import Look, Traces
from engine.models.transformer import Transformer
from engine.runs.store import Run
from pages.ui import language, plate, rows
from pages.ui.plate import Plate


def show(run: Run, traces: Traces, look: Look) -> None:
    trace = traces[panels.READER]
    if len(trace.ids) < 2:
        return
    size = panels.read_rules(str(look.get("rules", "")), "", FIRST).size
    table = costs(run, cache.model(run, Transformer), trace.ids, size)
    st.subheader("What each pattern costs on this text", anchor="costs")
    own = table["bits per token"][0]
    st.markdown(
        f"All patterns with size {size}, put on every layer and head of {run.title}. It was trained to look"
        f" at everything before a token, and then has {own:.2f} bits per token."
    )
    left, right = st.columns((5, 6), gap="medium")
    rows.show(
        {**table, "share of the pairs": [f"{100 * p:.1f} %" for p in table["share of the pairs"]]},
        "costs.table",
        {"bits per token": "%.2f"},
        left,
    )
    found = Field.of(
        "costs",
        Kind.LOSS,
        {"method": tuple(map(str, table["mask pattern"]))},
        np.array(table["bits per token"], float),
        "Bits per token under each pattern.",
    )
    plate.show(Plate("costs", "bars", (found,), run.id, run.title), right)


def costs(run: Run, model: Transformer, ids_T: np.ndarray, size: int) -> dict[str, list[Any]]:
    n = len(ids_T)
    every = n * (n + 1) / 2
    masks = [Mask(pattern, size) for pattern in SHOWN]
    bits = [panels.under(run, model, ids_T, mask).mean for mask in masks]
    return {
        "mask pattern": [language.say(PATTERNS[pattern].title) for pattern in SHOWN],
        "share of the pairs": [imposed.pairs(mask, n) / every for mask in masks],
        "bits per token": bits,
    }
