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

JOINER, ATTACHED = "\u200d", "\ufe0e\ufe0f\u20e3"


def _flag(c: str) -> bool:
    return "\U0001f1e6" <= c <= "\U0001f1ff"


def symbols(text: str) -> Iterator[tuple[int, int]]:
    """Where each symbol stands: with its skin colour, what is joined to it, and the second half of
    a flag."""
    i = 0
    while i < len(text):
        if not category(text[i]).startswith("S"):
            i += 1
            continue
        if text[i] == "<" and (mark := PLACEHOLDER.match(text, i)):
            i = mark.end()
            continue
        stop = i + 1
        if _flag(text[i]) and _flag(text[stop : stop + 1] or " "):
            stop += 1
        while stop < len(text):
            c = text[stop]
            if c in ATTACHED or "\U0001f3fb" <= c <= "\U0001f3ff":
                stop += 1
            elif c == JOINER:
                stop += 1 + category(text[stop + 1 : stop + 2] or " ").startswith("S")
            else:
                break
        yield i, stop
        i = stop


def said(symbol: str) -> str:
    return " ".join(
        name(c, f"U+{ord(c):04X}").lower() for c in symbol if c != JOINER and c not in ATTACHED
    )


def edit(text: str, choice: str) -> Iterator[Edit]:
    if text.isascii() and not any(c in text for c in "$+<=>^`|~"):
        return
    for start, stop in symbols(text):
        words = said(text[start:stop])
        now = {"remove": "", "mark": "<SYMBOL>", "name": f":{words.replace(' ', '_')}:"}[choice]
        yield start, stop, now, words


PREPARATION = Preparation(
    "Symbols, emoji",
    "♥, 😊, $ and the like are removed or named. Where people express feelings, they carry the"
    " message.",
    edit,
    {"remove": "remove", "name": "replace by name", "mark": "<SYMBOL>"},
)
