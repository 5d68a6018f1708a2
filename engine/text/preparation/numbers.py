"""Numbers: every number becomes one mark, or is written in words.

What      25 -> <NUM>, or twenty-five
Source    Sproat et al., Normalization of Non-Standard Words, 2001
Shapes    a change is one number
Differs   Digits inside a word (B2B) are left alone.  Numbers of more than nine digits are said
          digit by digit, years as numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.language.message import _
from engine.text.preparation.base import Edit, Preparation

NUMBER = re.compile(r"(?<![\w.])\d+(?:,\d{3})*(?:\.\d+)?(?!\w)", re.ASCII)
CHOICES = {"mark": "<NUM>", "plain": "NUM", "spell": "in words"}
ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen".split()
)
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
SCALES = ((10**6, "million"), (10**3, "thousand"), (100, "hundred"))


def spelled(n: int) -> str:
    """0 to 999,999,999 in words."""
    for size, word in SCALES:
        if n >= size:
            rest = n % size
            return f"{spelled(n // size)} {word}" + (f" {spelled(rest)}" if rest else "")
    if n < 20:
        return ONES[n]
    return TENS[n // 10 - 2] + (f"-{ONES[n % 10]}" if n % 10 else "")


def spell_number(number: str) -> str:
    whole, __, part = number.replace(",", "").partition(".")
    digits = " ".join(ONES[int(d)] for d in part)
    front = spelled(int(whole)) if len(whole) <= 9 else " ".join(ONES[int(d)] for d in whole)
    return _("{front} point {digits}", front=front, digits=digits) if part else front


def edit(text: str, choice: str) -> Iterator[Edit]:
    for number in NUMBER.finditer(text):
        yield (
            number.start(),
            number.end(),
            spell_number(number[0]) if choice == "spell" else CHOICES[choice],
            "number",
        )


PREPARATION = Preparation(
    "Numbers",
    "Every number becomes the same word, or is written out: 24 and 25 then need no vocabulary"
    " entries of their own.",
    edit,
    CHOICES,
)
