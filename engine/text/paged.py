"""Paged: a text that stays in its file, UTF-8; what is asked for is read from there, a block at a
time.

What      len(text), text[at], text[start:stop], text.lines(start, stop), as if the text were one
          string · Spool: one that grows, in a file that nobody else sees and that goes with it
Shapes    B = blocks
Differs   No step works on more than a block, so the interpreter is never held for long; in memory
          are where the blocks begin and the last ones that were used.  A string takes up to four
          times its bytes, because of one character.
"""

from __future__ import annotations

import os
import sys
import tempfile
import weakref
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import BinaryIO

BLOCK = 1 << 20  # bytes
KEPT = 4  # blocks
MEMORY = 4 << 20  # bytes of a spool that stay in memory


class Paged(ABC):
    def __init__(self) -> None:
        self.at_B, self.start_B, self.line_B = [0], [0], [0]
        self._kept: dict[int, str] = {}
        self._lock = Lock()

    @abstractmethod
    def stretch(self, start: int, stop: int) -> bytes:
        """Of the file."""

    def __len__(self) -> int:
        return self.start_B[-1]

    def __getitem__(self, at: slice | int) -> str:
        if isinstance(at, int):
            return self[at : at + 1]
        start, stop, _ = at.indices(len(self))
        found = []
        for k in range(max(bisect_right(self.start_B, start) - 1, 0), len(self.at_B) - 1):
            if self.start_B[k] >= stop:
                break
            found.append(self._block(k)[max(start - self.start_B[k], 0) : stop - self.start_B[k]])
        return "".join(found)

    def lines(self, start: int, stop: int) -> int:
        """How many lines end there."""
        return self._before(stop) - self._before(start)

    def blocks(self) -> Iterator[str]:
        """All of it, one block after the other."""
        return map(self.decoded, self.raw())

    def raw(self) -> Iterator[bytes]:
        """The same as bytes."""
        for start, stop in pairwise(self.at_B):
            yield self.stretch(start, stop)

    def each_line(self) -> Iterator[str]:
        """The lines with their ends, one after the other."""
        return each_line(self.blocks())

    def is_blank(self) -> bool:
        return all(block.isspace() for block in self.blocks())

    def whole(self) -> str:
        return "".join(self.blocks())

    def decoded(self, raw: bytes) -> str:
        return raw.decode("utf-8", "replace")

    def index(self, file: BinaryIO, block: int = BLOCK, whole_lines: bool = False) -> None:
        """Where the blocks of a file begin that is there; of four bytes or more."""
        while raw := file.read(block):
            if whole_lines:
                raw += file.readline()
            elif len(raw) == block and (last := _last(raw)):
                file.seek(-last, os.SEEK_CUR)
                raw = raw[:-last]
            self.grown(len(raw), self.decoded(raw))

    def grown(self, size: int, text: str) -> None:
        """By one block."""
        self.at_B.append(self.at_B[-1] + size)
        self.start_B.append(self.start_B[-1] + len(text))
        self.line_B.append(self.line_B[-1] + text.count("\n"))

    def _before(self, at: int) -> int:
        k = min(bisect_right(self.start_B, at), len(self.at_B) - 1) - 1
        return self.line_B[k] + self._block(k).count("\n", 0, at - self.start_B[k]) if k >= 0 else 0

    def _block(self, k: int) -> str:
        with self._lock:
            if k not in self._kept:
                self._kept[k] = self.decoded(self.stretch(self.at_B[k], self.at_B[k + 1]))
                if len(self._kept) > KEPT:
                    del self._kept[next(iter(self._kept))]
            return self._kept[k]


class Filed(Paged):
    """Of a file that stays as it is."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        with path.open("rb") as file:
            self.index(file)

    def stretch(self, start: int, stop: int) -> bytes:
        with self.path.open("rb") as file:
            file.seek(start)
            return file.read(stop - start)


class Spool(Paged):
    """A text that is written piece by piece; a short one never reaches the disk."""

    def __init__(self, text: str = "") -> None:
        super().__init__()
        self._file = tempfile.SpooledTemporaryFile(max_size=MEMORY)  # noqa: SIM115
        weakref.finalize(self, self._file.close)
        self._parts: list[str] = []
        self._size = 0
        self.write(text)

    def write(self, text: str) -> None:
        self._parts.append(text)
        self._size += len(text)
        if self._size >= BLOCK:
            self._flush()

    def close(self) -> Spool:
        """Nothing more is written."""
        self._flush()
        return self

    def ended(self) -> Spool:
        """The same with an end of its last line."""
        self._flush()
        if len(self) and self[len(self) - 1] != "\n":
            self.write("\n")
        return self.close()

    def stretch(self, start: int, stop: int) -> bytes:
        self._file.seek(start)
        return self._file.read(stop - start)

    def _flush(self) -> None:
        text = "".join(self._parts)
        self._parts.clear()
        self._size = 0
        self._file.seek(self.at_B[-1])
        for at in range(0, len(text), BLOCK):
            block = text[at : at + BLOCK]
            raw = block.encode("utf-8", "replace")
            self._file.write(raw)
            self.grown(len(raw), block)


class LongLine(ValueError):
    """A line is longer than whoever goes through the lines can bear."""


def blocks_of(text: str | Paged) -> Iterable[str]:
    return text.blocks() if isinstance(text, Paged) else (text,)


def each_line(blocks: Iterable[str], longest: int = sys.maxsize) -> Iterator[str]:
    """The lines with their ends, out of a text in blocks.  LongLine before a longer one is made."""
    held: list[str] = []
    size = 0
    for block in blocks:
        first, *lines = block.split("\n")
        held.append(first)
        size += len(first)
        if size > longest:
            raise LongLine
        if not lines:
            continue
        held.append("\n")
        yield "".join(held)
        held = [lines.pop()]
        size = len(held[0])
        for line in lines:
            if len(line) > longest:
                raise LongLine
            yield f"{line}\n"
    if size:
        yield "".join(held)


def first_lines(blocks: Iterable[str], count: int, most: int) -> tuple[str, ...]:
    """The first ones that are not blank, at most so many characters of each."""
    found: list[str] = []
    line = ""
    for block in blocks:
        for n, part in enumerate(block.split("\n")):
            if n:
                if line.strip():
                    found.append(line)
                line = ""
            if len(found) == count:
                return tuple(found)
            line += part[: most - len(line)]
    return (*found, line) if line.strip() else tuple(found)


def _last(raw: bytes) -> int:
    """How many of the last three bytes belong to a sign of several bytes, which may go on behind
    them."""
    return next((k for k in (1, 2, 3) if raw[-k] >= 0xC0), 0)
