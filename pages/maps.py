"""Maps, of before: the map and its settings stand on the page of the embeddings now."""

import streamlit as st

st.switch_page("pages/310_embeddings.py", query_params=st.query_params.to_dict())
