"""Members: the files in a zip, unpacked in memory, within bounds.

What      each member is read no further than the bytes that are left, and refused where it was
          packed more than MOST_RATIO to one
Source    PKWARE, .ZIP File Format Specification; the attacks: Fifield, A better zip bomb, 2019
          (files that overlap)
Differs   Names are only shown and looked up in the archive itself; nothing is ever written to a
          path that an archive names.
"""

from __future__ import annotations

import io
import stat
import struct
import zipfile
import zlib

from engine.language.message import _, refusal
from engine.text.documents.base import (
    MOST_MEMBERS,
    MOST_RATIO,
    SMALL,
    Source,
    TooMuch,
    shorten_name,
)

LISTED = b"PK\x01\x02"  # each member has one in the directory; files inside unpacked archives too
KNOWN = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
DAMAGED = (
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    OverflowError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    IndexError,
    KeyError,
)
AGAIN = "it is damaged or cut off; take a new copy"


class Members:
    """An open zip.  ValueError with one sentence when it is damaged or has too many files."""

    def __init__(self, source: Source) -> None:
        # counted first, because opening it lists them all
        if source.raw.count(LISTED) > 10 * MOST_MEMBERS:
            raise TooMuch(
                _(
                    "it has more than {most:,} files and at most {most_2:,} are read; pack fewer"
                    " together",
                    most=10 * MOST_MEMBERS,
                    most_2=MOST_MEMBERS,
                )
            )
        self.source = source
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(source.raw))
        except DAMAGED as error:
            raise ValueError(AGAIN) from error
        packed = sum(info.compress_size for info in self._zip.infolist())
        if packed > len(source.raw):
            raise TooMuch("its files overlap, as those of no honest archive do; pack them again")
        self.files = [info for info in self._zip.infolist() if not info.filename.endswith("/")]
        self._named = {info.filename: info for info in self.files}

    def __contains__(self, name: str) -> bool:
        return name in self._named

    def named(self, name: str) -> bytes:
        """The bytes of a member by its name.  ValueError where there is none."""
        if name not in self._named:
            raise refusal("{name} is missing in it; take a new copy", name=shorten_name(name))
        return self.content(self._named[name])

    def content(self, info: zipfile.ZipInfo) -> bytes:
        """The bytes of one member, counted.  ValueError with one sentence; TooMuch where a bound of
        the whole upload is reached."""
        check(info)
        try:
            with self._zip.open(info) as file:
                raw = file.read(min(info.file_size, self.source.bounds.size_bytes) + 1)
        except DAMAGED as error:
            raise ValueError(AGAIN) from error
        self.source.bounds.take(len(raw))
        return raw


def names(raw: bytes) -> frozenset[str]:
    """The names in a zip; none where it is damaged or lists too many."""
    try:
        return (
            frozenset(info.filename for info in Members(Source("", raw)).files)
            if raw.startswith(b"PK\x03\x04")
            else frozenset()
        )
    except ValueError:
        return frozenset()


def check(info: zipfile.ZipInfo) -> None:
    """ValueError for a member that is not to be opened."""
    if stat.S_ISLNK(info.external_attr >> 16):
        raise ValueError("it is a link to another place, which is not followed")
    if info.flag_bits & 1:
        raise ValueError("it is locked with a password; pack it again without one")
    if info.compress_type not in KNOWN:
        raise ValueError(
            "it is packed in a way that is not known here; pack it again as an ordinary zip"
        )
    check_ratio(info.filename, info.compress_size, info.file_size)


def check_ratio(name: str, packed: int, unpacked: int) -> None:
    if unpacked > max(SMALL, MOST_RATIO * packed):
        raise TooMuch(
            _(
                "{name} would unpack to {unpacked:,.0f} times its size, as no text does;"
                " unpack it yourself if you trust it",
                name=shorten_name(name),
                unpacked=unpacked / max(packed, 1),
            )
        )
