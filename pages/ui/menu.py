"""The menu: the lessons by era, with a search over pages and topics on top.

It is one component (assets/live/menu).  Its links are real ones; a plain click sends the address, and
the page is changed in this session before anything else is drawn.
"""

from __future__ import annotations

from itertools import groupby
from typing import Any
from urllib.parse import parse_qsl

import streamlit as st

from engine.course.base import Lesson
from engine.course.curriculum import LESSONS, MAP
from pages.ui import language, loader

KEY = "menu"
HOME = "."  # the address of the home page, seen from any other
_component = loader.Component(
    "unrolled_menu", loader.import_script("menu/menu.js", "menu/menu.css")
)


def entry(item: Lesson) -> dict[str, str]:
    return {
        "href": item.id,
        "title": item.title,
        "subtitle": item.subtitle,
        "question": item.question,
    }


# Of a list Streamlit asks pandas whether it is a table, which opens pandas before the first page.
DATA: dict[str, Any] = {
    "top": (
        {"href": HOME, "title": "Unrolled", "subtitle": "", "question": "The home page"},
        entry(MAP),
    ),
    "eras": tuple(
        {"title": era, "lessons": [entry(item) for item in lessons]}
        for era, lessons in groupby(
            (item for item in LESSONS if item is not MAP), key=lambda item: item.era
        )
    ),
}
PAGES = {HOME: "app.py"} | {item.id: f"pages/{item.page}" for item in LESSONS}


def follow(id: str) -> None:
    """Go to the page whose link was clicked, before anything of this one is drawn.

    id  of the lesson whose page runs; a place on it stands in the address already
    """
    clicked = str((st.session_state.get(KEY) or {}).get("open") or "")
    if clicked and clicked.partition("?")[0] != (id or HOME):
        open_page(clicked)


def open_page(address: str) -> None:
    """Show the page of "lstm?panel=gates"; an address that is none of ours changes nothing."""
    page, _, asked = address.partition("?")
    if page in PAGES:
        # None would ask Streamlit to clear what is bound to the widgets of this page, which it refuses
        st.switch_page(PAGES[page], query_params=dict(parse_qsl(asked)))


def show_menu(id: str) -> None:
    """Draw it; `id` is that of the lesson whose page is open, or empty at home."""
    dark = st.context.theme.type == "dark"
    _component(
        data={**DATA, "here": id or HOME, "language": language.current(), "dark": dark},
        key=KEY,
        on_open_change=lambda: None,
        on_theme_change=lambda: None,
    )
