"""The switch that says where models run, at the foot of the menu; what a key costs there stands below
the text box (engine/live/placement.py)."""

from __future__ import annotations

import streamlit as st

from engine.core import device
from engine.core.device import Choice
from engine.live import placement
from pages.ui.language import labelled, told

TITLES = {Choice.AUTO: "The faster one", Choice.CUDA: "GPU", Choice.CPU: "Processor"}
KEY = "device"
GB = 1e9


def show_switch() -> None:
    """Draw it; where there is nothing to choose, a sentence says why."""
    try:
        asked = device.read_choice()
    except ValueError as problem:
        st.caption(f"{told(str(problem))}.")
        return
    if not device.has_gpu():
        st.caption(told("Models run on the processor; no GPU found."))
        return
    if asked is not Choice.AUTO:
        st.caption(
            told("Models run on the {titles}, as UNROLLED_DEVICE says.", titles=told(TITLES[asked]))
        )
        return
    st.selectbox(
        told("Models run on"),
        list(TITLES),
        key=KEY,
        **labelled(TITLES.__getitem__),
        help=(
            told(
                "The faster one is measured for each model and length of text, while nobody"
                " types. On the GPU at most {most_bytes:.1f} GB are kept.",
                most_bytes=placement.most_bytes() / GB,
            )
        ),
    )


def read_wish() -> Choice | None:
    """What this session chose; None where it chose nothing."""
    found = st.session_state.get(KEY)
    return found if isinstance(found, Choice) and found is not Choice.AUTO else None
