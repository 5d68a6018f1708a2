"""Curriculum: the lessons in the order of their pages; each has a room of its own, see rooms.py."""

from __future__ import annotations

from engine.course import rooms
from engine.course.base import Lesson, Try
from engine.language.message import refusal

HOME_EXAMPLE = "The students opened their"
HOME_TRIES = (
    Try(
        "The students opened their books and began to",
        "An unfinished sentence: compare what each model expects next.",
    ),
    Try(
        "In the month of April the king of France went to war.",
        "Names and facts: which model is least surprised by “France”?",
    ),
    Try(
        "the the the the",
        ("Nobody writes this. Which model gets used to it, and which never does?"),
    ),
)

LESSONS: tuple[Lesson, ...] = rooms.lessons()
LIVE = tuple(item for item in LESSONS if item.live)


def lesson(id: str) -> Lesson:
    """KeyError that names what there is."""
    for item in LESSONS:
        if item.id == id:
            return item
    raise refusal(
        "no lesson {id!r}; there are {known}", KeyError, known=(item.id for item in LESSONS)
    )


MAP = lesson("map")
