"""Masks: who may look at whom, on a trained Transformer and the typed text; then what a mask's shape
and its number can spoil."""

import streamlit as st

from engine.analysis.masks.imposed import Mask
from engine.lessons.masks import panels
from engine.live import cache
from pages.ui import closer, live, shell
from pages.ui.fragment import fragment
from pages.ui.masks import shapes

lesson, run = shell.enter("masks")
SAYS = (
    "A row looks, a column is looked at; grey is forbidden. Click a cell to turn it over. Beside each row"
    " what the next token costs."
)
SHOWN = ("causal", "below", "none", "padding", "window", "top")
live.show(
    shell.opening(lesson, run), lambda: panels.stage(run, SHOWN, Mask(), SAYS), cache.is_open(run)
)


def number() -> None:
    place = {"panel": "part-how-a-token-is-masked-and-what-can-go-wrong"}
    st.page_link("pages/505_attention.py", label="Attention", query_params=place)


@fragment
def parts() -> None:
    closer.one_of({"Shapes of masks": shapes.show, "The number that hides": number}, "part")


parts()
shell.sources(lesson, run)
