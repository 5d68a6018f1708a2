"""Task shapes, of before: a link leads to the part of the recurrent net that has them now."""

import streamlit as st

from engine.course.topics.base import PANEL

asked = st.query_params.to_dict()
at = "order" if asked.get(PANEL) in ("order", "fold.stories") else "part-task-shapes"
st.switch_page("pages/405_rnn.py", query_params=asked | {PANEL: at})
