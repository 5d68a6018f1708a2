"""Soft lookup, of before: a link leads to the library on the page on attention."""

import math

import streamlit as st

from engine.course.topics.base import PANEL
from engine.lessons.attention.parts import HEATS

asked = st.query_params.to_dict()
step, _, score = asked.pop("rules", "").partition(".")
if step.isdigit():  # twenty to a power of ten, from 0.01 on
    nearest = min(HEATS, key=lambda t: abs(math.log10(t) + 2 - int(step) / 20))
    asked["attention.lookup.heat"] = f"{nearest:g}"
if score:
    asked["attention.lookup.meets"] = score
if text := asked.pop("text", ""):
    st.session_state["attention.lookup.library"] = text
asked[PANEL] = "part-a-library-that-is-read-softly"
st.switch_page("pages/505_attention.py", query_params=asked)
