"""Paged: a stored text that stays in its file.

Differs   Of pairs the texts alone are there, a line each, as in `pairs.strip_labels`.
"""

from __future__ import annotations

from engine.text.collection import pairs
from engine.text.collection.store import Stored
from engine.text.paged import BLOCK, Paged


class PagedCorpus(Paged):
    """LookupError with one sentence where the file is gone or was changed."""

    def __init__(self, corpus: Stored, block: int = BLOCK) -> None:  # of four bytes or more
        super().__init__()
        self.corpus = corpus
        with corpus.opened() as file:
            self.index(file, block, whole_lines=corpus.kind in pairs.ALIKE)

    def stretch(self, start: int, stop: int) -> bytes:
        with self.corpus.opened() as file:
            file.seek(start)
            return file.read(stop - start)

    def decoded(self, raw: bytes) -> str:
        return pairs.strip_labels(super().decoded(raw), self.corpus.kind)
