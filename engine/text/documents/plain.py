"""Plain text: .txt, .md and every other file of lines.

What      decoded, cleaned and unwrapped by engine/text/read.py; Markdown stays as it is written
"""

from __future__ import annotations

from engine.text.documents.base import Document, Piece, Source
from engine.text.paged import Spool
from engine.text.read import Blocks, Unwrapped


def pieces(source: Source) -> list[Piece]:
    blocks = Blocks(source.raw)
    whole = Unwrapped(blocks)
    text = Spool()
    for block in whole if source.join else blocks:
        text.write(block)
    joined = ("lines of a paragraph joined to one passage",) if whole.joined else ()
    return [Piece(source.name, text.close(), "plain", (*blocks.notes, *joined))]


DOCUMENT = Document(
    "a plain text",
    ("txt", "md", "text"),
    lambda raw: False,
    pieces,
    rank=1000,
    label="text, Markdown",
)
