"""Next sign: what a model of any vocabulary says about the next character, so that models with
different ones can be compared.

What      q(c) = sum of P(w | text so far) over the tokens w that begin with c, at a place where a
          token has ended.
          Where a reader of words takes part, which never writes a blank, all are asked for the next
          character after the
          blank: q(c) = sum of P(w) over tokens whose first sign that is no blank is c, + P(blank)
          sum of P(w | blank) over the same
Source    the sum rule; the idea of a byte-level view of any tokenizer: Vieira et al., From Language
          Models over Tokens to Language Models over Characters, 2025, sec. 2
Shapes    T = tokens, V = vocabulary, C = signs that all models know, and one more for everything
          else
Differs   Exact for a place where a token has ended and for tokens as the tokenizer cuts them.
          Signs that not all models know, unknown words, parts of characters and a second blank
          count together as one sign; joining outcomes never makes two distributions differ more, so
          what is measured over signs is at most what they differ by in truth.
          Over blanks only where the text has one: only there has a reader of characters said what
          comes after it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from engine.core.cache import remembered
from engine.core.trace import Trace
from engine.models.base import Model
from engine.text.tokenizers.words import START

BLANK = " "
MARK = re.compile(r"<\|.*\|>|\[(PAD|UNK|CLS|SEP|MASK|unk)\]|</?(s|unk|pad)>")
BYTES = re.compile(r"(<(0x)?[0-9A-F]{2}>)+")  # no character, or not yet


def writes_blanks(tokenizer: Any) -> bool:
    """Whether blanks are part of its tokens; a reader of words has none."""
    return any(BLANK in piece for piece in tokenizer.vocab)


@remembered(64)
def signs(tokenizer: Any, skip: bool, fold: bool) -> tuple[str, ...]:
    """Per token the sign it begins with; "" for what is no text.  `skip`: blanks before it are
    passed over, BLANK where there is nothing else."""
    found = []
    for id, piece in enumerate(tokenizer.vocab):
        if id == tokenizer.boundary:
            sign = "\n"
        elif (
            id == tokenizer.unknown
            or piece == START
            or MARK.fullmatch(piece)
            or BYTES.fullmatch(piece)
            or not piece
        ):
            sign = ""
        else:
            sign = (piece.lstrip(BLANK) or BLANK)[0] if skip else piece[0]
        found.append(sign.lower()[:1] if fold else sign)
    return tuple(found)


class NextSign:
    """The signs that all these models know, and what each says of them.  ValueError where a model
    has no vocabulary of text."""

    def __init__(self, models: Sequence[Model[Any]]) -> None:
        tokenizers = [model.tokenizer for model in models]
        self.skip = not all(map(writes_blanks, tokenizers))
        fold = any(t.lowercase for t in tokenizers)
        self._of = [signs(t, self.skip, fold) for t in tokenizers]
        known = set.intersection(*map(set, self._of)) - {"", BLANK if self.skip else ""}
        self.signs = tuple(sorted(known))
        place = {sign: c for c, sign in enumerate(self.signs)}
        self._column = [np.array([place.get(sign, len(place)) for sign in of]) for of in self._of]
        self._blank = [
            np.array([sign == BLANK for sign in of]) if self.skip else np.zeros(len(of), bool)
            for of in self._of
        ]

    def sums(self, m: int, p_TV: np.ndarray) -> np.ndarray:
        """(T, C) of rows of model m; the last column is everything else."""
        column_V = self._column[m]
        order = np.argsort(column_V, kind="stable")
        firsts = np.flatnonzero(np.diff(column_V[order], prepend=-1))
        q_TC = np.zeros((len(p_TV), len(self.signs) + 1))
        q_TC[:, column_V[order][firsts]] = np.add.reduceat(
            p_TV[:, order].astype(np.float64), firsts, axis=1
        )
        return q_TC

    def places(self, text: str, cuts: Sequence[int]) -> list[int]:
        """The common cuts at which all models can be asked: with `skip` only those before a blank
        that has been read past."""
        return [
            c
            for c in cuts
            if not self.skip
            or (c + 1 < len(text) and text[c] == BLANK and not text[c + 1].isspace())
        ]

    def at(self, m: int, trace: Trace, cuts: Sequence[int]) -> np.ndarray:
        """(cuts, C): what model m says at each of these places of its trace."""
        p_TV = trace.field("probability").values
        row = {stop: t for t, (_, stop) in enumerate(trace.spans)}  # the last token that ends there
        at = np.array([row[c] for c in cuts], int)
        q_KC = self.sums(m, p_TV[at])
        if not self.skip or not self._blank[m].any():
            return q_KC
        for k, t in enumerate(at.tolist()):
            if t + 1 < len(p_TV) and self._blank[m][id := int(trace.ids[t + 1])]:
                p = float(p_TV[t, id])
                q_KC[k] += p * self.sums(m, p_TV[t + 1 : t + 2])[0]
                q_KC[k, -1] -= p  # it stood among everything else
        return np.maximum(q_KC, 0)
