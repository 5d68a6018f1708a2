"""What the course map draws: the lessons with those to know before, and the topics, all or found."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from engine.course.curriculum import LESSONS, MAP, lesson
from engine.course.topics import TOPICS, Topic
from engine.course.topics.places import address
from engine.language.message import _

MOST = 40  # results that are listed


def course() -> dict[str, Any]:
    fields = "title", "era", "question", "minutes", "before"
    return {
        "lessons": [
            {"href": item.id, **{name: getattr(item, name) for name in fields}}
            for item in LESSONS
            if item is not MAP
        ]
    }


def results(found: Sequence[Topic]) -> dict[str, Any]:
    """By era; the era of the best comes first."""
    shown = found[:MOST]
    says = (
        "1 topic"
        if len(found) == 1
        else _("{found} topics, the best of each era first", found=len(found))
    )
    if len(found) > MOST:
        says += _("; the best {most} are listed. Add a word to narrow the search", most=MOST)
    eras = {era: list[dict[str, str]]() for era in (lesson(topic.lesson).era for topic in shown)}
    for topic in shown:
        eras[lesson(topic.lesson).era].append(entry(topic))
    topics = [{"title": era, "topics": some} for era, some in eras.items()]
    return {"found": True, "says": f"{says}.", "eras": topics}


def list_topics() -> dict[str, Any]:
    """Every topic under its lesson."""
    cards = [(item, [topic for topic in TOPICS if topic.lesson == item.id]) for item in LESSONS]
    cards = [(item, topics) for item, topics in cards if topics]
    return {
        "found": False,
        "says": (
            _(
                "{topics} topics on {cards} pages; each link opens the place that shows the topic.",
                topics=len(TOPICS),
                cards=len(cards),
            )
        ),
        "eras": [
            {
                "title": era,
                "lessons": [
                    {
                        "title": item.title,
                        "href": item.id,
                        "count": "1 topic"
                        if len(topics) == 1
                        else _("{topics} topics", topics=len(topics)),
                        "topics": [*map(entry, topics)],
                    }
                    for item, topics in some
                ],
            }
            for era, some in groupby(cards, key=lambda card: card[0].era)
        ],
    }


def entry(topic: Topic) -> dict[str, str]:
    page = lesson(topic.lesson).title
    return {"title": topic.title, "says": topic.says, "page": page, "href": address(topic)}
