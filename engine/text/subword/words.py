"""Words: the stretches of a text inside which pieces may grow.  No merge ever reaches over the end
of one.

What      whole     the text as it is: merges may cross from one word into the next
          blanks    a word with the one white space before it: a token can only begin with white
                    space
          cutter    the same with letters, digits and signs apart, as byte-level BPE has it
          inside    letters between blanks, those after the first with ## before them
Source    Sennrich, Haddow & Birch, 2016, sec. 3.2 (</w>); Radford et al., 2019, sec. 2.2 (cutter); Wu
          et al., 2016 (##)
Shapes    a word is a tuple of symbols, as single characters as its scheme allows
Differs   `letters` writes a byte that is no visible sign as a stand-in letter, as all byte-level
          vocabularies do.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

Word = tuple[str, ...]
END, INSIDE, SPACE = "</w>", "##", "\N{LOWER ONE EIGHTH BLOCK}"
GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
ASCII = r"'s|'t|'re|'ve|'m|'ll|'d| ?[A-Za-z]+| ?[0-9]+| ?[^\sA-Za-z0-9]+|\s+(?!\S)|\s+"
_BLANKS = re.compile(r"\s?[^\s]+|\s")
_RUNS = re.compile(f"{SPACE}?[^{SPACE}]+|{SPACE}")
_SIGN = r"\p{P}$+<=>^`|~"


def _letters() -> dict[int, str]:
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    rest = [b for b in range(256) if b not in plain]
    return {b: chr(b) for b in plain} | {b: chr(256 + i) for i, b in enumerate(rest)}


LETTER = _letters()  # the printable stand-in that byte-level vocabularies use for each byte
BYTE = {letter: b for b, letter in LETTER.items()}


def split_whole(text: str) -> list[Word]:
    return [tuple(text)] if text else []


def blanks(text: str) -> list[Word]:
    return [tuple(word) for word in _BLANKS.findall(text)]


def split_inside(text: str) -> list[Word]:
    return [(word[0], *(INSIDE + c for c in word[1:])) for word in text.split()]


def runs(text: str) -> list[str]:
    """Words with the space before them, written as a character that can be seen: what Unigram
    cuts."""
    return _RUNS.findall(text.replace(" ", SPACE))


def spaced(text: str) -> list[Word]:
    return [tuple(word) for word in runs(text)]


def signs(text: str) -> list[str]:
    """Words and signs in lower case, as BERT cuts them before WordPiece does."""
    return _signs().findall(text.lower())


@cache
def _signs() -> Any:
    import regex

    return regex.compile(rf"[{_SIGN}]|[^\s{_SIGN}]+")


@cache
def cutter() -> Callable[[str], list[str]]:
    """A function that cuts a line as GPT-2 does."""
    import regex

    ascii, any = re.compile(ASCII, re.ASCII).findall, regex.compile(GPT2).findall

    def cut(line: str) -> list[str]:
        found: list[str] = ascii(line) if line.isascii() else any(line)
        return found

    return cut


def letters(word: str) -> Word:
    """The stand-in letters of a word's bytes."""
    return tuple(map(LETTER.__getitem__, word.encode()))


def readable(piece: str) -> str:
    """A piece of stand-in letters as a reader sees it; bytes that are no character alone as
    <E2>."""
    raw = bytes(map(BYTE.__getitem__, piece))
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return "".join(f"<{b:02X}>" for b in raw)


def count(lines: Iterable[str], cut: Callable[[str], list[Any]]) -> Counter[Any]:
    """How often each word stands in the lines, in the order in which they were first seen."""
    counts: Counter[Any] = Counter()
    for line in lines:
        counts.update(cut(line))
    return counts
