"""Money: an amount with its sign becomes one mark.

What      $3.14, 5 €, £1,000 -> <MONEY>
Source    the course notes' example
Shapes    a change is one amount
Differs   Comes before numbers: afterwards $3.14 is $<NUM>, and no amount is found.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.text.preparation.base import Edit, Preparation

AMOUNT = re.compile(r"[$€£¥₹]\s?\d+(?:[.,]\d+)*|(?<![\w.,])\d+(?:[.,]\d+)*\s?[€£¥₹]")
CHOICES = {"mark": "<MONEY>", "plain": "MONEY"}


def edit(text: str, choice: str) -> Iterator[Edit]:
    for amount in AMOUNT.finditer(text):
        yield amount.start(), amount.end(), CHOICES[choice], "amount of money"


PREPARATION = Preparation(
    "Money",
    (
        "Every amount becomes the same word: the text still says that money was spent, but not how"
        " much."
    ),
    edit,
    CHOICES,
)
