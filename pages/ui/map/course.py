"""The course as a picture, lesson after lesson, and a course of one's own: chosen lessons as one link
and one printable hand-out.

What is chosen stands in the address, `?lessons=ngrams,smoothing`; the browser keeps it there.
"""

from __future__ import annotations

from typing import Any

import streamlit as st

from engine.course.curriculum import LESSONS, MAP
from pages.ui import loader, menu

_component = st.components.v2.component(
    "unrolled_course",
    js=loader.of("coursemap/course.js", "coursemap/coursemap.css"),
    isolate_styles=False,
)
DATA: dict[str, Any] = {
    "lessons": [
        {
            "href": item.id,
            "title": item.title,
            "era": item.era,
            "question": item.question,
            "minutes": item.minutes,
            "before": item.before,
        }
        for item in LESSONS
        if item is not MAP
    ]
}


def show() -> None:
    if clicked := _component(data=DATA, key="map.course", on_open_change=lambda: None).open:
        menu.go(str(clicked))
