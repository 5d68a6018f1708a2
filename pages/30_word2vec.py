"""word2vec: one update on the typed text, step by step; skip-gram and CBOW, three output layers, and how the vectors move."""

import streamlit as st

from pages.ui import shell
from pages.ui.meaning import word2vec, word2vec_outputs, word2vec_tables, word2vec_update, word2vec_window

OUTPUTS = {
    "softmax": "Full softmax: every word answers", "negative": "Negative sampling: noise words and their chances",
    "hierarchical": "Hierarchical softmax: a tree of questions",
}  # fmt: skip
lesson = shell.head("word2vec")
st.markdown(
    "A network with two tables and nothing else learns to guess the words around a word. Its rows become the word vectors. "
    "Below is **the next update on your text**, with all its numbers; the buttons do it and go on to the next word."
)


@st.fragment
def page() -> None:
    now = word2vec.controls(lesson)
    if now is None:
        return
    word2vec.buttons(now)
    if not word2vec.finite(now):
        st.error("The numbers have grown beyond all bounds. Reset, and choose a smaller learning rate.")
        return
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader("1 · The window and its pairs", anchor=False)
        word2vec_window.window(now)
    with right:
        st.subheader("2 · Looking up the vector", anchor=False)
        word2vec_window.lookup(now)
    st.subheader("3 · Scores, chances, errors", anchor=False)
    word2vec_update.answers(now)
    st.subheader("4 · How the vectors move", anchor=False)
    word2vec_update.moves(now)
    word2vec_update.course(now)
    st.subheader(OUTPUTS[now.setting.output], anchor=False)
    word2vec_outputs.show(now)
    st.subheader("Skip-gram and CBOW at this centre", anchor=False)
    word2vec_tables.both(now)
    st.subheader("Which table holds the word vectors?", anchor=False)
    word2vec_tables.cosines(now)


page()
shell.sources(lesson)
