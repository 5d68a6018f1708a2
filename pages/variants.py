"""Variants, of before: a link leads to the place on the page of smoothing that has it now."""

import streamlit as st

from engine.course.topics.base import PANEL

PARTS = {"Mixture": "part-mixture", "Fill the blank": "part-spelling", "Spelling": "part-spelling"}

asked = st.query_params.to_dict()
section = asked.pop("variant", "")
if section in ("Skip-grams", "Variable length"):
    asked.setdefault(PANEL, "part-counts")
asked.setdefault(PANEL, PARTS.get(section, "part-cache"))
if "slip" in asked and section == "Spelling":
    asked["gap"] = asked.pop("slip")
st.switch_page("pages/210_smoothing.py", query_params=asked)
