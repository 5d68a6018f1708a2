"""Maps: many words in two or three dimensions, and how far such a map can be trusted."""

from dataclasses import replace

import streamlit as st

from engine.live import cache
from engine.live.markdown import sentence
from engine.models.wordspace import WordSpace
from pages.ui import live, readers, shell
from pages.ui.maps import choice as maps_choice
from pages.ui.maps import groups as maps_groups
from pages.ui.maps import made as maps_made
from pages.ui.maps import panels

lesson, run = shell.enter("maps", readers.word_spaces())
choice = maps_choice.ask(shell.bar())
model = cache.model(run, WordSpace)
space, end = model.space, None if run.step is None else cache.model(run.at(None), WordSpace).space
try:
    with st.spinner("Drawing the map"):
        made = maps_made.make(choice, space, end)
except ValueError as problem:
    st.warning(sentence(problem))
    st.stop()
maps_made.wait(made)
groups = maps_groups.found(made)
opening = replace(shell.opening(lesson, run), prompt="Type words to mark them on the map")
live.show(
    opening,
    lambda: panels.stage(run, model, made, None if groups is None else groups["group"]),
    cache.is_open(run),
)
maps_groups.show(made, space)
st.subheader("What each kind of map shows", anchor=False)
st.markdown(
    "- **Principal components** show the words from the direction in which they differ most."
    " Straight lines stay straight, and the same words always give the same map, but most of a"
    " hundred dimensions is lost.\n"
    "- **t-SNE** and **UMAP** keep near words near. Distances between groups, the size of a"
    " group and the empty space between groups mean little, and depend on the random start.\n"
    "- **Axes of your own** ask one question each: is a word nearer to one end or to the"
    " other?\n"
    "\n"
    "*For each word, **trustworthiness** asks whether its neighbours on the map are near in"
    " truth; **continuity** asks whether its true neighbours are near on the map. Lines on the"
    " map lead to the true nearest neighbours, by cosine in all dimensions: a long line is a"
    " neighbour that the map tore away."
)
shell.sources(lesson, run)
