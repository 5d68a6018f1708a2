"""A network of few units that learns in the browser: points, layers and every unit's picture of the
plane; its gradients by hand; what is left of its layers without an activation; the loss around it."""

import streamlit as st

from pages.ui import closer, place, shell
from pages.ui.fragment import fragment
from pages.ui.network import board, others

lesson = shell.head("network")


@fragment
def page() -> None:
    with place.panel("network"):
        board.show("board")
        st.caption(
            "It learns in your browser, in JavaScript, with the steps that PyTorch would take; nothing is sent."
            " *More*, *Steps a second* takes the limit of 1,000 away."
        )
    closer.one_of(
        {
            "Backpropagation by hand": lambda: board.show("byhand"),
            "Without an activation": lambda: board.show("collapse"),
            "Slopes and gradients by layer": lambda: board.show("layers"),
            "The loss around it": lambda: board.show("around"),
            "Why it came late": others.show,
        },
        "part",
    )


page()
shell.sources(lesson)
