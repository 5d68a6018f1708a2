"""The first minute of the home page."""

from __future__ import annotations

from collections.abc import Mapping

from engine.lessons.base import Step

HOME: Mapping[str, tuple[Step, ...]] = {
    "home": (
        Step(
            "“eyes”: 11 % from the n-gram model, 53 % from the Transformer. Both have learned from"
            " novels, and in novels people open their eyes.",
            text="The students opened their",
            panel="tops",
            asks="The students opened their … Which word do models of novels expect?",
            choices=("books", "eyes", "doors"),
        ),
        Step(
            "Strong colour is surprise: “students” and “opened” cost the n-gram model 15 and 13 bits,"
            " “to” less than one.",
            text="The students opened their books and began to read.",
            link="reader=ngram&token=2",
            panel="surprise",
        ),
        Step(
            "The n-gram model gives “States” 94 %, the Transformer gives “St”, half of the word, 97 %."
            " The LSTM reads letters: first a space.",
            text="The president of the United",
            panel="tops",
        ),
        Step(
            "Nobody has ever read “flurble”. The n-gram model takes it for “some unknown word”; the LSTM"
            " spells it, and is most surprised by the b.",
            text="the flurble is",
            link="reader=lstm&token=9",
            panel="surprise",
        ),
    ),
}
