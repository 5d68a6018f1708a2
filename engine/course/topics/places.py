"""Places: every page and every topic, as a person looks for them, and the address of each."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlencode

from engine.course.curriculum import LESSONS
from engine.course.topics import TOPICS, Topic
from engine.course.topics.base import PANEL

PAGES = tuple(
    Topic(
        f"page-{item.id}",
        item.id,
        item.title,
        item.question,
        (f"{item.title} {item.subtitle}",) if item.subtitle else (),
    )
    for item in LESSONS
)
PLACES = (*PAGES, *TOPICS)


def query(topic: Topic) -> dict[str, str]:
    """What stands behind the page's address: the place, and what the topic chooses there."""
    return dict(parse_qsl(topic.link)) | ({PANEL: topic.anchor} if topic.anchor else {})


def address(topic: Topic) -> str:
    """Seen from any page: "lstm?run=peephole&panel=gates"."""
    asked = urlencode(query(topic))
    return f"{topic.lesson}?{asked}" if asked else topic.lesson
