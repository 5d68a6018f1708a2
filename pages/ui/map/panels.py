"""The map of the whole course: a search over all topics, and, before anything is asked, all of them
by era and lesson."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import streamlit as st

from engine.course.base import Lesson
from engine.course.curriculum import LESSONS, lesson
from engine.course.topics import TOPICS, Topic
from engine.course.topics.places import address
from engine.course.topics.search import LONGEST, search
from engine.live.markdown import escape
from pages.ui import loader, menu
from pages.ui.fragment import fragment

MOST = 40  # results that are listed
_component = st.components.v2.component(
    "unrolled_map",
    js=loader.of("coursemap/coursemap.js", "coursemap/coursemap.css"),
    isolate_styles=False,
)


@fragment(key="map")
def show() -> None:
    typed = st.text_input(
        "What are you looking for?",
        key="find",
        type="search",
        bind="query-params",
        live="150ms",
        max_chars=LONGEST,
        placeholder="peephole, teacher forcing, Kneser-Ney, PPL …",
        icon=":material/search:",
        width=560,
    )
    query = str(typed or "").strip()
    if query and not (found := search(query, TOPICS)):
        st.markdown(
            f"No topic matches “{escape(query)}” or a similar name. Try a single word, or clear"
            " the field to see the whole course."
        )
        return
    data = results(found) if query else whole()
    clicked = _component(data=data, key="map.links", on_open_change=lambda: None).open
    if clicked:
        menu.go(str(clicked))


def results(found: list[Topic]) -> dict[str, Any]:
    """By era; the era of the best comes first."""
    shown = found[:MOST]
    says = "1 topic" if len(found) == 1 else f"{len(found)} topics, the best of each era first"
    if len(found) > MOST:
        says += f"; the best {MOST} are listed. Add a word to narrow the search"
    eras = dict.fromkeys(lesson(topic.lesson).era for topic in shown)
    return {
        "found": True,
        "says": f"{says}.",
        "eras": [
            {
                "title": era,
                "topics": [entry(topic) for topic in shown if lesson(topic.lesson).era == era],
            }
            for era in eras
        ],
    }


def whole() -> dict[str, Any]:
    """Every topic under its lesson."""
    by_lesson: dict[str, list[Topic]] = {}
    for topic in TOPICS:
        by_lesson.setdefault(topic.lesson, []).append(topic)
    taught = (item for item in LESSONS if item.id in by_lesson)
    return {
        "found": False,
        "says": (
            f"{len(TOPICS)} topics on {len(by_lesson)} pages; each link opens the place that"
            " shows the topic."
        ),
        "eras": [
            {"title": era, "lessons": [card(item, by_lesson[item.id]) for item in lessons]}
            for era, lessons in groupby(taught, key=lambda item: item.era)
        ],
    }


def card(item: Lesson, topics: list[Topic]) -> dict[str, Any]:
    count = len(topics)
    return {
        "title": item.title,
        "href": item.id,
        "count": "1 topic" if count == 1 else f"{count} topics",
        "topics": [entry(topic) for topic in topics],
    }


def entry(topic: Topic) -> dict[str, str]:
    return {
        "title": topic.title,
        "says": topic.says,
        "page": lesson(topic.lesson).title,
        "href": address(topic),
    }
