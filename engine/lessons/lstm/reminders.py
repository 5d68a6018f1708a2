"""Reminders: sentences by which a memory is often explained, and how many bits a model remembers by them.

What      an early word is said to decide a later one.  With another early word in its place, the later
          one costs log2 P(word | text) - log2 P(word | other) bits more, as far as the model remembers
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.analysis.measure import surprisal
from engine.models.base import Model


@dataclass(frozen=True, slots=True)
class Reminder:
    """`word` after `text`, and after `other`, which differs in the early word only; `change` says what
    was exchanged, where that is not one word for another."""

    text: str
    other: str
    word: str
    told: str
    change: str = ""

    @property
    def exchanged(self) -> str:
        pairs = zip(self.text.split(), self.other.split(), strict=True)
        a, b = next((a, b) for a, b in pairs if a != b)
        return self.change or f"{a.strip('.,')} → {b.strip('.,')}"


def measure_bits(model: Model[Any], text: str, word: str) -> float:
    """-log2 P(word | text): the bits that the model needs for a space and the letters of the word."""
    whole = model.trace(text + word, fields=("probability",))
    begin = model.trace(text, fields=("probability",))
    return float(np.nansum(surprisal(whole)) - np.nansum(surprisal(begin)))


def measure_memory(model: Model[Any], story: Reminder) -> tuple[float, float]:
    """(bits of the word after the text, how many more it costs after the other text)."""
    first = measure_bits(model, story.text, story.word)
    return first, measure_bits(model, story.other, story.word) - first


REMINDERS = (
    Reminder(
        "I grew up in France. I speak fluent",
        "I grew up in Germany. I speak fluent",
        " French",
        "An LSTM still knows the country; a plain recurrent net has forgotten it.",
    ),
    Reminder(
        "Jane grew up in Germany. She moved to France for college. After graduation, she returned"
        " to Germany and now she speaks",
        "Jane grew up in Spain. She moved to France for college. After graduation, she returned"
        " to Germany and now she speaks",
        " German",
        "An LSTM answers with the language of her childhood, a plain net with the last country. The"
        " last country here is Germany too, so the answer alone would not tell them apart; this row"
        " changes the first.",
    ),
    Reminder(
        "The cat, which had been missing for days and had the entire neighborhood searching"
        " everywhere,",
        "The cats, which had been missing for days and had the entire neighborhood searching"
        " everywhere,",
        " was",
        "The memory holds the subject across the clause.",
    ),
    Reminder(
        "John moved from New York to Boston. Now he lives in",
        "John moved from Boston to New York. Now he lives in",
        " Boston",
        "The new city takes the place of the old one.",
        "New York ↔ Boston",
    ),
    Reminder(
        "Jane visited Paris. Then",
        "John visited Paris. Then",
        " she",
        "The memory holds who it is about.",
    ),
    Reminder(
        "Mary was born in Ireland but moved to Canada as a teenager. She speaks with a slight",
        "Mary was born in Scotland but moved to Canada as a teenager. She speaks with a slight",
        " Irish",
        "The country of birth is kept, the other one counts less.",
    ),
    Reminder(
        "Jane, who was born in France but moved to Canada as a child, speaks fluent",
        "Jane, who was born in Spain but moved to Canada as a child, speaks fluent",
        " French",
        "The place of birth is kept through two clauses.",
    ),
    Reminder(
        "Jane, who was born in France but moved to Canada as a child, speaks fluent French with a"
        " slight",
        "Jane, who was born in France but moved to Ireland as a child, speaks fluent French with a"
        " slight",
        " Canadian",
        "In the end the memory has her whole history, the second country too.",
    ),
    Reminder(
        "John, who had grown up in France but moved to Spain when he was a teenager, speaks fluent"
        " French and",
        "John, who had grown up in France but moved to Russia when he was a teenager, speaks fluent"
        " French and",
        " Spanish",
        "A window of a few words has lost the countries; a state has not.",
    ),
    Reminder(
        "The man who wrote the book entered the room. Then",
        "The woman who wrote the book entered the room. Then",
        " he",
        "The subject lasts beyond the clause about the book.",
    ),
    Reminder(
        "The clouds are in the",
        "The books are in the",
        " sky",
        "Over so short a way a plain net remembers too.",
    ),
    Reminder(
        "As a child she had a fever. Last week she had a cough, and on Monday her head ached. The"
        " doctor asked her about the",
        "As a child she had a wound. Last week she had a cough, and on Monday her head ached. The"
        " doctor asked her about the",
        " fever",
        "A plain net keeps the latest symptoms, an LSTM the illness of long ago as well.",
    ),
    Reminder(
        "In the second chapter a man called Edward came to the village. The summer was hot, and"
        " nobody spoke to him. The years went by, and the house by the river stood empty. In the"
        " last chapter they see him again. “Is it you,",
        "In the second chapter a man called Robert came to the village. The summer was hot, and"
        " nobody spoke to him. The years went by, and the house by the river stood empty. In the"
        " last chapter they see him again. “Is it you,",
        " Edward",
        "What happens in a late chapter hangs on an early one.",
    ),
    Reminder(
        "I need to go to the bank to deposit",
        "I need to go to the river to deposit",
        " money",
        "“Bank” turns to money.",
    ),
    Reminder(
        "I want to sit by the river bank and",
        "I want to sit by the money bank and",
        " fish",
        "“River” makes “bank” mean the riverside.",
    ),
    Reminder("The cat sat", "The cat saw", " on", "After “sat” it expects “on”."),
    Reminder(
        "We are very hungry. I'll meet you at the",
        "We are very tired. I'll meet you at the",
        " table",
        "What was said before decides where one meets.",
    ),
)
