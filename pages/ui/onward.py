"""At the foot of a lesson: how long it takes, what to know before, the lesson before it and the next."""

from __future__ import annotations

import streamlit as st

from engine.course.base import Lesson
from engine.course.curriculum import LESSONS, MAP, lesson
from pages.ui.language import told


def link_neighbours(here: Lesson) -> None:
    course = [item for item in LESSONS if item is not MAP]
    if here not in course:
        return
    with st.container(
        horizontal=True, vertical_alignment="center", gap="small", key="known_before"
    ):
        known = [lesson(id) for id in here.before]
        words = told("About {minutes} minutes.", minutes=here.minutes)
        before = f"{words} {told('Good to know before:')}" if known else words
        st.caption(before, width="content")
        for item in known:
            _link(item)
    at = course.index(here)
    with st.container(
        horizontal=True, horizontal_alignment="distribute", gap="small", key="previous_next"
    ):
        if at:
            _link(course[at - 1], "Previous")
        if at + 1 < len(course):
            _link(course[at + 1], "Next")


def _link(item: Lesson, which: str = "") -> None:
    title = told(item.title)
    label = f"{told(which)}: **{title}**" if which else title
    st.page_link(f"pages/{item.page}", label=label, help=told(item.question))
