"""Gather: files of any format become what the store takes: one text, or pairs.

What      text: all files one behind the other · labelled, tagged: two columns of a table, or files
          that are written so parallel: two columns, two files line by line, or files that are
          written so
Shapes    columns are (label, text), (text, translation) or (words, tags), by name; one column for a
          plain text
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.text import documents
from engine.text.collection import pairs as lines_of
from engine.text.collection.pairs import Pair


@dataclass(frozen=True, slots=True)
class Gathered:
    """What `Library.add` takes: `content` with the files it is from and what was done to them."""

    content: str | list[Pair]
    source: tuple[str, ...]
    notes: tuple[str, ...]


def gather(
    files: Sequence[tuple[str, bytes | Path]],
    kind: str = "text",
    columns: Sequence[str] | None = None,
    progress: Callable[[float, str], None] = lambda share, what: None,
) -> Gathered:
    """ValueError with one sentence, the file's name in front where there are several."""
    if not files:
        raise ValueError("there is no file; give one or more")
    pieces: list[documents.Piece] = []
    for n, (name, raw) in enumerate(files):

        def tell(share: float, what: str, n: int = n) -> None:
            progress((n + share) / len(files), what)

        try:
            pieces += documents.read(name, raw, columns, tell, join=kind == "text")
        except ValueError as error:
            raise ValueError(
                f"{documents.shown(name)}: {error}" if len(files) > 1 else str(error)
            ) from error
        if sum(len(p.text) for p in pieces) > documents.MOST_BYTES:
            raise ValueError(
                f"together the files have more than {documents.MOST_BYTES / 1e6:,.0f} million"
                " characters; store them as several corpora"
            )
    notes = tuple(
        f"{p.name}: {note}" if len(pieces) > 1 else note for p in pieces for note in p.notes
    )
    return Gathered(_content(pieces, kind), tuple(p.name for p in pieces), notes)


def _content(pieces: list[documents.Piece], kind: str) -> str | list[Pair]:
    if kind != "text" and any(p.rows for p in pieces):
        odd = next((p for p in pieces if not p.rows or len(p.rows[0]) != 2), None)
        if odd:
            raise ValueError(
                f"two columns are needed from each table, and {odd.name} gives"
                f" {len(odd.rows[0]) if odd.rows else 'none'}"
            )
        return [(row[0], row[1]) for p in pieces for row in p.rows]
    if kind == "parallel" and len(pieces) == 2 and not any("\t" in p.text for p in pieces):
        first, second = pieces
        return lines_of.aligned(first.text, second.text, (first.name, second.name))
    return "".join(p.text if p.text.endswith("\n") else f"{p.text}\n" for p in pieces)
