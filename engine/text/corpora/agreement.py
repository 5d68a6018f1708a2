"""Agreement: "The keys to the old cabinet are rusty."  The verb has the number of its subject,
whatever nouns stand between.

What      the, perhaps a quality, the subject; none to DEPTH phrases with another noun each; is or
          are; a state; a full stop
Source    Linzen, Dupoux & Goldberg, Assessing the Ability of LSTMs to Learn Syntax-Sensitive
          Dependencies, 2016 (attractors)
Shapes    a line is one sentence; its fact is the place of the subject and that of the verb
Differs   A grammar of some ninety words, all our own.  Every noun is drawn in either number, so
          half of the nouns between have the number of the subject and half do not.
"""

from __future__ import annotations

import random
from functools import cached_property

from engine.text.corpora.base import Draw, Entry, Fact, Lines, Node, OneOf, Part, Say, paths, sample
from engine.text.tasks.agreement import VERBS

# most phrases; chance of one more; chance of a quality before a noun
DEPTH, MORE, DESCRIBED = 3, 0.55, 0.35
NUMBERS: list[Entry] = [{"number": "one"}, {"number": "many"}]
NOUNS: list[Entry] = [
    {"one": noun, "many": f"{noun}s"}
    for noun in (
        "key cabinet lamp letter cat dog king girl book ship door chair table picture basket garden"
        " window tree bird horse hammer spoon boat teacher"
    ).split()
]
QUALITIES: list[Entry] = [
    {"one": word} for word in "old small red tall broken green quiet famous".split()
]
SIDES: list[Entry] = [{"one": word} for word in "to of near behind beside with from under".split()]
STATES: list[Entry] = [
    {"one": word} for word in "rusty here gone new lost dirty clean heavy beautiful ready".split()
]
VERB: list[Entry] = [dict(zip(("one", "many"), VERBS, strict=True))]


class Agreement(Lines):
    id = "agreement"
    title = "Is or are"
    says = (
        "Sentences such as “The keys to the old cabinet are rusty.”: is or are follows from the"
        " first noun alone."
    )

    def generate(self, lines: int, seed: int = 0) -> list[str]:
        rng = random.Random(seed)
        return [sample(self.grammar, rng, {}) for _ in range(lines)]

    def facts(self, line: str) -> list[Fact]:
        """Subject and verb, and their number: one or many.  ValueError for a line of another
        origin."""
        way = next((way for way in paths(self.grammar, line) if len(way.text) == len(line)), None)
        if way is None:
            raise ValueError("this line is none of the grammar's sentences")
        (_, subject, number), (_, verb, _) = way.marks
        return [Fact("agreement", subject, verb, number)]

    @cached_property
    def grammar(self) -> Node:
        subject = Part("agreement", "subject", False, Say("noun", by="number"), "number")
        verb = Part("agreement", "subject", True, Say("verb", by="number"), "number")
        return (
            "The ",
            Draw("number", NUMBERS),
            Draw("noun", NOUNS),
            _quality(""),
            subject,
            _phrases(0),
            " ",
            Draw("verb", VERB),
            verb,
            " ",
            Draw("state", STATES),
            Say("state"),
            ".",
        )


def _quality(key: str) -> Node:
    return OneOf(
        (
            (1 - DESCRIBED, ()),
            (DESCRIBED, (Draw(f"quality{key}", QUALITIES), Say(f"quality{key}"), " ")),
        )
    )


def _phrases(level: int) -> Node:
    if level == DEPTH:
        return ()
    key = str(level)
    noun = (
        Draw(f"number{key}", NUMBERS),
        Draw(f"noun{key}", NOUNS, ("noun", *(f"noun{n}" for n in range(level)))),
        _quality(key),
        Say(f"noun{key}", by=f"number{key}"),
    )
    side = (Draw(f"side{key}", SIDES), Say(f"side{key}"))
    return OneOf(((1 - MORE, ()), (MORE, (" ", side, " the ", noun, _phrases(level + 1)))))


CORPUS = Agreement()
