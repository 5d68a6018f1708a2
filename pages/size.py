"""Size, of before: a link leads to the place on the page that has it now."""

import streamlit as st

from engine.course.topics.base import PANEL

asked = st.query_params.to_dict()
if "in" in asked:
    asked["by"] = asked.pop("in")
if not {PANEL, "m", "gram", "bits"} & {*asked}:
    asked[PANEL] = "sizes"
st.switch_page("pages/220_sparsity.py", query_params=asked)
