"""Pieces: the tokens of a long text, cut a piece at a time, so that a key cuts only the piece it
stands in.

What      tokens(a + b) = tokens(a), then tokens(b) without its start mark, where a ends in a line
          end: every tokenizer reads line by line.  A piece is the lines up to the first line end
          after PIECE characters
Shapes    T = tokens
Differs   A line that is longer than a piece is a piece.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Protocol

import numpy as np

from engine.core.cache import remembered
from engine.text.tokenizers.base import Tokens


class Cuts(Protocol):
    """Whoever cuts texts: a model, or a tokenizer alone."""

    def tokens(self, text: str) -> Tokens: ...
    def marks(self) -> Tokens: ...


PIECE = 2_000  # characters
PIECES, TEXTS = 200, 6  # how many are kept


@remembered(TEXTS)
def tokens(model: Cuts, text: str) -> Tokens:
    """The same as `model.tokens(text)`.  Where a text has a source before it, that can't be told
    piece by piece."""
    empty = model.tokens("")
    if empty.source is not None or len(empty) > max(1, len(model.marks())):  # a conversation's
        return model.tokens(text)
    parts = [_piece(model, piece, at) for at, piece in _pieces(text)]
    before = np.cumsum([0, *map(len, parts)]).tolist()
    return Tokens(
        np.concatenate([part.ids for part in parts]),
        tuple(chain.from_iterable(part.labels for part in parts)),
        tuple(chain.from_iterable(part.spans for part in parts)),
        tuple(u + n for part, n in zip(parts, before, strict=False) for u in part.unknown),
        lost=tuple(chain.from_iterable(part.lost for part in parts)),
    )


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """(place, piece), at least one."""
    at = 0
    while at < len(text) or at == 0:
        stop = text.find("\n", at + PIECE) + 1 or len(text)
        yield at, text[at:stop]
        at = stop or 1


@remembered(PIECES)
def _piece(model: Cuts, piece: str, at: int) -> Tokens:
    if at == 0:
        return model.tokens(piece)
    return model.tokens(piece)[len(model.marks()) :].moved(at)
