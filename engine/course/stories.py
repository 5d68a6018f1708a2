"""Sentences by which the memory of a network is often explained, with what is told of each.

engine/analysis/told.py measures what the shipped models make of them.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reminder:
    """An early word is said to decide a later one: `word` after `text`, and after `other`, which
    differs from it in the early word only.

    change  what was exchanged, where that is not one word for another
    """

    text: str
    other: str
    word: str
    told: str
    change: str = ""


@dataclass(frozen=True, slots=True)
class Opinion:
    """A text is said to be more positive than another, of the same words or nearly."""

    text: str
    other: str
    told: str


@dataclass(frozen=True, slots=True)
class Valve:
    """A gate is said to stand high, or low, at one word of a text, compared with the others.

    gate  the field: "gate.input", "gate.forget", "gate.output" or "candidate"
    """

    text: str
    word: str
    gate: str
    high: bool
    told: str


@dataclass(frozen=True, slots=True)
class Leftover:
    """Of what a word wrote, most is said to be left when the text ends, or next to nothing."""

    text: str
    word: str
    most: bool
    told: str


@dataclass(frozen=True, slots=True)
class Readout:
    """A memory is said to be the same at the end of two texts, and to be read out in another way."""

    text: str
    other: str
    told: str


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
OPINIONS = (
    Opinion("not bad", "bad", "“Not” turns “bad” round."),
    Opinion("I am happy", "I am not happy", "“Not” turns “happy” round."),
    Opinion(
        "the service was good",
        "the service was good but",
        "“But” announces a complaint.",
    ),
    Opinion(
        "Despite the long wait at the beginning, I was ultimately very satisfied with the service",
        "Despite the long wait at the beginning, I was ultimately very",
        "The end outweighs the beginning.",
    ),
    Opinion(
        "The movie started terribly but ended great",
        "The movie started great but ended terribly",
        "The same words in another order have another meaning.",
    ),
    Opinion("sick beats", "sick patient", "“Sick” is praise in one, not in the other."),
    Opinion(
        "The movie was absolutely terrible... NOT!",
        "The movie was absolutely terrible!",
        "The last word takes it all back.",
    ),
    Opinion(
        "While the acting was terrible, the storyline was compelling",
        "While the acting was terrible",
        "The second half outweighs the first.",
    ),
)
VALVES = (
    Valve("I am not happy", "not", "gate.input", True, "The input gate opens wide for “not”."),
    Valve("I am not happy", "not", "candidate", False, "The candidate is strongly negative."),
    Valve("I am not happy", "happy", "gate.output", True, "Later, the output gate lets it out."),
    Valve(
        "Germany has a strong economy because its manufacturing sector is large",
        "Germany",
        "gate.input",
        True,
        "A new subject is written.",
    ),
    Valve(
        "Germany has a strong economy because its manufacturing sector is large",
        "Germany",
        "gate.forget",
        False,
        "Whatever country was held before is cleared.",
    ),
    Valve(
        "Germany has a strong economy because its manufacturing sector is large",
        "because",
        "gate.input",
        True,
        "The link to the reason is written.",
    ),
    Valve(
        "Germany has a strong economy because its manufacturing sector is large",
        "because",
        "gate.forget",
        True,
        "At “because” the subject is kept.",
    ),
    Valve(
        "Germany has a strong economy because its manufacturing sector is large",
        "manufacturing",
        "gate.forget",
        True,
        "The subject is still kept.",
    ),
    Valve(
        "Germany has a strong economy because its manufacturing sector is large",
        "Germany",
        "gate.output",
        True,
        "The output gate shows the subject at once.",
    ),
    Valve(
        "Germany has a strong economy because its manufacturing sector is large",
        "because",
        "gate.output",
        True,
        "A reason is announced, so something is let through.",
    ),
    Valve(
        "Germany has a strong economy because its manufacturing sector is large",
        "manufacturing",
        "gate.input",
        True,
        "What the economy rests on is written, too.",
    ),
    Valve(
        "John moved from New York to Boston",
        "John",
        "gate.forget",
        True,
        "At “John” little is forgotten.",
    ),
    Valve(
        "John moved from New York to Boston",
        "Boston",
        "gate.forget",
        False,
        "The old city is forgotten.",
    ),
    Valve(
        "John moved from New York to Boston",
        "York",
        "gate.forget",
        True,
        "“Moved from New York”: the place is kept for now.",
    ),
    Valve(
        "John moved from New York to Boston",
        "Boston",
        "gate.input",
        True,
        "The new city is written.",
    ),
    Valve(
        "Jane visited Paris", "Paris", "gate.input", True, "A place is worth being written down."
    ),
    Valve(
        "Jane visited Paris",
        "Jane",
        "gate.input",
        True,
        "So is a person, and the verb only in part.",
    ),
    Valve(
        "Jane visited Paris",
        "visited",
        "gate.input",
        False,
        "The verb itself is written only in part.",
    ),
    Valve(
        "Tomorrow will be sunny with a high of twenty",
        "sunny",
        "gate.input",
        True,
        "The weather is what matters here.",
    ),
    Valve(
        "Tomorrow will be sunny with a high of twenty",
        "twenty",
        "gate.input",
        True,
        "The temperature matters as well.",
    ),
    Valve(
        "Mary was born in Ireland but moved to Canada as a teenager",
        "Canada",
        "gate.forget",
        True,
        "Who it is about is kept.",
    ),
    Valve(
        "She speaks with a slight Irish accent",
        "accent",
        "gate.input",
        True,
        "The accent is written, beside where she comes from.",
    ),
    Valve(
        "I need to go to the bank to deposit money",
        "bank",
        "gate.output",
        True,
        "Whatever has to do with money is let through; “deposit” comes only later.",
    ),
    Valve(
        "I want to sit by the river bank and fish",
        "bank",
        "gate.output",
        True,
        "Whatever has to do with rivers is let through.",
    ),
    Valve("The cat sat on the mat", "sat", "gate.input", True, "The verb is added to the cat."),
    Valve(
        "Jane, who was born in France but moved to Canada as a child",
        "but",
        "gate.output",
        True,
        "The output gate brings out the turn.",
    ),
    Valve(
        "Jane, who was born in France but moved to Canada as a child, speaks fluent French",
        "Canada",
        "gate.input",
        True,
        "The second country is written.",
    ),
    Valve(
        "Jane, who was born in France but moved to Canada as a child, speaks fluent French",
        "fluent",
        "gate.input",
        True,
        "What she can do is written.",
    ),
    Valve(
        "Jane, who was born in France but moved to Canada as a child, speaks fluent French",
        "French",
        "gate.output",
        True,
        "The link from France to French is shown.",
    ),
    Valve(
        "He waited for a while, and then he spoke",
        ",",
        "gate.input",
        False,
        "At a pause nothing is written.",
    ),
)
LEFTOVERS = (
    Leftover(
        "John moved from New York to Boston", "John", True, "Nine tenths of the man are kept."
    ),
    Leftover(
        "John moved from New York to Boston",
        "New York",
        False,
        "One tenth of the old city is kept.",
    ),
    Leftover(
        "The cat sat on the mat", "cat", True, "The subject is kept to the end of the sentence."
    ),
    Leftover(
        "Mary was born in Ireland but moved to Canada as a teenager",
        "Mary",
        True,
        "Who it is about is kept.",
    ),
    Leftover(
        "John lives in Spain. Mary was born in Ireland",
        "John",
        False,
        "A new sentence has a new subject: the one before it is cleared.",
    ),
    Leftover(
        "Jane, who was born in France but moved to Canada as a child",
        "Jane",
        True,
        "Who it is about is kept through two clauses.",
    ),
    Leftover(
        "Jane, who was born in France but moved to Canada as a child",
        "France",
        False,
        "After the move, the country of birth is no longer the place where she lives.",
    ),
    Leftover(
        "The rate is five per cent. On Monday the price rose a little, on Tuesday it fell",
        "five",
        True,
        "In a report on money, the rate is kept.",
    ),
    Leftover(
        "The rate is five per cent. On Monday the price rose a little, on Tuesday it fell",
        "rose",
        False,
        "What a single day brings is noise, and is let go.",
    ),
)

READOUTS = (
    Readout(
        "My name is Anna. What is my name? It is ",
        "My name is Anna. Hello, I am glad to see ",
        "a chatbot keeps the name all along, and says it only when it is asked",
    ),
    Readout(
        "The old tune came back, softly, as in a dream",
        "The old tune came back, loudly, as in a storm",
        "a theme of music is kept as it is, and sounds different with each return",
    ),
)
