"""Pairs of sentences that are said to show what a bag of words cannot see, with what is told of each."""

from __future__ import annotations

from dataclasses import dataclass

from engine.models.abilities import Labels


@dataclass(frozen=True, slots=True)
class Opinion:
    """A text is said to be more positive than another, of the same words or nearly."""

    text: str
    other: str
    told: str


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


def measure_preference(model: Labels, story: Opinion) -> tuple[float, float]:
    """P(positive) of the text and of the other, 0 to 1."""
    return _positive(model, story.text), _positive(model, story.other)


def _positive(model: Labels, text: str) -> float:
    says = model.trace(text, fields=("label",)).field("label")
    return float(says.values[-1, model.names.index("positive")])
