"""Notes: a note of ABC with its length is a token, and so are a bar line and a metre; blanks may stand between them
or not.

What      the `size` commonest notes of the training text; every other sign is read as <unk>
Source    what the letters mean: engine/text/notes.py
Shapes    as in words.py
Differs   A note that may be written in several ways is one token: ^A is _B, c1 is c.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import final

import numpy as np

from engine.text.notes import METRE, NOTE, plain
from engine.text.segmentation import Rule
from engine.text.tokenizers.base import Tokens
from engine.text.tokenizers.words import END, Words

SIGNS = rf"\n|{METRE}|{NOTE}|\||[^\s]"


@final
class Notes(Words):
    id = "notes"
    title, short, rank = "Notes of ABC", "notes", 45
    says = "notes with their length, bar lines and metres; any other sign is unknown"
    rule = Rule(SIGNS, re.compile(SIGNS))

    def encode(self, text: str) -> Tokens:
        spans = self.rule.spans(text)
        words = [text[start:stop] for start, stop in spans]
        ids = np.array([self._id.get(plain(word), 0) for word in words], np.int64)
        labels = tuple(END if word == "\n" else word for word in words)
        return Tokens(ids, labels, tuple(spans), tuple(np.flatnonzero(ids == 0).tolist()))

    @classmethod
    def _chosen(cls, counts: Counter[str], size: int) -> list[str]:
        notes: Counter[str] = Counter()
        for word, n in counts.items():
            notes[plain(word)] += n
        return super()._chosen(notes, size)

    def ids(self, lines: Iterable[str]) -> list[np.ndarray]:
        return [np.fromiter(self._numbers(line), np.int64) for line in lines]

    def _numbers(self, line: str) -> Iterator[int]:
        return (self._id.get(plain(word), 0) for word in self.rule.findall(line))

    def stream(self, lines: Iterable[str]) -> np.ndarray:
        return super(Words, self).stream(lines)


TOKENIZER = Notes
