"""Symbols and emoji: taken away, spelled by their name, or replaced by one mark.

What      every character of Unicode category S, an emoji of several characters as one
Source    The Unicode Standard, general categories; Unicode Technical Standard #51 (emoji sequences)
Shapes    a change is one symbol
Differs   The notes' example does three things at once: it takes symbols, punctuation and double
          spaces away.  Here each is a step.
          < and > around a placeholder such as <NUM> are left alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from unicodedata import category, name

from engine.text.preparation.base import PLACEHOLDER, Edit, Preparation
from engine.text.segmentation import clusters

KEYCAP = "\N{COMBINING ENCLOSING KEYCAP}"
HIDDEN = frozenset({"Cf", "Mn", "Me"})  # what joins and colours an emoji and has no name to say


def symbols(text: str) -> Iterator[tuple[int, int]]:
    """Where each symbol stands, with all that belongs to the same character: a skin colour, what is
    joined to it, the second half of a flag."""
    stop = 0
    for character in clusters(text):
        start, stop = stop, stop + len(character)
        if category(character[0])[0] == "S" or character[-1] == KEYCAP:
            yield start, stop


def name_symbol(symbol: str) -> str:
    named = [
        name(c, f"U+{ord(c):04X}").lower()
        for c in symbol
        if category(c) not in HIDDEN or c == KEYCAP
    ]
    return " ".join(named)


def edit(text: str, choice: str) -> Iterator[Edit]:
    if text.isascii() and not any(c in text for c in "$+<=>^`|~"):
        return
    marks = {at for mark in PLACEHOLDER.finditer(text) for at in (mark.start(), mark.end() - 1)}
    for start, stop in symbols(text):
        if start in marks:
            continue
        words = name_symbol(text[start:stop])
        now = {"remove": "", "mark": "<SYMBOL>", "name": f":{words.replace(' ', '_')}:"}[choice]
        yield start, stop, now, words


PREPARATION = Preparation(
    "Symbols, emoji",
    "♥, 😊, $ and the like are removed or named. Where people express feelings, they carry the"
    " message.",
    edit,
    {"remove": "remove", "name": "replace by name", "mark": "<SYMBOL>"},
)
