"""Generation, of before: a link leads to writing with counts, a part of Decoding."""

import streamlit as st

from engine.course.topics.base import PANEL

NAMES = {"start": "begin", "words": "written", "seed": "draw", "order": "longest"}

asked = st.query_params.to_dict()
chosen = {f"decoding.counts.{NAMES.get(name, name)}": value for name, value in asked.items()}
chosen.pop(f"decoding.counts.{PANEL}", None)
st.switch_page("pages/525_decoding.py", query_params={PANEL: "part-writing-with-counts", **chosen})
