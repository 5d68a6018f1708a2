"""Memory ledger: which token wrote what is in a unit's memory now, and how fast each unit
forgets."""

import streamlit as st

from engine.core.cell_card import listed
from engine.live import cache
from pages.ui import live, shell
from pages.ui.address import recall, remember
from pages.ui.fragment import fragment
from pages.ui.memory import halflives, ledger

KEEPS = (0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 0.999)
lesson, run = shell.enter("memory", listed())
above, below = st.container(), st.container()
text = halflives.choose(below, run)
with above:
    live.show(
        shell.opening(lesson, run),
        lambda: ledger.opened(run, text),
        cache.is_open(run) and halflives.is_known(run, text),
    )


@fragment
def alone() -> None:
    st.subheader("A constant forget gate", anchor=False)
    recall("keep", 0.9, KEEPS)
    keep = st.select_slider("Forget gate", KEEPS, key="keep", width=420)
    remember("keep", 0.9)
    st.markdown(halflives.constant(keep))
    st.markdown(
        "Gates multiply: after steps of 0.9, 0.8 and 0.7 there is 0.9, then 0.72, then 0.504"
        " left. The sum of what is added has no bound: with f = i = g = 1 the memory is 10"
        " after 10 tokens, though tanh keeps each g between −1 and 1. The gradient along the"
        " memory is the product of the same forget gates: it survives where f is close to 1,"
        " whether i is small or not. A small i only keeps new content out."
    )


alone()
shell.sources(lesson, run)
