"""Reminders: sentences by which a memory is often explained, and how many bits a model remembers by them.

What      an early word is said to decide a later one.  With another early word in its place, the later
          one costs log2 P(word | text) - log2 P(word | other) bits more, as far as the model remembers
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.analysis.measure import surprisal
from engine.models.base import Model


@dataclass(frozen=True, slots=True)
class Reminder:
    """The last word after the text, and after one with another early word: "I grew up in {France|Germany} ..."."""

    written: str

    def read(self, choice: int) -> str:
        """With the early word (0), or with the other one (1); without the last word."""
        whole = re.sub(r"{(.*)}", lambda early: early[1].split("|")[choice], self.written)
        return whole.rpartition(" ")[0]

    @property
    def text(self) -> str:
        return self.read(0)

    @property
    def other(self) -> str:
        return self.read(1)

    @property
    def word(self) -> str:
        return " " + self.written.rpartition(" ")[2]

    @property
    def exchanged(self) -> str:
        early, other = self.written.partition("{")[2].partition("}")[0].split("|")
        return f"{early} → {other}"


def measure_bits(model: Model[Any], text: str, word: str) -> float:
    """-log2 P(word | text): the bits that the model needs for a space and the letters of the word."""
    whole = model.trace(text + word, fields=("probability",))
    begin = model.trace(text, fields=("probability",))
    return float(np.nansum(surprisal(whole)) - np.nansum(surprisal(begin)))


def measure_memory(model: Model[Any], story: Reminder) -> tuple[float, float]:
    """(bits of the word after the text, how many more it costs after the other text)."""
    first = measure_bits(model, story.text, story.word)
    return first, measure_bits(model, story.other, story.word) - first


SENTENCES = (
    "I grew up in {France|Germany}. I speak fluent French",
    "Jane grew up in {Germany|Spain}. She moved to France for college. After graduation, she returned"
    " to Germany and now she speaks German",
    "The {cat|cats}, which had been missing for days and had the entire neighborhood searching"
    " everywhere, was",
    "John moved from {New York to Boston|Boston to New York}. Now he lives in Boston",
    "Jane, who was born in France but moved to {Canada|Ireland} as a child, speaks fluent French with a"
    " slight Canadian",
    "The {man|woman} who wrote the book entered the room. Then he",
    "The {clouds|books} are in the sky",
    "As a child she had a {fever|wound}. Last week she had a cough, and on Monday her head ached. The"
    " doctor asked her about the fever",
    "In the second chapter a man called {Edward|Robert} came to the village. The summer was hot, and"
    " nobody spoke to him. The years went by, and the house by the river stood empty. In the"
    " last chapter they see him again. “Is it you, Edward",
    "I need to go to the {bank|river} to deposit money",
)
REMINDERS = tuple(map(Reminder, SENTENCES))
