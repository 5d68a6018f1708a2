"""Smoothing: what every method takes from the counts, and to whom it gives it, on a text small
enough to check by hand."""

from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.ui import ask, fold, place, shell
from pages.ui.counting import context, smoothers, study
from pages.ui.fragment import fragment
from pages.ui.smoothing import (
    continuation_counts,
    evidence,
    likelihood,
    rungs,
    side_by_side,
    six_steps,
    unknown,
    zero,
)

lesson = shell.head("smoothing")
chosen = study.choose(lesson.id)


def part(id: str, title: str) -> DeltaGenerator:
    """A fold that links and the first minute know by its id."""
    with st.container(key=id), place.panel(id):
        return st.expander(title)


@fragment(key="smoothing")
def page() -> None:
    row = ask.line()
    after, fields = (
        row.container(),
        row.container(horizontal=True, width=480, gap="small", key="explained"),
    )
    with row.popover("Settings"):
        start = context.starts()
        methods = smoothers.sliders(chosen.order)
    with after:
        asked = context.ask(chosen, start)
    models = {id: chosen.study.smoothed(method) for id, method in methods.items()}
    method, word = rungs.show(chosen, models, asked, fields)
    st.markdown(
        "Plain counts give no probability to unseen sequences, yet most good sentences have"
        " never been seen. Smoothing takes a little from every count and gives it to the rest."
        " The methods differ in **how much** they take and **to whom** they give it."
    )
    st.subheader("All methods on the same context", anchor="methods")
    side_by_side.show(chosen, models, asked)
    st.subheader("Why the count of “Francisco” is misleading", anchor="francisco")
    with place.panel("francisco"):
        continuation_counts.show(chosen)
    with part("zero", "The zero-probability problem"):
        zero.show(chosen, models, method)
    with part("counts", "The counts and the lines they come from"):
        evidence.show(chosen, asked, word)
    for id, title, draw in (
        ("likelihood", "Why counts? They make the text most likely", partial(likelihood.show, chosen, asked)),
        ("steps", "Six steps from a text to a model", partial(six_steps.show, chosen, models[method])),
        ("unknown", "Unknown words: known from which count?", partial(unknown.show, chosen, asked)),
    ):  # fmt: skip
        with st.container(key=id):
            fold.show(title, draw, id)


page()
shell.sources(lesson)
