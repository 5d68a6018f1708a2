"""Gradient reach, of before: a link leads to the place on the page that has it now."""

import streamlit as st

from engine.course.topics.base import PANEL

asked = st.query_params.to_dict()
asked[PANEL] = (
    "part-one-step-and-all-of-them-the-jacobian" if asked.get(PANEL) == "reach.bound" else "arcs"
)
st.switch_page(
    "pages/407_bptt.py",
    query_params={PANEL: asked[PANEL], **{k: v for k, v in asked.items() if k == "text"}},
)
