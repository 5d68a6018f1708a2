"""The ledger of topics: what the course shows, row by row of the specification, and where.

Each era's topics are a file here.  What is not built yet is not listed.  Cheap to import: data only.
"""

from __future__ import annotations

from engine.lessons.topics.attention import ATTENTION
from engine.lessons.topics.base import State, Topic
from engine.lessons.topics.counting import COUNTING
from engine.lessons.topics.meaning import MEANING
from engine.lessons.topics.networks import NETWORKS
from engine.lessons.topics.own import OWN
from engine.lessons.topics.recurrence import RECURRENCE
from engine.lessons.topics.words import WORDS

TOPICS: tuple[Topic, ...] = (*WORDS, *COUNTING, *MEANING, *NETWORKS, *RECURRENCE, *ATTENTION, *OWN)

__all__ = ["TOPICS", "State", "Topic"]
