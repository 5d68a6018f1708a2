"""Segmentation: words and characters of all scripts, by Unicode's own rules.

What      TOKENS    words, single signs and line ends, in order; what is blank only separates
          WORDS     the tokens that begin with a letter or a digit
          clusters  the characters that a reader sees (extended grapheme clusters): a letter with
                    its marks, a syllable such as क्षि, a flag, an emoji with its skin tone
Source    Unicode Standard Annex #29, Unicode Text Segmentation; the classes of characters are those
          of the package regex
Differs   From the word boundaries of the standard:
          · . , : ; _ and their like (MidLetter, MidNum, MidNumLet, ExtendNumLet) are signs of
            their own inside words and numbers, too; only ' and ’ join, between digits and letters
            as well, · between letters (Catalan l·l), and ״ and " between Hebrew letters
          · what is blank stands alone, with no mark on it; so does U+200B
          · fractions, superscripts and numbers in circles are digits: m² is one word
          · a word never ends inside a cluster, and a keycap such as 1️⃣ is no part of one
          Thai, Lao, Khmer, Burmese, Chinese and Japanese write no blanks, and no list of words is
          used: each cluster is a word, a run of Katakana one; in Tibetan each syllable.
          From the clusters of the standard: a line end after a carriage return stands alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache, cached_property
from typing import Any
from unicodedata import category

from engine.text.paged import Paged

UNSPACED = (
    "Thai, Lao, Khmer, Burmese, Chinese and Japanese are written without spaces between words, and no"
    " word list is used here: each character counts as a word, and a run of Katakana as one."
)
# Characters that the rules in `re` treat as those of the standard do, whatever stands beside them.
PLAIN = (
    r"\x00-\xac\xae-\xb6\xb9-\u02c1\u02c6-\u02d1\u0370-\u0482\u048a-\u052f"
    r"\u0531-\u0556\u0561-\u0586\u0620-\u064a\u0660-\u066a\u0671-\u06d3\u10d0-\u10fa\u1200-\u1248"
    r"\u1e00-\u200a\u2010-\u2029\u202f-\u205f\u20a0-\u20bf\u2100-\u2138\u213a-\u24b5"
    r"\u2500-\u27bf\u2e00-\u2e42\u3000-\u3004\uac00-\ud7a3\uff01-\uff06\uff08-\uff0f"
    r"\U0001f300-\U0001f3fa\U0001f400-\U0001f64f\U0001f680-\U0001f6c5\U0001f900-\U0001f9ff"
)
PLAIN_WORD = r"[^\W_]+(?:['\u2019][^\W_]+)*"
PLAIN_TOKEN = rf"\n|{PLAIN_WORD}|[^\w\s]|_"

# What follows is written for regex: marks E stay with what they stand on (WB4).
_E = r"\p{WB=Extend}\p{WB=Format}\p{WB=ZWJ}"
_LETTER = r"\p{WB=ALetter}\p{WB=Hebrew_Letter}\p{WB=Numeric}\p{No}"
_HEBREW = rf"\p{{WB=Hebrew_Letter}}[{_E}]*"
_ALPHABETIC = r"\p{WB=ALetter}\p{WB=Hebrew_Letter}"
_KEYCAP = r"[0-9#*]\uFE0F?\u20E3"
_RUN = (  # WB5, WB8-10; the second way is for keycaps
    rf"(?:[{_LETTER}][{_LETTER}{_E}--\u20e3]*+(?!\uFE0F?\u20E3)"
    rf"|(?:(?!{_KEYCAP})[{_LETTER}][{_E}]*+)++)"
)
_JOINED = (  # WB6-7c
    rf"{_RUN}(?:(?:['\u2019][{_E}]*+|(?<=[{_ALPHABETIC}][{_E}]*)\xb7[{_E}]*+(?=[{_ALPHABETIC}])"
    rf"|(?<={_HEBREW})[\"\u05f4][{_E}]*+(?=\p{{WB=Hebrew_Letter}}))"
    rf"{_RUN})*+(?:(?<={_HEBREW})'[{_E}]*+)?"
)
_KATAKANA = rf"(?:\p{{WB=Katakana}}[{_E}]*+)++"  # WB13
# No other rules than those below, only faster: most words; characters that are words, Chinese, Japanese
# and Thai ones.
_THAI = r"\u0e01-\u0e30\u0e32\u0e40-\u0e45"
_THAI_MARKS = r"\u0e31\u0e33-\u0e3a\u0e47-\u0e4e"
_ALONE = (
    rf"(?:[\p{{Ideographic}}\p{{Script=Hiragana}}]|[{_THAI}][{_THAI_MARKS}]*+)"
    rf"(?![{_E}])"
)
_COMMON = rf"\p{{WB=ALetter}}[\p{{WB=ALetter}}\p{{WB=Extend}}]*+(?=\s|\Z)|{_ALONE}"
_FLAG = rf"\p{{WB=Regional_Indicator}}[{_E}]*\p{{WB=Regional_Indicator}}[{_E}]*+"  # WB15-16
_CLUSTER = rf"(?![\s\x1c-\x1f\u200b])\X[{_E}]*+"  # WB999
_JOINER = rf"(?:(?<=\u200d)\p{{Extended_Pictographic}}[{_E}]*+)*+"  # WB3c


class Rule:
    """Cuts a text as the standard says.  `plain` is the same cut of a text of plain characters,
    `full` that of any text."""

    def __init__(self, plain: str, full: str | re.Pattern[str]) -> None:
        self._plain, self._pattern = re.compile(plain), full

    @cached_property
    def _full(self) -> Any:
        if isinstance(self._pattern, re.Pattern):
            return self._pattern
        import regex

        return regex.compile(self._pattern, regex.VERSION1)

    def findall(self, text: str) -> list[str]:
        if is_plain(text):
            return self._plain.findall(text)
        found: list[str] = []
        for start, stop in lines(text):
            line = text[start:stop]
            found += (self._plain if is_plain(line) else self._full).findall(line)
        return found

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where each stands."""
        return [
            (start + m.start(), start + m.end())
            for start, stop in ([(0, len(text))] if is_plain(text) else lines(text))
            for line in [text[start:stop]]
            for m in (self._plain if is_plain(line) else self._full).finditer(line)
        ]


def is_plain(text: str, _special: Callable[[str], Any] = re.compile(f"[^{PLAIN}]").search) -> bool:
    """Whether the text has plain characters only."""
    return text.isascii() or _special(text) is None


def lines(text: str) -> Iterator[tuple[int, int]]:
    """Where each line stands, its end with it."""
    start = 0
    while start < len(text):
        stop = text.find("\n", start) + 1 or len(text)
        yield start, stop
        start = stop


_ANY = rf"(?:{_JOINED}|{_KATAKANA}|{_FLAG}|{_CLUSTER}){_JOINER}"
_SIGN = (  # a token that is no word
    rf"(?:(?![\p{{L}}\p{{N}}{_LETTER}])|(?={_KEYCAP}))(?:{_FLAG}|{_CLUSTER}){_JOINER}"
)

TOKENS = Rule(PLAIN_TOKEN, rf"\n|{_COMMON}|{_ANY}")
WORDS = Rule(PLAIN_WORD, rf"{_COMMON}|{_SIGN}(*SKIP)(*FAIL)|{_ANY}")
# the tokens and the blanks between them; joined they are the text
PIECES = Rule(rf"\s|{PLAIN_TOKEN}", rf"[\s\x1c-\x1f\u200b]|{_COMMON}|{_ANY}")
# for each half of a flag \X looks back over all flags before it
_PAIR = r"\p{GCB=Regional_Indicator}{2}[\p{GCB=Extend}\p{GCB=SpacingMark}\p{GCB=ZWJ}]*+"
_CLUSTERS = Rule("(?s).", rf"\r|\n|{_PAIR}|\X")
# Runs of Chinese, Japanese and Thai characters that are words, and the marks in them, which are none:
# to count words.
RUNS = re.compile(rf"([\u3041-\u3096\u3400-\u4dbf\u4e00-\u9fff]+|[{_THAI}][{_THAI}{_THAI_MARKS}]*)")
MARKS = re.compile(f"[{_THAI_MARKS}]")


def clusters(text: str) -> list[str]:
    """The characters that a reader sees; joined they are the text."""
    return list(text) if is_plain(text) else _CLUSTERS.findall(text)


def close_up(text: str) -> str:
    """Without the blanks between characters of scripts that write none: words put together again."""
    return text if is_plain(text) else str(_blanks().sub("", text))


@cache
def _blanks() -> Any:
    import regex

    one = r"\p{LB=SA}\p{Ideographic}\p{Script=Hiragana}\u3001-\u3011\uff01\uff0c\uff1a\uff1b\uff1f"
    run = rf"{one}\p{{Script=Katakana}}\u30fc"
    return regex.compile(rf"(?<=[{one}]) (?=[{run}])|(?<=[{run}]) (?=[{one}])")


def first(text: str, most: int) -> str:
    """Its first characters, none of them cut."""
    return text if len(text) <= most else "".join(clusters(text[: 8 * most])[:most])


def in_word(sign: str) -> bool:
    """Whether it is a letter or a digit, or one of the marks that belong to them."""
    return sign.isalnum() or category(sign)[0] == "M" or sign in "\u200c\u200d"


def is_word(text: str) -> bool:
    """Whether these are letters with their marks, and nothing else."""
    bare = "".join(c for c in text if c.isalpha() or not in_word(c) or c.isnumeric())
    return text.isalpha() or (bare.isalpha() and text[0] == bare[0])


def unspaced(text: str | Paged, some: int = 20_000) -> str:
    """What has to be said of a text where a fifth of the letters, or more, are of a script that
    writes no blanks; judged by its beginning."""
    text = text[:some]
    if is_plain(text):
        return ""
    import regex

    letters = len(regex.findall(r"\p{L}", text))
    alone = r"[\p{LB=SA}\p{Ideographic}\p{Script=Hiragana}\p{Script=Katakana}]"
    return UNSPACED if 5 * len(regex.findall(alone, text)) > letters else ""
