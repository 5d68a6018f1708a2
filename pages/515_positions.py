"""Positions: how a model is told the order of its words, in seven ways, with a trained model for
each."""

import streamlit as st

from engine.live import cache
from pages.ui import live, place, shell
from pages.ui.fragment import fragment
from pages.ui.positions import beyond, bias, collisions, compare, panels, rotation, waves

lesson = shell.head("positions")
runs = cache.runs(lesson.model)
if not runs:
    st.info(
        "No transformer has been trained yet. Train one: `python -m engine train transformer --text"
        " FILE --out DIR`, or all with `make zoo`."
    )
    st.stop()
run = panels.choose(runs)
small = panels.small(runs)
PARTS = {
    "Waves and clocks": waves.show,
    "Same code": collisions.show,
    "Rotations": rotation.show,
    "Biases and tables": lambda: bias.show(small),
    "Longer than trained": beyond.show,
    "Side by side": compare.show,
}
live.show(
    shell.opening(lesson, run),
    lambda: panels.opened(run, small),
    cache.is_open(run),
)


@fragment
def page() -> None:
    st.subheader("Look closer", anchor="closer")
    part = st.segmented_control(
        "Part",
        [*PARTS],
        key="positions_part",
        bind="query-params",
        default=place.part(PARTS),
        label_visibility="collapsed",
    )
    if part not in PARTS:
        st.caption(
            "Choose a part to see its pictures and sliders. Closed parts do not slow down typing."
        )
        return
    with place.panel(part):
        PARTS[part]()


page()
shell.sources(lesson, run)
