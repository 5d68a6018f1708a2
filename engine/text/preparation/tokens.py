"""Words: a space wherever two tokens touch, so that tokens are what stands between spaces.

What      "whole" keeps don't, "apart" makes don ' t, "penn" makes do n't
Source    Marcus, Santorini & Marcinkiewicz, Building a Large Annotated Corpus of English: the Penn
          Treebank, 1993 (n't apart)
Shapes    a change is one space put in
Differs   Repeated signs (!!!) are one token; a number keeps its point, a placeholder its brackets.
          In scripts that write no blanks, words end as in engine/text/segmentation.py.
          Compounds such as Freundschaftsbezeugung stay whole: to cut them takes a lexicon.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

from engine.text.preparation.base import Edit, Preparation, letters
from engine.text.segmentation import TOKENS, Rule, is_plain

NUMBER = r"\d+(?:[.,:]\d+)*(?!\w)"
SIGN = r"(?!\s)(\X)\1*"
PLAIN_SIGN = r"([^\w\s])\1*"
SHORT = re.compile(r"(?i)(?:n['’]t|['’](?:s|m|re|ve|ll|d))$")
WHY = {
    "apart": "punctuation separated",
    "whole": "punctuation separated",
    "penn": "contraction separated",
}


@cache
def _tokens(inside: str) -> Rule:
    """`inside`: the signs that may stand between two letters of a word."""
    word = rf"{letters()}(?:[{inside}]{letters()})*" if inside else letters()
    keycap = r"[0-9#*]\uFE0F?\u20E3"
    return Rule(
        rf"<[A-Z]+>|{NUMBER}|{word}|{PLAIN_SIGN}",
        rf"<[A-Z]+>|{keycap}|{NUMBER}(?![\uFE0F\u20E3])|{word}|{SIGN}",
    )


def _spans(text: str, inside: str) -> Iterator[tuple[int, int]]:
    for start, stop in _tokens(inside).spans(text):
        found = text[start:stop]
        parts = [] if is_plain(found) else TOKENS.spans(found)
        ends = [
            start + at
            for (before, _), (at, _) in pairwise(parts)
            if found[before].isalnum() and found[at].isalnum()
        ]
        yield from pairwise((start, *ends, stop))


def spans(text: str, choice: str) -> Iterator[tuple[int, int, str]]:
    """Where each token stands, and why a space goes before it."""
    for start, stop in _spans(text, "" if choice == "apart" else "'’-"):
        short = SHORT.search(text[start:stop]) if choice == "penn" else None
        if short and short.start():
            yield start, start + short.start(), WHY["whole"]
            yield start + short.start(), stop, WHY["penn"]
        else:
            yield start, stop, WHY["whole"]


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
