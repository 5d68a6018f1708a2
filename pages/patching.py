"""Model surgery, of before: a link leads to the Transformer on the page Surgery."""

import streamlit as st

asked = {"run": "transformer"} | st.query_params.to_dict()
st.switch_page("pages/415_surgery.py", query_params=asked)
