"""Words: a space wherever two tokens touch, so that tokens are what stands between spaces.

What      "whole" keeps don't, "apart" makes don ' t, "penn" makes do n't
Source    Marcus, Santorini & Marcinkiewicz, Building a Large Annotated Corpus of English: the Penn
          Treebank, 1993 (n't apart)
Shapes    a change is one space put in
Differs   Repeated signs (!!!) and an emoji of several characters are one token each; a number keeps
          its point, a placeholder its brackets.
          Compounds such as Freundschaftsbezeugung stay whole: to cut them takes a lexicon.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from engine.text.preparation.base import Edit, Preparation, letter

NUMBER = r"\d+(?:[.,:]\d+)*(?!\w)"
EMOJI = "[\U0001f1e6-\U0001f1ff]{2}|[^\\w\\s](?:[\ufe0e\ufe0f\u20e3\U0001f3fb-\U0001f3ff]|\u200d[^\\w\\s])+"
SIGNS = r"([^\w\s])\1*"
SHORT = re.compile(r"(?i)(?:n['’]t|['’](?:s|m|re|ve|ll|d))$")
WHY = {
    "apart": "punctuation separated",
    "whole": "punctuation separated",
    "penn": "contraction separated",
}


@cache
def _tokens(inside: str) -> re.Pattern[str]:
    """`inside`: the signs that may stand between two letters of a word."""
    word = rf"{letter()}+(?:[{inside}]{letter()}+)*" if inside else rf"{letter()}+"
    return re.compile(rf"<[A-Z]+>|{NUMBER}|{word}|{EMOJI}|{SIGNS}")


def spans(text: str, choice: str) -> Iterator[tuple[int, int, str]]:
    """Where each token stands, and why a space goes before it."""
    for found in _tokens("" if choice == "apart" else "'’-").finditer(text):
        short = SHORT.search(found[0]) if choice == "penn" else None
        if short and short.start():
            yield found.start(), found.start() + short.start(), WHY["whole"]
            yield found.start() + short.start(), found.end(), WHY["penn"]
        else:
            yield found.start(), found.end(), WHY["whole"]


def edit(text: str, choice: str) -> Iterator[Edit]:
    last = -1
    for start, stop, why in spans(text, choice):
        if start == last:
            yield start, start, " ", why
        last = stop


PREPARATION = Preparation(
    "Word tokens",
    "Inserts a space wherever two tokens touch. There are three ways to cut “don’t”, all in use.",
    edit,
    {"whole": "don't stays", "apart": "don ' t", "penn": "do n't"},
)
