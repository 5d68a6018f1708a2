"""Milestones: the steps of a training at which something was there for the first time, by tests on
what the model wrote.

What      A test is true or false of all that was written at one step.  Its mark is the first step
          at which it is true, or, where it `stays`, the first from which on it is true at every
          later look.  A test that is true from the first look on marks nothing: nothing was learned
          there.  What a test says of itself is its rule, word for word
Source    our own; the order in which such things come: Karpathy, The Unreasonable Effectiveness of
          Recurrent Neural Networks, 2015
Shapes    none
Differs   A look sees a few samples, so a mark says that they show it, not that the model always
          does it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.language.message import _

Text = Mapping[str, Any]  # what the text is like, as in engine/training/yardstick.py
Curves = Mapping[str, tuple[np.ndarray, np.ndarray]]  # per metric its steps and values
WORD = re.compile(r"[^\W\d_]+")
HELD_OUT = "held_out_nats"


@dataclass(frozen=True, slots=True)
class Mark:
    step: int
    title: str
    rule: str


@dataclass(frozen=True, slots=True)
class Test:
    """`holds` says its rule itself."""

    title: str
    holds: Callable[[str, Text], bool]
    stays: bool = False

    @property
    def rule(self) -> str:
        said = " ".join(str(self.holds.__doc__).split())
        return said + (
            " True at this look and at every later one."
            if self.stays
            else " True at this look for the first time."
        )


def spaces(written: str, text: Text) -> bool:
    """The share of spaces in what it writes, and the mean length of its words, differ from those of
    the text by a quarter at most."""
    words = _words(written)
    return (
        bool(words and text)
        and _near(written.count(" ") / len(written), text["spaces"])
        and _near(sum(map(len, words)) / len(words), text["word_letters"])
    )


def a_word(written: str, text: Text) -> bool:
    """It writes a word of four letters or more that is among the 5,000 commonest words of the
    text."""
    known = set(text.get("words", ()))
    return any(len(word) >= 4 and word in known for word in _words(written))


def half_words(written: str, text: Text) -> bool:
    """It writes five words or more, and at least half of them are among the 5,000 commonest words
    of the text."""
    known, words = set(text.get("words", ())), _words(written)
    return len(words) >= 5 and 2 * sum(word in known for word in words) >= len(words)


def letters(written: str, text: Text) -> bool:
    """Of the five letters that it writes most, four or five are the five commonest letters of the
    text; it writes forty letters or more."""
    counts = Counter("".join(_words(written)))
    most = sorted(counts, key=lambda letter: (-counts[letter], letter))[:5]
    return counts.total() >= 40 and len(set(most) & set(text.get("letters", ())[:5])) >= 4


def quote(written: str, text: Text) -> bool:
    """It writes a quotation mark, then a letter, and closes the mark in the same line."""
    return bool(re.search(r'"[^"\n]*[^\W\d_][^"\n]*"|“[^“”\n]*[^\W\d_][^“”\n]*”', written))


def bracket(written: str, text: Text) -> bool:
    """It writes an opening bracket, then a letter or a digit, and closes the bracket in the same
    line."""
    return bool(re.search(r"\([^()\n]*\w[^()\n]*\)|\[[^\[\]\n]*\w[^\[\]\n]*\]", written))


def capital(written: str, text: Text) -> bool:
    """It writes two full stops or more that a space and a letter follow, and every such letter is a
    capital."""
    after = re.findall(r"\w\. ([^\W\d_])", written)
    return len(after) >= 2 and all(letter.isupper() for letter in after)


TESTS = (
    Test("learned spaces", spaces, stays=True),
    Test("commonest letters right", letters, stays=True),
    Test("first word of the text", a_word),
    Test("half of its words are real", half_words, stays=True),
    Test("capital after a full stop", capital),
    Test("first closing quote", quote),
    Test("brackets closed", bracket),
)


def marks(looks: Iterable[Mapping[str, Any]], text: Text, curves: Curves) -> list[Mark]:
    """All marks in order of their steps.  `looks` are {"step", "samples": [[prompt, text]]}, in
    order."""
    written = [
        (int(look["step"]), "\n".join(str(said) for __, said in look.get("samples") or ()))
        for look in looks
    ]
    written = [(step, said) for step, said in written if said]
    found = [
        Mark(step, test.title, test.rule)
        for test in TESTS
        if (step := _first([(at, test.holds(said, text)) for at, said in written], test.stays))
        is not None
    ]
    return sorted([*found, *_of_curves(text, curves)], key=lambda mark: mark.step)


def _first(held: Sequence[tuple[int, bool]], stays: bool) -> int | None:
    if stays:
        failed = [n for n, (__, true) in enumerate(held) if not true]
        return held[failed[-1] + 1][0] if failed and failed[-1] + 1 < len(held) else None
    at = next((n for n, (__, true) in enumerate(held) if true), 0)
    return held[at][0] if at else None


def _of_curves(text: Text, curves: Curves) -> list[Mark]:
    steps, nats = curves.get(HELD_OUT, (np.zeros(0, int), np.zeros(0)))
    fine = np.isfinite(nats)
    steps, nats = steps[fine], nats[fine]
    if len(steps) < 2:
        return []
    found = []
    counted = text.get("count_nats")
    below = np.flatnonzero(nats < counted) if counted else np.zeros(0, int)
    if len(below) and below[0]:  # one measurement or more were not
        rule = _(
            "For the first time the loss on held-out text is below {counted:.2f} nats a"
            " token, the entropy of the text's tokens: better than any count of single"
            " tokens does there.",
            counted=counted,
        )
        found.append(Mark(int(steps[below[0]]), "better than counting tokens", rule))
    best = int(nats.argmin())
    found.append(
        Mark(
            int(steps[best]),
            "best on held-out text",
            _(
                "The smallest of all {nats} losses that were measured on held-out text:"
                " {nats_2:.3f} nats a token.",
                nats=len(nats),
                nats_2=nats[best],
            ),
        )
    )
    return found


def _words(written: str) -> list[str]:
    return WORD.findall(written.lower())


def _near(ours: float, theirs: float) -> bool:
    return abs(ours - theirs) <= theirs / 4
