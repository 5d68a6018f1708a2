"""Source: a public collection, as a person has it on disk, becomes the one text that models learn
from.

What      `text` is what is learned from, `unseen` whole texts that are kept back for judging; both
          one passage a line, and the same for the same files on every machine
Differs   The files are looked for by name in one folder, packed or unpacked, and only read.  The
          built-in texts of engine/text/corpora are sources that need no file.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.core.registry import corpora, sources
from engine.text.read import read

MOST_BYTES = 1_000_000_000  # unpacked, all files of a collection together
PACKED: Mapping[str, Callable[..., Any]] = {".xz": lzma.open, ".gz": gzip.open, ".bz2": bz2.open}
DAMAGED = (
    tarfile.TarError,
    zipfile.BadZipFile,
    lzma.LZMAError,
    zlib.error,
    gzip.BadGzipFile,
    EOFError,
    NotImplementedError,
    RuntimeError,
)

Files = Mapping[str, Path]  # what a collection is made of, and where each part lies


@dataclass(frozen=True, slots=True)
class Source:
    """`files`: per part of the collection the names that it may have in a person's folder.  `link`:
    where it can be had.

    `learn` writes the text to learn from; `kept_back`, by a name for the reader, the texts to judge
    by.  Where there are none, models are judged by passages of the text that they were not shown.
    """

    title: str
    licence: str
    link: str
    learn: Callable[[Files], str]
    files: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    kept_back: Mapping[str, Callable[[Files], str]] = field(default_factory=dict)

    def found(self, data: Path | None) -> Files:
        """LookupError with one sentence when a part is missing."""
        here: dict[str, Path] = {}
        for part, names in self.files.items():
            if data is None:
                raise LookupError(
                    f"{self.title}: say with --data in which folder {' or '.join(names)} lies; get"
                    f" it from {self.link}"
                )
            there = [data / name for name in names if (data / name).exists()]
            if not there:
                raise LookupError(
                    f"{self.title}: there is no {' or '.join(names)} in {data}; get it from"
                    f" {self.link}"
                )
            here[part] = there[0]
        return here

    def text(self, data: Path | None, most_characters: int = 0) -> str:
        """At most so many characters, up to the end of a line; 0: all.  ValueError when a file is
        damaged."""
        text = _cleaned(self.learn(self.found(data)))
        return (
            text[: text.rfind("\n", 0, most_characters) + 1]
            if 0 < most_characters < len(text)
            else text
        )

    def unseen(self, data: Path | None) -> dict[str, str]:
        found = self.found(data) if self.kept_back else {}
        return {name: _cleaned(write(found)) for name, write in self.kept_back.items()}

    @property
    def facts(self) -> dict[str, str]:
        """What a run says of the text that it learned from."""
        return {
            "name": self.title,
            "licence": self.licence,
            **({"link": self.link} if self.link else {}),
        }


def find(id: str) -> Source:
    """A collection, or a built-in text, by its id.  KeyError that names what there is."""
    if id in sources.ids():
        found: Source = sources.get(id)
        return found
    if id not in corpora.ids():
        raise KeyError(f"no source {id!r}; there are {', '.join([*sources.ids(), *corpora.ids()])}")
    corpus = corpora.get(id)
    return Source(corpus.title, corpus.licence, "", lambda files: str(corpus.text()))


def lines_of(raw: bytes, encoding: str = "utf-8") -> str:
    """Decoded, damaged places and all, with line ends as "\\n"."""
    return raw.decode(encoding, "replace").replace("\r\n", "\n").replace("\r", "\n")


def content(path: Path) -> bytes:
    """The bytes of one file, unpacked.  ValueError with one sentence when it is damaged or far too
    large."""
    try:
        with PACKED.get(path.suffix, open)(path, "rb") as file:
            return _bounded(file.read(MOST_BYTES + 1), path)
    except DAMAGED as error:
        raise ValueError(f"{path} is damaged: {error}; take a new copy") from error


def members(path: Path) -> list[tuple[str, bytes]]:
    """(name, bytes) of the files in a folder, a .zip or a .tar, packed or not, in the order of
    their names.  As `content`."""
    left, found = MOST_BYTES, []
    try:
        for name, raw in _files(path):
            if not any(part.startswith((".", "__MACOSX")) for part in name.split("/")):
                left -= len(_bounded(raw, path, left))
                found.append((name, raw))
    except DAMAGED as error:
        raise ValueError(f"{path} is damaged: {error}; take a new copy") from error
    return sorted(found)


def _files(path: Path) -> Iterator[tuple[str, bytes]]:
    if path.is_dir():
        yield from (
            (p.relative_to(path).as_posix(), p.read_bytes()) for p in path.rglob("*") if p.is_file()
        )
    elif zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            for info in archive.infolist():
                if not info.is_dir():
                    with archive.open(info) as file:
                        yield info.filename, file.read(MOST_BYTES + 1)
    else:
        with tarfile.open(path) as tar:
            for member in tar:
                part = tar.extractfile(member) if member.isfile() else None
                if part is not None:
                    yield member.name, part.read(MOST_BYTES + 1)


def _bounded(raw: bytes, path: Path, most: int = MOST_BYTES) -> bytes:
    if len(raw) > most:
        raise ValueError(
            f"{path} holds more than {MOST_BYTES:,} bytes, as no collection known here does; take a"
            " new copy"
        )
    return raw


def _cleaned(text: str) -> str:
    """As the same text would be read from a file, but with every sign of it: runs were trained on
    these texts."""
    found, _ = read(text.encode("utf-8", "replace"), most_bytes=MOST_BYTES, unseen=True)
    return found if found.endswith("\n") else found + "\n"
