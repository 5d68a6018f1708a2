"""Pooling: what of an LSTM's states becomes the one vector of a text, in classifiers that differ in
nothing else; and what layer norm does to a memory."""

from dataclasses import replace
from functools import partial

import streamlit as st

from engine.lessons.pooling import panels
from engine.live import cache
from pages.ui import closer, live, shell
from pages.ui.fragment import fragment
from pages.ui.pooling import behind, lengths, levels, norms, undo

lesson = shell.head("pooling")
found = panels.chosen()
if not found:
    st.info(
        "No classifier over a pooled LSTM has been trained yet. Train one: `python -m engine train"
        " pooling --text marked --out DIR`, or all with `make zoo`."
    )
    st.stop()
live.show(
    replace(
        shell.opening(lesson, None, *(run.id for run in found.values())),
        prompt="Words of four kinds, one of them behind the sign !",
    ),
    partial(panels.stage, found),
    cache.is_open(*found.values()),
)


@fragment
def parts() -> None:
    closer.one_of(
        {
            "What layer norm does to a memory": norms.show,
            "Longer than in training": lambda: lengths.show(found),
            "Attention behind an LSTM": behind.show,
            "An LSTM over an LSTM": levels.show,
            "Steps that can be undone": undo.show,
        },
        "part",
    )


parts()
shell.sources(lesson, next(iter(found.values())))
