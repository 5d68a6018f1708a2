"""Zipped: the file of word vectors in a zip, read as it is unpacked.

What      the first file that may hold vectors, and the list of words beside it, where there is one
Source    PKWARE, .ZIP File Format Specification; GloVe's and fastText's makers give theirs out as
          zips, of several files
Differs   Bounds are those of other archives (engine/text/documents/members.py); no file is unpacked
          whole.
"""

from __future__ import annotations

import io
import mmap
import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any

from engine.language.message import _, refusal
from engine.storage.packed import AHEAD, unpack
from engine.text.documents.base import MOST_MEMBERS, shorten_name
from engine.text.documents.members import AGAIN, DAMAGED, LISTED, check

ZIP = b"PK\x03\x04"
NO_VECTORS = re.compile(
    r"(?:^|/)(?:\.|__macosx/|read\W?me|licen[cs]e|notice|changes)|"
    r"\.(?:md|pdf|html?|json|docx?|py|png|jpe?g)$",
    re.IGNORECASE,
)
FASTTEXT_BINARY = ".bin"  # stands beside the same vectors as text


class Zipped:
    """An open zip.  ValueError with one sentence where it is damaged, or lists too much."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as raw:
            # counted first, because opening it lists them all
            for count, __ in enumerate(re.finditer(re.escape(LISTED), raw)):
                if count > MOST_MEMBERS:
                    raise refusal("it has more than {MOST_MEMBERS:,} files; unpack it first")
        try:
            self._zip = zipfile.ZipFile(path)
        except DAMAGED as error:
            raise ValueError(AGAIN) from error
        files = [info for info in self._zip.infolist() if not info.is_dir()]
        self.files = [info for info in files if not NO_VECTORS.search(info.filename)]

    def close(self) -> None:
        self._zip.close()

    def names(self) -> list[str]:
        return [info.filename for info in self.files]

    @contextmanager
    def opened(self, name: str) -> Iterator[io.BufferedReader[Any]]:
        """The bytes of one of its files."""
        info = next(info for info in self.files if info.filename == name)
        check(info)
        try:
            member: Any = self._zip.open(info)
            with io.BufferedReader(member, AHEAD) as file, unpack(file) as plain:
                yield plain
        except DAMAGED as error:
            if isinstance(error, ValueError) and not isinstance(error, UnicodeError):
                raise
            raise refusal("{name}: {again}", name=shorten_name(name), again=_(AGAIN)) from error


def chosen(names: list[str], metadata: re.Pattern[str]) -> str:
    """The file to read: text before fastText's .bin.  ValueError where there is none."""
    tables = [name for name in names if not metadata.fullmatch(PurePosixPath(name).name)]
    if not tables:
        raise ValueError("there is no file of word vectors in it")
    return next((name for name in tables if not name.endswith(FASTTEXT_BINARY)), tables[0])
