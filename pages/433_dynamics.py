"""One recurrent unit in three ways: a network whose gradient shrinks or grows, a dynamical system with
fixed points, a loss with a cliff; one set of sliders for all."""

import streamlit as st

from pages.ui import shell
from pages.ui.dynamics import chain, factor, norms, products, typed, views

lesson = shell.head("dynamics")


# each by itself: what moves one of them leaves the others as they are
for part in (views, typed, factor, norms, products, chain):
    st.fragment(part.show)()
shell.sources(lesson)
