"""A page of before: it leads to where its content stands now."""

from __future__ import annotations

import streamlit as st

from engine.course.curriculum import lesson
from engine.lessons.former_pages import MOVED


def lead_on(id: str) -> None:
    new, chosen = MOVED[id]
    asked = chosen(st.query_params.to_dict())
    st.switch_page(f"pages/{lesson(new).page}", query_params=asked)
