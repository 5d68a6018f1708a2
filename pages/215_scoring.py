"""Scoring: how surprised a model is by a text, token by token, and the one number that this comes
to."""

import streamlit as st

from pages.ui import place, shell
from pages.ui.counting import context, study
from pages.ui.fragment import fragment
from pages.ui.scoring import methods, methods_compared, numbers, sentence

lesson = shell.head("scoring")
chosen = study.choose(lesson.id, first_order=2)


@fragment(key="scoring")
def page() -> None:
    scored = methods_compared.ask(chosen)
    sentence.bars(scored)
    st.markdown(
        "A good model is rarely surprised. A token of probability P costs $-\\log_2 P$ bits. The"
        " mean over a text that was **not** counted is the model's score; 2 to the power of that"
        " mean is its perplexity. Each line of the box is a sentence."
    )

    st.subheader("One number", anchor="number")
    with place.panel("number"):
        left, right = st.columns((4, 5), gap="medium")
        with left:
            numbers.summary(scored)
        with right:
            st.markdown("**It depends on what is counted**")
            numbers.ways(scored)

    st.subheader("All methods on this text", anchor="methods")
    with place.panel("methods"):
        methods.table(scored)

    st.subheader("A sentence is a product", anchor="chain")
    with place.panel("chain"):
        at = sentence.pick(scored)
        left, right = st.columns((6, 5), gap="medium")
        with left:
            sentence.chain(scored, at)
        with right:
            st.markdown("**One factor as a ratio of counts**")
            sentence.ratio(scored, at)

    st.subheader("Impossible and unknown tokens", anchor="zero")
    with place.panel("zero"):
        numbers.events(scored)

    st.subheader("Per sentence or per token?", anchor="loss")
    with place.panel("loss"):
        numbers.losses(scored)

    st.subheader("What does a wrong distribution cost?", anchor="divergence")
    methods.row(scored, context.ask(chosen, context.starts()))


page()
shell.sources(lesson)
