"""Maps: many words in two or three dimensions, and how far such a map can be trusted."""

from dataclasses import replace

import streamlit as st

from pages.ui import cache, live, shell
from pages.ui.meaning import maps, maps_choice, maps_groups, maps_made, spaces

lesson, run = shell.enter("maps", spaces.SPACES)
choice = maps_choice.ask()
space, end = cache.model(run).space, None if run.step is None else cache.model(run.at(None)).space
try:
    with st.spinner("Drawing the map"):
        made = maps_made.make(choice, space, end)
except ValueError as problem:
    st.warning(f"{problem}."[0].upper() + f"{problem}."[1:])
    st.stop()
maps_made.wait(made)
groups = maps_groups.found(made)
opening = replace(shell.opening(lesson), prompt="Type words: they are marked on the map")
live.show(opening, lambda: maps.stage(run, cache.model(run), made, None if groups is None else groups["group"]), cache.is_open(run))
maps_groups.show(made, space)
st.subheader("What each map is for", anchor=False)
st.markdown(
    "- **Principal components** look at the words from the side where they differ most. Straight lines stay straight, the same words always give the same map; most of a hundred dimensions is lost.\n"
    "- **t-SNE** and **UMAP** keep near words near. Distances between groups, the size of a group and empty space between groups mean little, and the start can change them.\n"
    "- **Axes of your own** ask one question each: is a word nearer to the one end or to the other?\n\n"
    "**Trustworthiness** asks of each word: is what lies near it on the map near in truth? **Continuity** asks: does what is near in truth lie near on the map? Lines on the map go to the true "
    "nearest neighbours, by cosine in all dimensions: long lines are neighbours that the map tore apart."
)
shell.sources(lesson, run)
