"""The ledger of topics: what the course shows, row by row of the specification, and where.

A lesson's topics stand in its room, those of the others in a file for each era here.  What is not
built yet is not listed.  Cheap to import: data only.
"""

from __future__ import annotations

from engine.lessons import rooms
from engine.lessons.topics.attention import ATTENTION
from engine.lessons.topics.base import State, Topic, read
from engine.lessons.topics.counting import COUNTING
from engine.lessons.topics.meaning import MEANING
from engine.lessons.topics.networks import NETWORKS
from engine.lessons.topics.own import OWN
from engine.lessons.topics.recurrence import RECURRENCE
from engine.lessons.topics.words import WORDS

TOPICS: tuple[Topic, ...] = (
    *WORDS,
    *COUNTING,
    *MEANING,
    *NETWORKS,
    *RECURRENCE,
    *ATTENTION,
    *OWN,
    *(topic for lesson in rooms.lessons() for topic in read(lesson.id, lesson.topics)),
)

__all__ = ["TOPICS", "State", "Topic"]
