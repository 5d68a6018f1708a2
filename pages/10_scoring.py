"""Scoring: how surprised a model is by a text, token by token, and the one number that this comes to."""

import streamlit as st

from pages.ui import shell
from pages.ui.counts import context, scoring, scoring_methods, scoring_numbers, scoring_sentence, study

lesson = shell.head("scoring")
st.markdown(
    "A good model is rarely surprised. A token of probability P costs $-\\log_2 P$ bits; the mean over a text that was **not** counted "
    "is the model's score, and 2 to that power is its perplexity."
)


@st.fragment(key="scoring")
def page() -> None:
    left, right = st.columns((7, 4), gap="medium")
    with left:
        chosen = study.choose(first_order=2)
    with right:
        study.lines(chosen)
    scored = scoring.ask(chosen)

    st.subheader("How surprising is each token?", anchor="surprisal")
    scoring_sentence.bars(scored)

    st.subheader("One number", anchor="number")
    left, right = st.columns((6, 5), gap="medium")
    with left:
        scoring_numbers.summary(scored)
    with right:
        st.markdown("**It depends on what is counted**")
        scoring_numbers.ways(scored)

    st.subheader("All methods on this text", anchor="methods")
    scoring_methods.table(scored)

    st.subheader("A sentence is a product", anchor="chain")
    at = scoring_sentence.pick(scored)
    left, right = st.columns((6, 5), gap="medium")
    with left:
        scoring_sentence.chain(scored, at)
    with right:
        st.markdown("**One factor as a ratio of counts**")
        scoring_sentence.ratio(scored, at)

    st.subheader("What was impossible, what was unknown", anchor="zero")
    scoring_numbers.events(scored)

    st.subheader("Per sentence or per token?", anchor="loss")
    scoring_numbers.losses(scored)

    st.subheader("What does the wrong distribution cost?", anchor="divergence")
    scoring_methods.row(scored, context.ask(chosen))


page()
shell.sources(lesson)
