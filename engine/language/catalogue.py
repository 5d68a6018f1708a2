"""Catalogue: what a language says for each English sentence.

What      a gettext file assets/language/<id>.po, which translators' tools open; `python -m engine
          language <id>` has Babel bring it up to date
Shapes    a sentence with places {0}, {1} ... is known again by what stands around them; what stands
          in them is looked up by itself; of {0|one|many} in a translation the first is taken where
          place 0 holds 1
Figures   as the source writes them, 1,234.5, in a translation too; `grouped` shows them as 1 234.5, which
          no reader takes for another number: a point or a comma between thousands is the decimal
          mark of half the world
Source    ISO 80000-1, 7.3 (thousands apart by a thin space)
Differs   A text that is known neither whole nor by its places is taken line by line and sentence by
          sentence; what stays unknown stays as it is: words of a model, of a file, of the reader.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from engine import ROOT
from engine.language.markdown import escaped, unescaped
from engine.language.script import CHOICE, PLACE, PLURALS
from engine.language.words import ANSWERS, GUESSED, WORDS

FOLDER = ROOT / "assets" / "language"
ENGLISH = "en"
WORD = re.compile(r"[^\W\d_]{2,}")
SHORT = 200  # characters of a text that may be one of fewer
SURE = 3  # words around its places by which a sentence is known, whatever stands in them
PLAIN = re.compile(r"[\s\d.,:%×x+\-−–/()⁻⁰¹²³⁴-⁹eE<>≤≥≈]*")  # what may stand in the places of fewer
# of a model or a format: the same in every language
NAME = re.compile(r"(?:[a-z]-)?[A-Z]{2,}|[A-Z][a-z]+[A-Za-z]*|b?float\d+")
LINE = re.compile(r"(\s*(?:[-*] |#+ |\d+\. |> )?)(.*)", re.S)
ENDS = re.compile(r"(?<=[.!?”)*]) (?=[A-Z“*(\d{−])")
FILL = "Ω"  # a letter in the place of what is filled in: a word that it touches may go on
BREAKS = (
    (" · ", re.compile(" · ")),
    (" ", ENDS),
    ("; ", re.compile("; ")),
    (": ", re.compile(": ")),
)
QUOTES = ("“", '"', "'", "`", "‘")
NAMED = re.compile(r"(.+\w) \(([\w@.-]+)\)")  # a run with its id, a word with what it is
BOLD = re.compile(r"\*\*([^*]+)\*\*")
LACKING = re.compile(r'^msgstr ""\n(?!")', re.MULTILINE)  # a translation, in a .po file
FIGURE = re.compile(r"\d+(?:,\d+)*(?:\.\d+)?|\.\d+")
LITTLE = re.compile(r"[^\w]*[a-z]{2}[^\w]*")  # around places, one of the smallest words
GROUPS = re.compile(r"(?<![\w.,:“])\d{1,3}(?:,\d{3})+(?![\d\w]|,\d)")
THIN = "\u202f"  # a narrow space that does not break
KEPT, LONGEST = 20_000, 4_000  # texts that are remembered, characters of one that is taken apart
MOST_PARTS = 12  # sentences of a text that are looked up together
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
        said = {english: grouped(words) for english, words in said.items()}
        self.said = {english.strip(): words.strip() for english, words in said.items()} | said
        self._known: dict[str, str] = {}
        self._answers = {word: self.said[word] for word in GUESSED if word in self.said}
        self._words = {word: self.said.pop(word) for word in WORDS if word in self.said}
        for word in ANSWERS:
            self.said.pop(word, None)
        self._done = frozenset(self.said.values())
        self._by_word: defaultdict[str, list[tuple[int, str]]] = defaultdict(list)
        self._parts: dict[str, tuple[list[str], bool, list[bool]]] = {}
        for english in self.said:
            own = PLACE.sub(FILL, english)
            if own != english and WORD.search(PLACE.sub(" ", english)):
                whole = [word for word in WORD.findall(own) if FILL not in word]
                self._by_word[max(whole, key=len, default="")].append((-len(own), english))

    def say(self, text: str) -> str:
        """The text in this language, as far as it is known."""
        found = self.said.get(text) or self._known.get(text)
        if found is None:
            if len(self._known) >= KEPT:
                self._known.clear()
            made = text in self._done or len(text) > LONGEST
            found = self._known[text] = text if made else self._made(text)
        return found

    def keep(self, text: str) -> str:
        """What is in this language already: it is not looked up again."""
        if len(self._known) >= KEPT:
            self._known.clear()
        self._known[text] = text
        return text

    def word(self, text: str) -> str:
        """A label, which may be one small word, in this language."""
        return self._words.get(text) or self.say(text)

    def tell(self, value: Any, key: str = "") -> Any:
        """A copy of what is sent as JSON, said in this language; names and texts stay."""
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
        if isinstance(value, list | tuple) and key not in OWN and len(value) <= MOST:
            return [self.tell(part, key) for part in value]
        return value

    def _made(self, text: str) -> str:
        bare = text.strip()
        if not WORD.search(bare):
            return grouped(text)
        if bare != text:
            return text.replace(bare, self.say(bare), 1)
        plain = unescaped(text)
        if plain is not None and plain in self.said:
            return escaped(self.said[plain])
        if (found := self._fit(text)) is not None:
            better = self._fit(plain) if plain is not None else None
            return escaped(better[1]) if better and better[0] > found[0] else found[1]
        if "\n" in text:
            return "\n".join(self.say(line) for line in text.split("\n"))
        # as it may stand in the source: without a full stop, without a capital
        end = "." if text.endswith(".") else ""
        core = text.removesuffix(end)
        for english in (core, core[:1].lower() + core[1:], text[:1].lower() + text[1:]):
            if english != text and (said := self.said.get(english)):
                return f"{said[:1].upper()}{said[1:].removesuffix(end)}{end}"
        if not end and (said := self.said.get(f"{text}.")):
            return said.removesuffix(".")
        mark, rest = LINE.fullmatch(text).groups()  # type: ignore[union-attr]
        if mark:
            return f"{mark}{self.say(rest)}"
        if bold := BOLD.fullmatch(text):
            return f"**{self.say(bold[1])}**"
        if plain is not None and (told := self.say(plain)) != plain:
            return escaped(told)
        if named := NAMED.fullmatch(text):
            told, inside = self.say(named[1]), self._words.get(named[2], named[2])
            if (told, inside) != named.groups():
                return f"{told} ({inside})"
        for between, ends in BREAKS:
            if len(parts := ends.split(text)) > 1:
                return between.join(self._parts_of(parts, between))
        return text

    def _parts_of(self, parts: list[str], between: str) -> Iterator[str]:
        """Each part said; those that are known together are said together."""
        while parts:
            for n in range(min(len(parts), MOST_PARTS), 1, -1):
                together = between.join(parts[:n])
                said = self.said.get(together) or self._filled(together)
                if said is not None:
                    break
            else:
                n, said = 1, self.say(parts[0])
            yield said
            parts = parts[n:]

    def _filled(self, text: str) -> str | None:
        """By a sentence with places."""
        found = self._fit(text)
        return found[1] if found else None

    def _fit(self, text: str) -> tuple[int, str] | None:
        """The same with the length of that sentence; that with most words of its own is tried
        first."""
        some = {word for word in ("", *WORD.findall(text)) if word in self._by_word}
        fits = sorted(pair for word in some for pair in self._by_word[word])
        return self._filled_by(text, fits, whole=False) or self._filled_by(text, fits, whole=True)

    def _filled_by(
        self, text: str, fits: list[tuple[int, str]], whole: bool
    ) -> tuple[int, str] | None:
        """`whole`: a place may hold more than one sentence."""
        for less, english in fits:
            parts, sure, quotes = self._parted(english)
            if not (sure or len(text) <= SHORT) or (values := _between(text, parts)) is None:
                continue
            if any(ENDS.search(value) for value in values) is not whole:
                continue
            # "Ministry of Truth" is no sentence, "3 of 5" is; two sentences with an "of" are not
            if LITTLE.fullmatch("".join(parts)) and (whole or not any(map(FIGURE.search, values))):
                continue
            said = [
                value if quoted else "" if value in PLURALS else grouped(self.word(value))
                for value, quoted in zip(values, quotes, strict=True)
            ]
            if sure or all(
                quoted or PLAIN.fullmatch(value) or NAME.fullmatch(value) or new != value
                for value, new, quoted in zip(values, said, quotes, strict=True)
            ):
                words = PLACE.split(_counted(self.said[english], values))
                words[1::2] = [said[int(n)] for n in words[1::2]]
                return -less, "".join(words)
        return None

    def _parted(self, english: str) -> tuple[list[str], bool, list[bool]]:
        """What stands around its places, whether that is enough, and which of the places stand in
        quotation marks: what is quoted is a model's or the reader's own."""
        if english not in self._parts:
            parts = PLACE.split(english)[::2]
            sure = len(WORD.findall(" ".join(parts))) >= SURE
            self._parts[english] = parts, sure, [part.endswith(QUOTES) for part in parts[:-1]]
        return self._parts[english]


def _counted(said: str, values: list[str]) -> str:
    """With the word that fits, where one follows a number: that for one, or that for many."""
    return CHOICE.sub(lambda word: word[2 if values[int(word[1])] == "1" else 3], said)


def _between(text: str, parts: list[str]) -> list[str] | None:
    """What stands between the parts of a sentence, each taken at its first place; None where the
    text is not made so."""
    first, *others, last = parts
    if not text.startswith(first) or not text.endswith(last):
        return None
    found, at, end = list[str](), len(first), len(text) - len(last)
    for part in others:
        place = text.find(part, at, end)
        if place < 0:
            return None
        found.append(text[at:place])
        at = place + len(part)
    return [*found, text[at:end]] if at <= end else None
