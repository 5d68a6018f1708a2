"""Script: the strings of a JavaScript file, and the file with some of them in other words.

What      a scan of the file as ECMAScript cuts it: comments, strings, templates (`... ${place} ...`)
          and regular expressions; a template's text has {0}, {1} ... for its places
Source    ECMA-262, sec. 12 (lexical grammar)
Differs   Whether / begins a regular expression is told by what stands before it, which is right for
          code without a division behind a closing bracket of an `if`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

BEFORE_PATTERN = frozenset("(,=:[!&|?{};+-*%<>~^")  # a / behind one of these begins a pattern
WORDS_BEFORE = ("return", "typeof", "case", "in", "of", "void", "throw", "else", "do", "=>")
PATTERN = re.compile(r"/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/[a-z]*")
ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "0": "\0"}
PLACE = re.compile(r"\{(\d+)\}")
# in a translation: {0|Wort|Wörter} is the first where place 0 holds 1, else the second
CHOICE = re.compile(r"\{(\d+)\|([^{}|]*)\|([^{}|]*)\}")
FILLED = re.compile(rf"{PLACE.pattern}|{CHOICE.pattern}")
PLURALS = frozenset({"s", "es"})
# the ending of an English plural in a place of its own: other languages have theirs
ENDING = re.compile(r"""\?\s*"(?:s|es)"\s*:\s*""|\?\s*""\s*:\s*"(?:s|es)\"""")
SMALL = "small("  # a label of one small word, see assets/live/dom.js
# behind these stands a name, not a sentence
NAMING = re.compile(
    r"(?:from|import|case|querySelector(?:All)?\(|getElementById\(|closest\(|matches\(|createElement\("
    r"|EventListener\(|classList\.\w+\(|style\.\w+ =|className =|font =|With\(|[=!]==|\.get\(|\.has\()\s*$"
)


@dataclass(frozen=True, slots=True)
class Literal:
    """One string: its text, where it stands with its quotes, and the places of a template with what
    stands in them."""

    text: str
    start: int
    stop: int
    places: tuple[tuple[int, int, tuple[Literal, ...]], ...] = ()


def literals(source: str) -> tuple[Literal, ...]:
    """The strings of a file, in order; those in the places of a template stand in it.  ValueError
    where it is no JavaScript that is understood."""
    try:
        found, _ = _code(source, 0, nested=False)
    except IndexError:
        raise ValueError("this JavaScript ends in the middle of a string") from None
    return found


def walk_literals(found: tuple[Literal, ...]) -> Iterator[Literal]:
    """Those in places, too."""
    for literal in found:
        yield literal
        for _, _, inner in literal.places:
            yield from walk_literals(inner)


def names(source: str, literal: Literal) -> bool:
    """Whether the string is a name: of a module, an element, what something is compared with."""
    return bool(NAMING.search(source, max(0, literal.start - 40), literal.start))


def fills(source: str, literal: Literal) -> bool:
    """Whether it is one of the two that `condition ? "this" : "that"` chooses from."""
    return bool(re.search(r"[?:]\s*$", source[max(0, literal.start - 20) : literal.start]))


def rewritten(source: str, say: Callable[[str], str], word: Callable[[str], str] = str) -> str:
    """The file with the words of `say` for each string that it has other words for, and with those of
    `word` where the source says of a label that it is one: small("writes")."""

    def between(start: int, stop: int, found: tuple[Literal, ...], anew: bool = False) -> str:
        """`anew`: of a place in a sentence that has other words."""
        parts, at = list[str](), start
        for literal in found:
            parts += [source[at : literal.start], put(literal, anew)]
            at = literal.stop
        return "".join([*parts, source[at:stop]])

    def put(literal: Literal, anew: bool) -> str:
        start, stop, text = literal.start, literal.stop, literal.text
        if anew and text in PLURALS and ENDING.search(source, start - 8, stop + 8):
            return '""'
        name = names(source, literal) or not (
            " " in text or text[:1].isupper() or (anew and fills(source, literal))
        )
        if source.endswith(SMALL, 0, start):
            said = word(text)
        else:
            said = text if name else say(text)
        if said == text:
            parts, at = list[str](), start
            for first, last, inner in literal.places:
                parts += [source[at:first], between(first, last, inner)]
                at = last
            return "".join([*parts, source[at:stop]])
        if source[start] != "`":
            return json.dumps(said, ensure_ascii=False)
        inside = [between(*place, anew=True) for place in literal.places]
        parts, at = list[str](), 0
        for place in FILLED.finditer(said):
            parts += [_escaped(said[at : place.start()]), _filling(place, inside)]
            at = place.end()
        return "`" + "".join([*parts, _escaped(said[at:])]) + "`"

    return between(0, len(source), literals(source))


def _escaped(text: str) -> str:
    return re.sub(r"[`\\]|\$(?=\{)", r"\\\g<0>", text)


def _filling(place: re.Match[str], inside: list[str]) -> str:
    """What JavaScript computes at a place, or at a word that follows it."""
    plain, follows, one, many = place.groups()
    if plain:
        return f"${{{inside[int(plain)]}}}"
    words = (json.dumps(word, ensure_ascii=False) for word in (one, many))
    return f'${{String({inside[int(follows)]}) === "1" ? {" : ".join(words)}}}'


def _code(source: str, at: int, nested: bool) -> tuple[tuple[Literal, ...], int]:
    """The strings from `at` on, to the end, or to the bracket that closes a place."""
    found: list[Literal] = []
    depth, last = 0, at  # `last` is where what counts ended
    while at < len(source) or nested:
        sign = source[at]
        if source.startswith("//", at):
            at = source.find("\n", at) if "\n" in source[at:] else len(source)
            continue
        if source.startswith("/*", at):
            at = source.index("*/", at) + 2
            continue
        if sign in "\"'":
            literal = _quoted(source, at)
        elif sign == "`":
            literal = _template(source, at)
        elif sign == "/" and _begins(source, last) and (pattern := PATTERN.match(source, at)):
            at = last = pattern.end()
            continue
        else:
            depth += (sign == "{") - (sign == "}")
            at += 1
            if depth < 0:
                return tuple(found), at - 1
            last = last if sign.isspace() else at
            continue
        found.append(literal)
        at = last = literal.stop
    return tuple(found), at


def _begins(source: str, last: int) -> bool:
    before = source[max(0, last - 8) : last]
    return not before or before[-1] in BEFORE_PATTERN or before.endswith(WORDS_BEFORE)


def _quoted(source: str, start: int) -> Literal:
    at, text = start + 1, ""
    while source[at] != source[start]:
        part, at = _sign(source, at)
        text += part
    return Literal(text, start, at + 1)


def _template(source: str, start: int) -> Literal:
    at, text, places = start + 1, "", list[tuple[int, int, tuple[Literal, ...]]]()
    while source[at] != "`":
        if source.startswith("${", at):
            inner, stop = _code(source, at + 2, nested=True)
            text += f"{{{len(places)}}}"
            places.append((at + 2, stop, inner))
            at = stop + 1
            continue
        part, at = _sign(source, at)
        text += part
    return Literal(text, start, at + 1, tuple(places))


def _sign(source: str, at: int) -> tuple[str, int]:
    """(one sign of a string, where the next one stands)."""
    if source[at] != "\\":
        return source[at], at + 1
    named = source[at + 1]
    size = {"u": 6, "x": 4}.get(named, 2)
    if named == "u" and source[at + 2] == "{":
        size = source.index("}", at) + 1 - at
    if size > 2:
        return chr(int(source[at + 2 : at + size].strip("{}"), 16)), at + size
    return ("" if named == "\n" else ESCAPED.get(named, named)), at + 2
