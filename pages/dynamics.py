"""One unit in three views, of before: a link leads to the place on the page that has it now."""

import streamlit as st

from engine.course.topics.base import PANEL

asked = st.query_params.to_dict()
for gone in (
    "clip",
    "rate",
    "ball",
):  # of what was drawn over one parameter; the page has others of these names
    asked.pop(gone, None)
asked.setdefault(PANEL, "network")
st.switch_page("pages/434_cures.py", query_params=asked)
