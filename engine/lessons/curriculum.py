"""Curriculum: the lessons in the order of their pages.  Each has a room of its own, see rooms.py, or
still is a row in the file of its era."""

from __future__ import annotations

from engine.lessons import rooms
from engine.lessons.attention import ATTENTION
from engine.lessons.base import Lesson, Try
from engine.lessons.counting import COUNTING
from engine.lessons.finding import MAP
from engine.lessons.meaning import MEANING
from engine.lessons.networks import NETWORKS
from engine.lessons.own import OWN
from engine.lessons.recurrence import RECURRENCE
from engine.lessons.words import WORDS

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

ROWS = (MAP, *WORDS, *COUNTING, *MEANING, *NETWORKS, *RECURRENCE, *ATTENTION, *OWN)
LESSONS: tuple[Lesson, ...] = tuple(
    sorted((*ROWS, *rooms.lessons()), key=lambda lesson: lesson.page)
)
LIVE = tuple(item for item in LESSONS if item.live)


def lesson(id: str) -> Lesson:
    """KeyError that names what there is."""
    for item in LESSONS:
        if item.id == id:
            return item
    raise KeyError(f"no lesson {id!r}; there are {', '.join(item.id for item in LESSONS)}")
