"""Task shapes: what goes in, what comes out and when; each shape on the typed text with a small
trained model."""

from dataclasses import replace
from functools import partial

import streamlit as st

from engine.live import cache
from pages.ui import ask, fold, live, shell, stories
from pages.ui.bag import mistakes
from pages.ui.choice import one_of
from pages.ui.shapes import panels, shape, turned

lesson = shell.head("shapes")
chosen, example = shape.choose(shell.bar())
feeds, seed = True, 1
if chosen.id == "one-to-many":
    left, right = st.columns((3, 1), vertical_alignment="bottom")
    words, modes = "What the model reads after the seed", ("what was written", "nothing")
    feeds = one_of(words, modes, "after", where=left, link=True) == modes[0]
    says = "A different number gives different random samples."
    seed = ask.between(right.number_input, "Sample", "draw", 1, 9_999, 1, help=says)
runs = panels.runs(chosen, example)
if isinstance(runs, str):
    st.markdown(f"**{chosen.title}.** {chosen.says} *For example:* {chosen.uses}.")
    st.info(panels.NO_MODEL.format(model=runs))
else:
    opening = replace(shell.opening(lesson), steps=shell.minute(lesson, runs[0]))
    if runs[0].model == "seq2seq":
        opening = replace(opening, example=panels.ENGLISH, tries=())
    live.show(
        opening,
        partial(panels.stage, chosen, example, runs, feeds, seed),
        cache.is_open(*runs),
    )
    st.markdown(f"**{chosen.title}.** {chosen.says} *For example:* {chosen.uses}.")
    if example == shape.FILM:
        turned.pairs(runs[0])
        fold.show("Its surest mistakes", partial(mistakes.of_run, runs[0]), "mistakes")
        fold.show(
            "Pairs of texts often used as examples, and this model",
            partial(stories.opinions, runs[0]),
            "stories",
        )
shell.sources(lesson, None if isinstance(runs, str) else runs[0])
