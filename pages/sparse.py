"""Sparse attention, of before: a link leads to the place on the page that has it now."""

import streamlit as st

first = {"rules": "window.4.zero", "times": "3", "layer": "4", "head": "2"}
st.switch_page("pages/508_masks.py", query_params=st.query_params.to_dict() or first)
