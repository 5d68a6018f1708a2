"""Packed: a file read as what it holds, whether it is packed or not.

What      gzip, bzip2 and xz, told by their first bytes, not by a name; unpacked as it is read
Source    gzip: RFC 1952; bzip2: Seward, bzip2 and libbzip2; xz: The .xz File Format, 1.2
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from engine.language.message import _, refusal

AHEAD = 1 << 20  # bytes read at once
OPENERS: tuple[tuple[re.Pattern[bytes], Any], ...] = (
    (re.compile(rb"\x1f\x8b"), gzip.open),
    (re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)"), bz2.open),
    (re.compile(rb"\xfd7zXZ\0"), lzma.open),
)
DAMAGED = (OSError, EOFError, zlib.error, lzma.LZMAError)


@contextmanager
def open_file(path: Path) -> Iterator[io.BufferedReader[Any]]:
    """The bytes of a file.  ValueError where they can't be read, for the whole block: damage may
    be found at the end only."""
    try:
        with (
            io.BufferedReader(path.open("rb", buffering=0), AHEAD) as file,
            unpack(file) as plain,
        ):
            yield plain
    except DAMAGED as error:
        raise refusal(
            "{path.name} can't be read: {said}", said=_(str(error) or "it ends too early")
        ) from error


@contextmanager
def unpack(file: io.BufferedReader[Any]) -> Iterator[io.BufferedReader[Any]]:
    """The bytes of an open file; one of DAMAGED where it is cut off or damaged."""
    start = file.peek(16)
    opener = next((opener for magic, opener in OPENERS if magic.match(start)), None)
    if opener is None:
        yield file
    else:
        with opener(file) as packed, io.BufferedReader(packed, AHEAD) as plain:
            yield plain
