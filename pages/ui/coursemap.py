"""Course map: how the lessons hang together, a course of one's own, and every topic, found by its name,
a synonym or an abbreviation, with the place that shows it.

What is chosen stands in the address, `?lessons=ngrams,smoothing`; the browser keeps it there.
"""

from __future__ import annotations

import streamlit as st

from engine.course.topics import TOPICS
from engine.course.topics.search import LONGEST, search
from engine.lessons.map import links
from engine.live.markdown import escape
from pages.ui import loader, menu, shell
from pages.ui.fragment import fragment
from pages.ui.language import told

_course, _topics = (
    loader.Component(
        f"unrolled_{name}", loader.import_script(f"coursemap/{name}.js", "coursemap/coursemap.css")
    )
    for name in ("course", "coursemap")
)


def show_map() -> None:
    here = shell.head("map")
    if clicked := _course(data=links.course(), key="map.course", on_open_change=lambda: None).open:
        menu.open_page(str(clicked))
    topics()
    shell.sources(here)


@fragment(key="map")
def topics() -> None:
    typed = st.text_input(
        told("What are you looking for?"),
        key="find",
        type="search",
        bind="query-params",
        live="150ms",
        max_chars=LONGEST,
        placeholder=told("peephole, teacher forcing, Kneser-Ney, PPL …"),
        icon=":material/search:",
        width=560,
    )
    query = str(typed or "").strip()
    if query and not (found := search(query, TOPICS)):
        st.markdown(
            told(
                "No topic matches “{query}” or a similar name. Try a single word, or clear the"
                " field to see the whole course.",
                query=escape(query),
            )
        )
        return
    data = links.results(found) if query else links.list_topics()
    if clicked := _topics(data=data, key="map.links", on_open_change=lambda: None).open:
        menu.open_page(str(clicked))
