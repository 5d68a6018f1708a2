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

from engine.language.message import _, refusal
from engine.text import documents
from engine.text.collection import pairs as lines_of
from engine.text.collection.pairs import Pair
from engine.text.paged import Paged, Spool


@dataclass(frozen=True, slots=True)
class Gathered:
    """What `Library.add` takes: `content`, a passage or a pair a line, with the files it is from and
    what was done to them."""

    content: Paged
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
                _("{name}: {said}", name=documents.shorten_name(name), said=_(str(error)))
                if len(files) > 1
                else str(error)
            ) from error
        if sum(len(p.pages) for p in pieces) > documents.MOST_BYTES:
            raise refusal(
                "together the files have more than {most:,.0f} million characters; store them as"
                " several corpora",
                most=documents.MOST_BYTES / 1000000.0,
            )
    notes = tuple(
        f"{p.name}: {note}" if len(pieces) > 1 else note for p in pieces for note in p.notes
    )
    content, more = _content(pieces, kind)
    return Gathered(content, tuple(p.name for p in pieces), (*notes, *more))


def piece(one: documents.Piece, kind: str, source: str) -> Gathered:
    """One that is read already."""
    content, more = _content([one], kind)
    return Gathered(content, (source,), (*one.notes, *more))


def _content(pieces: list[documents.Piece], kind: str) -> tuple[Paged, list[str]]:
    if kind != "text" and any(p.cells > 1 for p in pieces):
        odd = next((p for p in pieces if p.cells != 2), None)
        if odd:
            raise refusal(
                "two columns are needed from each table, and {odd.name} gives {cells}",
                cells=odd.cells if odd.cells > 1 else _("none"),
            )
        rows = (_pair(line) for p in pieces for line in p.pages.each_line())
        return lines_of.written(rows, kind)
    if kind == "parallel" and len(pieces) == 2 and not any(_has_tab(p.pages) for p in pieces):
        first, second = pieces
        pairs = lines_of.align(first.pages, second.pages, (first.name, second.name))
        return lines_of.written(pairs, kind)
    text = join([p.pages for p in pieces])
    if kind != "text":
        lines_of.check(text, kind)
    return text, []


def join(texts: Sequence[Paged]) -> Paged:
    """One behind the other, each with an end of its last line."""
    if len(texts) == 1 and texts[0][len(texts[0]) - 1] == "\n":
        return texts[0]
    whole = Spool()
    for text in texts:
        for block in text.blocks():
            whole.write(block)
        if not block.endswith("\n"):
            whole.write("\n")
    return whole.close()


def _pair(line: str) -> Pair:
    first, __, second = line.partition("\t")
    return first, second


def _has_tab(text: Paged) -> bool:
    return any("\t" in block for block in text.blocks())
