"""The ledger of topics: what the course shows, row by row of the specification, and where.

A lesson's topics stand in its room.  What is not built yet is not listed.  Cheap to import: data only.
"""

from __future__ import annotations

from engine.course import rooms
from engine.course.topics.base import State, Topic, read

TOPICS: tuple[Topic, ...] = tuple(
    topic for lesson in rooms.lessons() for topic in read(lesson.id, lesson.topics)
)

__all__ = ["TOPICS", "State", "Topic"]
