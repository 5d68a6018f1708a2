"""Flaws: a sentence, rewritten so that it means the same, or spoiled so that it does not.

Source    Ribeiro et al., Beyond Accuracy: Behavioral Testing of NLP Models with CheckList, 2020 (kinds of changes)
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.language.message import _

AUXILIARY = re.compile(
    r"\b(is|are|was|were|does|did|do|has|have|had|can|could|will|would|shall|should|must|may|might)\b",
    re.I,
)
NOT = re.compile(r"\s+not\b|n['’]t\b", re.I)
NUMBER = re.compile(r"\d+")
WORD = re.compile(r"\w+")


def spoil(text: str) -> list[tuple[str, str]]:
    """What was done, and what came of it: nothing first, then only what changes this sentence."""
    return [(_("nothing"), text), *((n, made) for n, made in _every(text) if made != text)]


def _every(text: str) -> Iterator[tuple[str, str]]:
    words = text.split()
    yield _("small letters"), text.lower()
    yield _("without punctuation"), re.sub(r"[^\w\s]", "", text)
    if len(words) > 3:
        half = len(words) // 2
        first, second = " ".join(words[:half]), " ".join(words[half:])
        yield _("its two halves changed round"), f"{second} {first}"
        yield _("only the first half"), first
        yield _("the last word three times more"), f"{text} {' '.join([words[-1]] * 3)}"
    yield _("two letters of the longest word changed round"), mistype(text)
    yield _("its words in reverse"), " ".join(reversed(words))
    yield _("one digit more"), NUMBER.sub(lambda found: found[0] + "0", text, count=1)
    yield _("negated, or not any more"), negate(text)


def mistype(text: str) -> str:
    longest = max(WORD.finditer(text), key=lambda found: len(found[0]), default=None)
    if longest is None or len(longest[0]) < 4:
        return text
    at = longest.start() + len(longest[0]) // 2 - 1
    return text[:at] + text[at + 1] + text[at] + text[at + 2 :]


def negate(text: str) -> str:
    """The first “not” goes, or one comes behind the first auxiliary."""
    if NOT.search(text):
        return NOT.sub("", text, count=1)
    return AUXILIARY.sub(lambda found: f"{found[0]} not", text, count=1)
