"""Bag of words: what the words of a review say about its class when their order is thrown away."""

import streamlit as st

from pages.ui import shell
from pages.ui.bag import panels, texts

lesson = shell.head("bag")
panels.show(lesson, texts.choose(shell.bar()))
st.markdown(
    "A bag of words keeps how often each word occurs in a text and ignores the order. **Naive"
    " Bayes** compares how often each word occurs in the two classes, takes the logarithm of"
    " the ratio, and adds up: each word is so many bits of evidence, as if words were"
    " independent of each other."
)
shell.sources(lesson)
