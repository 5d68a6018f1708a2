"""Plain text: .txt, .md and every other file of lines.

What      decoded, cleaned and unwrapped by engine/text/read.py; Markdown stays as it is written
"""

from __future__ import annotations

from engine.text.documents.base import Document, Piece, Source
from engine.text.read import read, unwrap


def pieces(source: Source) -> list[Piece]:
    text, notes = read(source.raw)
    whole = unwrap(text) if source.join else text
    if whole != text:
        notes = (*notes, "lines of a paragraph joined to one passage")
    return [Piece(source.name, whole, "plain", notes)]


DOCUMENT = Document(
    "a plain text",
    ("txt", "md", "text"),
    lambda raw: False,
    pieces,
    rank=1000,
    label="text, Markdown",
)
