"""Local and hard attention, of before: a link leads to the place on the page that has it now."""

import streamlit as st

asked = {**st.query_params.to_dict(), "scores.head.looks": "scope"}
st.switch_page("pages/537_scores.py", query_params=asked)
