"""Task shapes: what goes in, what comes out and when; each shape on the typed text with a small
trained model."""

from functools import partial

import streamlit as st

from engine.live import cache
from pages.ui import live, shell
from pages.ui.choice import one_of
from pages.ui.shapes import panels, shape, turned

lesson = shell.head("shapes")
chosen, example = shape.choose()
feeds, seed = True, 1
if chosen.id == "one-to-many":
    left, right = st.columns((3, 1), vertical_alignment="bottom")
    words, modes = "What the model reads after the seed", ("what was written", "nothing")
    feeds = one_of(words, modes, "after", where=left, link=True) == modes[0]
    seed = int(
        right.number_input(
            "Sample",
            1,
            9_999,
            step=1,
            key="draw",
            bind="query-params",
            help="Another number gives other random samples.",
        )
    )
runs = panels.runs(chosen, example)
if isinstance(runs, str):
    st.info(panels.NO_MODEL.format(model=runs))
else:
    live.show(
        shell.opening(lesson),
        partial(panels.stage, chosen, example, runs, feeds, seed),
        cache.is_open(*runs),
    )
    if example == shape.FILM:
        turned.pairs(runs[0])
shell.sources(lesson, None if isinstance(runs, str) else runs[0])
