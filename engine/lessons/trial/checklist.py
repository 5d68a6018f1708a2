"""Checklist: tests of one's own from templates: what has to be right, what must not matter, what has to move which way.

What      MFT: template => answer       minimum functionality: the answer is right for every filling
          MFT: template => one > other  the first continuation, or label, is likelier than the second
          INV: template                 invariance: the answer is the same for all fillings of the first {a|b|c}
          DIR: template => + answer     direction: its probability does not fall from one such filling to the next
Source    Ribeiro, Wu, Guestrin & Singh, Beyond Accuracy: Behavioral Testing of NLP Models with CheckList, 2020, sec. 2;
          one continuation likelier than another: Linzen, Dupoux & Goldberg, Assessing the Ability of LSTMs to Learn
          Syntax-Sensitive Dependencies, 2016
Differs   A probability may fall by SLACK before that counts as a failure; theirs may by 0.1.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Any

import numpy as np

from engine.analysis.measure import surprisal
from engine.language.message import refusal
from engine.lessons.trial.cases import answers_of
from engine.lessons.trial.twin import answers
from engine.models.abilities import Labels
from engine.models.base import Model

SLOT = re.compile(r"\{([^{}]*)\}")
SLACK, MOST = 0.01, 400
FORM = "Write “MFT: text => answer”, “INV: text with {a|b}” or “DIR: text with {a|b} => + answer”."


@dataclass(frozen=True, slots=True)
class Test:
    kind: str
    template: str
    one: str = ""
    other: str = ""

    @property
    def cases(self) -> list[tuple[str, ...]]:
        """The texts of each case: one of MFT, all fillings of the first place of the others."""
        places = [place.split("|") for place in SLOT.findall(self.template)]
        if self.kind == "MFT":
            return [(fill(self.template, some),) for some in product(*places)]
        first, rest = places[0], places[1:]
        return [
            tuple(fill(self.template, (one, *some)) for one in first) for some in product(*rest)
        ]


@dataclass(frozen=True, slots=True)
class Outcome:
    """`answered`: what was said of each text of the case."""

    texts: tuple[str, ...]
    answered: tuple[str, ...]
    passed: bool


def fill(template: str, words: tuple[str, ...]) -> str:
    left = iter(words)
    return SLOT.sub(lambda __: next(left), template).strip()


def parse(text: str) -> list[Test]:
    """ValueError that names the first line which is no test."""
    found = []
    for line in filter(str.strip, text.splitlines()):
        kind, colon, rest = line.partition(":")
        kind = kind.strip().upper()
        template, __, wanted = (part.strip() for part in rest.partition("=>"))
        one, __, other = (part.strip() for part in wanted.partition(">"))
        sound = bool(colon and template) and (
            (kind == "MFT" and bool(one))
            or (kind == "INV" and bool(SLOT.search(template)))
            or (kind == "DIR" and bool(SLOT.search(template)) and one[:1] == "+" and len(one) > 1)
        )
        if not sound:
            raise refusal("This is no test: “{line}”. {how}", line=line[:60], how=FORM)
        found.append(
            Test(kind, template, one.removeprefix("+").strip() if kind == "DIR" else one, other)
        )
    if not found:
        raise refusal("There is no test. {how}", how=FORM)
    if sum(len(test.cases) for test in found) > MOST:
        raise refusal("These are more than {most} cases. Take fewer words.", most=MOST)
    return found


def continued(model: Model[Any], text: str, word: str) -> float:
    """Bits of a word behind a text."""
    whole = f"{text} {word}"
    trace, before = model.trace(whole, fields=("probability",)), model.tokens(text).ids
    ids = np.asarray(trace.ids)
    count = min(len(before), len(ids) - 1)
    keep = int(np.cumprod(np.asarray(before[:count]) == ids[:count]).sum())
    return float(np.nansum(surprisal(trace)[keep:]))


def probability(model: Model[Any], text: str, answer: str) -> float:
    """Of a label of a text, or of a word behind it.  ValueError for a label that there is not."""
    if not isinstance(model, Labels):
        return float(2.0 ** -continued(model, text, answer))
    if answer not in model.names:
        raise refusal(
            "Its labels are {names}; “{answer}” is none of them.",
            answer=answer,
            names=", ".join(model.names),
        )
    return float(answers(model, text).p_TV[-1, model.names.index(answer)])


def said(model: Model[Any], text: str) -> str:
    return answers_of(model)[answers(model, text).said[-1]]


def outcome(model: Model[Any], test: Test, texts: tuple[str, ...]) -> Outcome:
    if test.kind == "INV":
        found = [said(model, text) for text in texts]
        return Outcome(texts, tuple(found), len({*found}) == 1)
    if test.kind == "DIR":
        p = [probability(model, text, test.one) for text in texts]
        rises = all(b >= a - SLACK for a, b in pairwise(p))
        return Outcome(texts, tuple(f"{x:.1%}" for x in p), rises)
    if test.other:
        a, b = (probability(model, texts[0], one) for one in (test.one, test.other))
        told = f"{test.one} {a:.2%}, {test.other} {b:.2%}"
        return Outcome(texts, (told,), a > b)
    if isinstance(model, Labels):
        probability(model, texts[0], test.one)  # a label that there is
        found_one = said(model, texts[0])
        return Outcome(texts, (found_one,), found_one == test.one)
    likeliest = said(model, texts[0])
    first = (*model.tokens(f"{texts[0]} {test.one}").labels,)
    begun = len(model.tokens(texts[0]).labels)
    wanted = first[begun] if begun < len(first) else test.one
    return Outcome(texts, (likeliest,), likeliest.strip() == wanted.strip() != "")


def usual(model: Model[Any]) -> str:
    """Tests to begin with."""
    if not isinstance(model, Labels):
        return TEXTS["writer"]
    if {"positive", "negative"} <= {*model.names}:
        return TEXTS["reviews"]
    if {"NOUN", "VERB"} <= {*model.names}:
        return TEXTS["tagger"]
    lines = [line.partition("\t") for line in model.sample.splitlines()]
    return "\n".join(f"MFT: {text} => {label}" for label, __, text in lines if label in model.names)


TEXTS = {
    "writer": """\
MFT: The {girls|boys|men} near the {door|tree|house} => were > was
MFT: The {girl|boy|man} near the {doors|trees|houses} => was > were
INV: {Mary|Anna|Jane|Emma} looked at the old man and shook
DIR: {He|She} looked at the old man and shook => + her""",
    "reviews": """\
MFT: The {film|book|meal} was {good|great|wonderful}. => positive
MFT: The {film|book|meal} was {bad|terrible|boring}. => negative
MFT: The {film|book|meal} was not {good|great|wonderful}. => negative
INV: {Anna|John|Maria|Ahmed} thought the {film|meal} was {great|terrible}.
DIR: The film was {bad|good|great}. => + positive""",
    "tagger": """\
MFT: The {dog|cat|child|captain} => NOUN
MFT: They {run|sleep|write|laugh} => VERB
MFT: A very {old|small|happy} => ADJ
INV: {Anna|John|Mary} saw the {dog|house}""",
}
"""Tests to begin with, by what answers."""
