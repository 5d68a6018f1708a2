"""The tokenizers of the page, shipped ones and those that somebody brings along, and how each cuts
a text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from engine.text.tokenizer_comparison import shipped
from engine.text.tokenizer_comparison.compare import Measure, measure
from engine.text.tokenizers.base import Tokenizer, Tokens

MOST = 800  # characters shown at once


@dataclass(frozen=True, eq=False)
class Row:
    """One tokenizer of the stack: a shipped one, at any size, or one that somebody brought
    along."""

    id: str
    title: str
    short: str
    says: str
    own: Tokenizer | None = None

    def at(self, size: int) -> tuple[Tokenizer, np.ndarray | None]:
        """The tokenizer, and bits of each of its pieces, where they were counted."""
        if self.own is not None:
            return self.own, None
        counted = size if len(shipped.sizes(self.id)) > 1 else shipped.SIZES[-1]
        return shipped.opened(self.id, counted), shipped.bits(self.id, counted)


SHIPPED = tuple(Row(item.id, item.title, item.short, item.says) for item in shipped.ALL)
MANY = Row(shipped.MANY.id, shipped.MANY.title, shipped.MANY.short, shipped.MANY.says)


def cut(row: Row, size: int, text: str) -> tuple[Tokens, Measure]:
    return _kept(row, size, text) if len(text) <= MOST else _cut(row, size, text)


@lru_cache(200)
def _kept(row: Row, size: int, text: str) -> tuple[Tokens, Measure]:
    return _cut(row, size, text)


def _cut(row: Row, size: int, text: str) -> tuple[Tokens, Measure]:
    tokenizer, bits_V = row.at(size)
    tokens = tokenizer.encode(text)
    return tokens, measure(tokenizer, tokens, text, bits_V)


def size_of(*asked: Mapping[str, Any]) -> int:
    """The vocabulary size that is chosen: of several places that may say it the last one that
    does."""
    found = [place["size"] for place in asked if isinstance(place.get("size"), int)]
    return shipped.nearest(found[-1]) if found else shipped.FIRST
