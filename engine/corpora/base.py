"""Corpus: a text to learn from, with its name and its licence."""

from __future__ import annotations

from typing import Protocol, runtime_checkable


@runtime_checkable
class Corpus(Protocol):
    """`says` is one sentence for the reader; `licence` names under what terms the text may be used."""

    id: str
    title: str
    says: str
    licence: str

    def text(self) -> str:
        """One passage a line, the same at every call.  LookupError with a sentence where the text can't be had."""
        ...
