"""Scale, of before: a link leads to the place on the page that has it now."""

import streamlit as st

st.switch_page(
    "pages/520_transformer.py",
    query_params={"panel": "part-what-size-buys"} | st.query_params.to_dict(),
)
