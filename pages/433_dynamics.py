"""One recurrent unit in three ways: a network whose gradient shrinks or grows, a dynamical system with
fixed points, a loss with a cliff; one set of sliders for all."""

import streamlit as st

from pages.ui import shell
from pages.ui.dynamics import norms, products, typed, views

lesson = shell.head("dynamics")


@st.fragment
def page() -> None:
    views.show()
    typed.show()
    norms.show()
    products.show()


page()
shell.sources(lesson)
