"""Bag of words: what the words of a review say about its class when their order is thrown away."""

import streamlit as st

from pages.ui import shell
from pages.ui.words import bag, bag_texts

lesson = shell.head("bag")
st.markdown(
    "A bag of words keeps how often each word stands in a text, and throws the order away. **Naive Bayes** asks of every word how much more often one class "
    "has it than the other, takes the logarithm, and adds up: each word is so many bits of evidence, as if the words knew nothing of each other."
)
bag.show(lesson, bag_texts.choose())
shell.sources(lesson)
