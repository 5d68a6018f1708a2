"""Catalogue: what a language says for each English sentence.

What      a gettext file assets/language/<id>.po, which translators' tools open; `python -m engine
          language <id>` has Babel bring it up to date
Look-up   exact: a Message by its template, which is filled then; a string as a whole.  What is not
          there stays as it is: words of a model, of a file, of the reader
Figures   as the source writes them, 1,234.5, in a translation too; `grouped` shows them as 1 234.5, which
          no reader takes for another number: a point or a comma between thousands is the decimal
          mark of half the world
Source    ISO 80000-1, 7.3 (thousands apart by a thin space)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from engine import ROOT
from engine.language.message import Message
from engine.language.script import CHOICE, PLACE
from engine.language.words import ANSWERS, GUESSED, WORDS

FOLDER = ROOT / "assets" / "language"
ENGLISH = "en"
WORD = re.compile(r"[^\W\d_]{2,}")
LACKING = re.compile(r'^msgstr ""\n(?!")', re.MULTILINE)  # a translation, in a .po file
FIGURE = re.compile(r"\d+(?:,\d+)*(?:\.\d+)?|\.\d+")
GROUPS = re.compile(r"(?<![\w.,:“])\d{1,3}(?:,\d{3})+(?![\d\w]|,\d)")
THIN = "\u202f"  # a narrow space that does not break
MOST = 200  # strings of a list that are looked up: a longer one is a vocabulary
# in what is sent to the browser: names, and texts that models read
OWN = frozenset(
    "text texts id key kind hash page name href link run field fields reader tokens labels symbol symbols"
    " vocab vocabulary words languages next alphabet code latex formula value address socket model view".split()
)
TOLD = frozenset({"title", "says", "label", "note", "notes", "unit", "units", "one", "tags"})
GUESSES = "choices"  # of a step of a first minute
MARKS = {
    "places": PLACE,
    "named places": re.compile(r"(?<![A-Za-z_^])\{[^{}|\d\s\\][^{}|\s\\]*\}"),
    "words in bold": re.compile(r"\*\*"),
    "code": re.compile(r"`[^`]*`"),
    "formulas": re.compile(r"\$[^$]+\$"),
    "links": re.compile(r"\]\([^)]*\)"),
    "line ends": re.compile(r"\n"),
    "white space around it": re.compile(r"^\s+|\s+$"),
}


def languages() -> dict[str, str]:
    """Id -> name of each language that has a sentence for all there were, English first."""
    found = {path.stem: _name(path) for path in sorted(FOLDER.glob("*.po"))}
    return {ENGLISH: "English"} | {id: name for id, name in found.items() if name}


@cache
def _name(path: Path) -> str:
    """What a language is called by those who speak it; empty where it lacks a sentence."""
    from babel import Locale

    if LACKING.search(path.read_text(encoding="utf-8")):
        return ""
    return str(Locale.parse(path.stem).get_display_name() or path.stem)


def is_language(id: str) -> bool:
    """Whether there is a file of it."""
    return id == ENGLISH or (id.isalpha() and (FOLDER / f"{id}.po").is_file())


@cache
def catalogue(id: str) -> Catalogue:
    """That of a language with a file."""
    return Catalogue(read(FOLDER / f"{id}.po"))


def tell(value: Any, language: str) -> Any:
    """What is sent as JSON, said in a language."""
    return value if language == ENGLISH else catalogue(language).tell(value)


def read(path: Path) -> dict[str, str]:
    """English -> translation, of a .po file, in its order."""
    from babel.messages.pofile import read_po

    with path.open("rb") as file:
        return {str(one.id): str(one.string) for one in read_po(file) if one.id and one.string}


def grouped(text: str) -> str:
    """The text with its thousands apart by a thin space: 1,234.5 as 1 234.5."""
    return GROUPS.sub(lambda found: found[0].replace(",", THIN), text)


def faults(english: str, said: str) -> Iterator[str]:
    """What a translation has lost or added, in words."""
    if _figures(english) != _figures(said):
        yield "figures"
    if any(place not in PLACE.findall(english) for place, _, _ in CHOICE.findall(said)):
        yield "the place that a word follows"
    for what, mark in MARKS.items():
        ours, theirs = (sorted(m[0] for m in mark.finditer(text)) for text in (english, said))
        if ours != theirs:
            yield what


def _figures(text: str) -> list[str]:
    """Those outside the places, .5 and 0.5 as one, sorted."""
    bare = PLACE.sub(" ", CHOICE.sub(" ", text))
    return sorted(figure.lstrip("0") for figure in FIGURE.findall(bare))


class Catalogue:
    """`said` is English -> translation."""

    def __init__(self, said: Mapping[str, str]) -> None:
        self.said = {english: grouped(words) for english, words in said.items()}
        self._answers = {word: self.said[word] for word in GUESSED if word in self.said}
        self._words = {word: self.said.pop(word) for word in WORDS if word in self.said}
        for word in ANSWERS:
            self.said.pop(word, None)

    def say(self, words: str) -> str:
        """A sentence in this language, where it is known."""
        if isinstance(words, Message):
            return grouped(words.said(self.word, grouped))
        return self.said.get(words) or (words if WORD.search(words) else grouped(words))

    def word(self, words: str) -> str:
        """A label, which may be one small word, in this language."""
        return self._words.get(words) or self.say(words)

    def tell(self, value: Any, key: str = "") -> Any:
        """A copy of what is sent as JSON, said in this language; names and texts stay."""
        if isinstance(value, Message):
            return self.word(value)
        if isinstance(value, str):
            if key == GUESSES and value in self._answers:
                return self._answers[value]
            word = " " not in value and not value[:1].isupper()  # that may be a name
            if key in OWN:
                return value
            if word and key not in TOLD:
                return grouped(value)
            return self.word(value) if word else self.say(value)
        if isinstance(value, Mapping):
            return {name: self.tell(part, str(name)) for name, part in value.items()}
        if isinstance(value, list | tuple) and len(value) <= MOST:
            own = key in OWN
            told = [
                part if own and not isinstance(part, Message) else self.tell(part, key)
                for part in value
            ]
            return tuple(told) if isinstance(value, tuple) else told
        return value
