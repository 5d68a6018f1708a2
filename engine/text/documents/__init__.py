"""Documents: the text out of whatever file a person brings.

What      the format is found by content first and by name second; a file that is not what its name
          says is read as what it is
Differs   Nothing of an upload is written to disk, unpickled, or looked up on the network; archives
          are read in memory, within bounds.
          Libraries for Word, HTML, EPUB and subtitles hold the whole text and more at once.  Of
          40 MB of prose, seconds and most memory here and there: Word 15 s and 145 MB, python-docx
          37 and 442; HTML 11.5 and 160, inscriptis 23 and 388; EPUB 11 and 155, ebooklib (which
          leaves the tags in) 3 and 378; SRT 21 and 171, srt (which joins nothing) 13 and 151.

    read("novel.epub", raw) -> [Piece(name, text, kind, notes)] columns("table.csv", raw) ->
    Sheet(names, first rows), None for what is no table read("table.csv", raw, columns=("label",
    "text"))  -> [Piece] with `rows`
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from engine.core.registry import documents
from engine.language.message import _, refusal
from engine.text.documents.base import Document, Piece, Sheet, Source, Tell, shorten_name
from engine.text.read import MOST_BYTES, load

__all__ = [
    "MOST_BYTES",
    "Piece",
    "Sheet",
    "columns",
    "endings",
    "kind",
    "labels",
    "packed",
    "read",
    "shorten_name",
]

PLAIN = "plain"


def read(
    name: str,
    raw: bytes | Path,
    columns: Sequence[str] | None = None,
    progress: Tell | None = None,
    *,
    join: bool = True,
) -> list[Piece]:
    """The texts of one file; several only where it is an archive.

    columns   the columns of a table to take, by name
    progress  is told the share done and what is done; what it raises ends the reading
    join      whether lines of a hard-wrapped paragraph become one passage; not for files that go
              line by line
    ValueError with one sentence that says what is wrong and what to do.
    """
    source = _source(name, raw, columns, progress, join)
    return read_source(source)


def columns(name: str, raw: bytes | Path) -> Sheet | None:
    """The columns of a table, or of the first table in an archive; None for a file that is none.
    ValueError as `read`."""
    return columns_of(_source(name, raw, None, None, True))


def kind(name: str, raw: bytes) -> str:
    """The id of the format: what the bytes say, or where they say nothing, what the name says."""
    for id in formats():
        if _format(id).known_by(raw):
            return id
    ending = Source(name, b"").ending
    named = (id for id in formats() if _format(id).by_name and ending in _format(id).endings)
    return next(named, PLAIN)


@cache
def formats() -> tuple[str, ...]:
    """The ids of all formats, in the order in which they are asked whether the bytes are theirs."""
    return tuple(sorted(documents.ids(), key=lambda id: (_format(id).rank, id)))


def endings() -> list[str]:
    """Of the names of files that can be read, without the dot."""
    return [ending for id in formats() for ending in _format(id).endings]


def labels() -> str:
    """What files can be read, for a sentence: "text, Markdown, web page"."""
    plainest_first = [_format(id) for id in reversed(formats())]
    return ", ".join(one.label or ", ".join(one.endings) for one in plainest_first)


def is_packed(name: str, raw: bytes) -> bool:
    """Whether a file has to be unpacked, which takes longer than reading it; its first bytes are
    enough."""
    found, ending = _format(kind(name, raw)), Source(name, b"").ending
    return set(found.packed) == set(found.endings) or any(
        ending in _format(id).packed for id in formats()
    )


def read_source(source: Source) -> list[Piece]:
    id = kind(source.name, source.raw)
    if not source.raw:
        raise ValueError("the file is empty; there is nothing to read")
    source.bounds.check_time()
    pieces = _format(id).read(source)
    note = _misnamed(source, id)
    return [
        replace(p, content=p.pages, notes=(note, *p.notes) if note else p.notes) for p in pieces
    ]


def columns_of(source: Source) -> Sheet | None:
    return _format(kind(source.name, source.raw)).columns(source) if source.raw else None


@cache
def _format(id: str) -> Document:
    found: Document = documents.get(id)
    return found


def _misnamed(source: Source, id: str) -> str:
    """What a file is, where its name says something else."""
    claimed = next((k for k in formats() if source.ending in _format(k).endings), id)
    return (
        ""
        if claimed == id
        else _(
            "named .{ending}, but it is {title} and was read as one",
            ending=source.ending,
            title=_(_format(id).title),
        )
    )


def _source(
    name: str, raw: bytes | Path, columns: Sequence[str] | None, progress: Tell | None, join: bool
) -> Source:
    if isinstance(raw, Path):
        raw = load(raw, MOST_BYTES)
    elif len(raw) > MOST_BYTES:
        raise refusal(
            "the file has {raw:,.1f} MB and at most {most:,.1f} MB are read; cut it into parts",
            raw=len(raw) / 1000000.0,
            most=MOST_BYTES / 1000000.0,
        )
    return Source(
        shorten_name(name),
        raw,
        tuple(columns) if columns else None,
        join,
        progress or (lambda share, what: None),
    )
