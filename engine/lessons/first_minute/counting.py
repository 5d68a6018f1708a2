"""First minutes: models that count."""

from __future__ import annotations

from collections.abc import Mapping

from engine.lessons.base import Step

COUNTING: Mapping[str, tuple[Step, ...]] = {
    "ngrams": (
        Step(
            "“door”, with 88 %. The model knows no grammar and no houses: it has only counted"
            " which word followed.",
            text="There was a knock at the",
            panel="next",
            asks="There was a knock at the … How sure can a table of counts be?",
            choices=("not at all", "door, 30 %", "door, 88 %"),
            covers=("ladder", "falloff"),
        ),
        Step(
            "Look at the last column: order 5, the count of the last four words, decides 77 % of"
            " the answer.",
            text="There was a knock at the",
            panel="orders",
        ),
        Step(
            "Back-off: nothing longer than “of the” was ever counted here, so order 3 takes over,"
            " with 76 %.",
            text="The elephant of the",
            panel="orders",
        ),
        Step(
            "It reads “flurble” as “unknown word”, as it read every rare word of the novels: “a”"
            " gets 15 % and “not” 6.8 %.",
            text="the flurble is",
            panel="next",
            asks="“flurble” was never counted. What does the table expect after “is”?",
            choices=("nothing", "any word", "“a” or “not”"),
            covers=("ladder", "falloff"),
        ),
    ),
}
