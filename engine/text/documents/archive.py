"""Archives: .zip and .gz, and the files of any format in them.

What      every file in the archive is read as if it had come alone; what can't be read is left out
          and named in a note
Source    PKWARE, .ZIP File Format Specification; RFC 1952, GZIP file format specification
Differs   Bounded in files, depth, bytes, packing ratio and time; a bound that is reached ends the
          reading of the whole archive.
          Hidden files and those that systems add by themselves are left out without a word.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import replace

from engine.language.message import _
from engine.text.documents.base import (
    MOST_DEPTH,
    MOST_RATIO,
    SMALL,
    Document,
    Piece,
    Sheet,
    Source,
    TooMuch,
    shorten_name,
)
from engine.text.documents.members import AGAIN, Members

CHUNK = 1 << 20
SHORT = 1 << 10  # what a part of a gzip file is tried with first: there may be a million short ones
NAMED = 5  # files left out that a note names
ZIP, EMPTY_ZIP, GZIP = b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b"
TAR_SIGN = slice(257, 262)
OWN = {"text.txt", "about.json"}  # a corpus that was exported: engine/text/collection/store.py
OFFICE = (  # documents that are zips inside, by a file that each of them has
    ("xl/workbook.xml", "this is a spreadsheet; save it as .csv"),
    ("ppt/presentation.xml", "these are slides; save their text as plain text"),
    ("content.xml", "this is an OpenDocument; save it as .docx or as plain text"),
)


def pieces(source: Source) -> list[Piece]:
    from engine.text.documents import read_source

    found: list[Piece] = []
    left_out: list[str] = []
    for member, problem in _members(source):
        if member is None:
            left_out.append(problem)
            continue
        try:
            found += read_source(member)
        except TooMuch:
            raise
        except ValueError as error:
            left_out.append(f"{member.name}: {error}")
    if not found:
        raise ValueError(
            _("no file in it can be read; {left_out}", left_out=left_out[0])
            if left_out
            else "there is no file in the archive"
        )
    if left_out:
        more = (
            _("; and {left_out:,} more", left_out=len(left_out) - NAMED)
            if len(left_out) > NAMED
            else ""
        )
        note = _(
            "{left_out:,} {left_out|file|files} of {name} left out: {left_out_2}{more}",
            left_out=len(left_out),
            name=source.name,
            left_out_2="; ".join(left_out[:NAMED]),
            more=more,
        )
        found[0] = replace(found[0], notes=(note, *found[0].notes))
    return found


def columns(source: Source) -> Sheet | None:
    """Those of the first table in it."""
    from engine.text.documents import columns_of

    for member, __ in _members(source):
        if member is not None and (sheet := columns_of(member)) is not None:
            return sheet
    return None


def _members(source: Source) -> Iterator[tuple[Source | None, str]]:
    """Each file in the archive, or (None, why not)."""
    if source.depth >= MOST_DEPTH:
        raise TooMuch(
            _(
                "it has archives in archives, more than {most} deep; unpack it and give the files",
                most=MOST_DEPTH,
            )
        )
    if source.raw.startswith(GZIP):
        raw = _gunzip(source)
        name = source.name[:-3] if source.name.lower().endswith(".gz") else source.name
        if raw[TAR_SIGN] == b"ustar":
            raise ValueError("this is a tar archive; pack the files as a .zip")
        yield source.member(name, raw), ""
        return
    archive = Members(source)
    for name, problem in OFFICE:
        if name in archive:
            raise ValueError(problem)
    files = [info for info in archive.files if not _hidden(info.filename)]
    if {info.filename for info in files} == OWN:
        files = [info for info in files if info.filename == "text.txt"]
    for n, info in enumerate(files):
        source.bounds.members -= 1
        if source.bounds.members < 0:
            raise TooMuch("it has too many files; pack fewer together")
        source.bounds.check_time()
        source.tell(n / len(files), _("reading {filename}", filename=shorten_name(info.filename)))
        name = shorten_name(f"{source.name} › {info.filename}")
        try:
            yield source.member(name, archive.content(info)), ""
        except TooMuch:
            raise
        except ValueError as error:
            yield None, f"{name}: {error}"


def _hidden(name: str) -> bool:
    places = name.replace("\\", "/").split("/")
    return (
        places[0] == "__MACOSX"
        or places[-1].startswith(".")
        or places[-1] in ("Thumbs.db", "desktop.ini", "")
    )


def _gunzip(source: Source) -> bytes:
    """All parts of a gzip file, one behind the other."""
    parts: list[bytes] = []
    raw, at, total = memoryview(source.raw), 0, 0
    while raw[at : at + 2] == GZIP:
        stream, step = zlib.decompressobj(wbits=31), SHORT
        try:
            while not stream.eof:
                given = raw[at : at + step]
                part = stream.decompress(given, CHUNK)
                at += len(given) - len(stream.unconsumed_tail) - len(stream.unused_data)
                step = CHUNK
                if not part and at == len(raw) and not stream.eof:
                    raise ValueError(AGAIN)
                total += len(part)
                source.bounds.take(len(part))
                if total > max(SMALL, MOST_RATIO * len(source.raw)):
                    raise TooMuch(
                        "it unpacks to far more than a text would; unpack it yourself if you"
                        " trust it"
                    )
                parts.append(part)
        except zlib.error as error:
            raise ValueError(AGAIN) from error
    return b"".join(parts)


DOCUMENT = Document(
    "an archive",
    ("zip", "gz"),
    lambda raw: raw.startswith((ZIP, EMPTY_ZIP, GZIP)),
    pieces,
    columns,
    rank=40,
    packed=("zip", "gz"),
    label="ZIP, GZ",
)
