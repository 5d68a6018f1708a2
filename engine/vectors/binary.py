"""Binary: the rows of a word2vec file in binary form.

What      of each word its bytes, a blank, D float32 numbers, and in files of the original program
          a line end
Source    Mikolov's word2vec (2013): distance.c reads what word2vec.c writes; gensim writes no line
          ends
Shapes    D = numbers of a word
Differs   A word may hold blanks, which the original program can't read: where the numbers behind
          the first blank are none that a vector has, and those behind a later one are.
          With fewer than about ten numbers and no line ends that leaves doubts; then the first
          blank counts more often than it should.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO

import numpy as np

from engine.language.message import refusal

LONGEST_WORD = 1_000  # bytes
AHEAD = 1 << 16
# of a vector's numbers that are not 0; four letters, the last one a blank, are below 1e-18
LARGEST, SMALLEST = 1e15, 1e-18


def read_rows(file: IO[bytes], width: int, start: bytes) -> Iterator[tuple[bytes, np.ndarray]]:
    """(word, vector (D,)) one by one; `start` was read already.  ValueError where there is none."""
    buffer, at, size = start, 0, 4 * width
    ends: bool | None = None  # whether a line end stands behind each row
    while True:
        if len(buffer) - at < 2 * (LONGEST_WORD + size):
            buffer, at = buffer[at:] + file.read(AHEAD + 2 * size), 0
        at += buffer[at : at + 1] == b"\n"
        if at == len(buffer):
            return
        places = _blanks(buffer, at)
        if not places:
            if len(buffer) - at <= LONGEST_WORD:
                _cut(buffer[at:])
            raise ValueError(
                "the bytes after the first line are neither text nor words with numbers: this is no"
                " file of word vectors"
            )
        if len(buffer) - places[0] - 1 < size:
            _cut(buffer[at : places[0]])
        stop = places[0]
        if len(places) > 1:
            stop = next((i for i in places if _sound(buffer, i, size, ends)), stop)
        behind = buffer[stop + 1 + size : stop + 2 + size]
        ends = behind == b"\n" if behind else ends
        yield buffer[at:stop], np.frombuffer(buffer, "<f4", width, stop + 1)
        at = stop + 1 + size


def _blanks(buffer: bytes, at: int) -> list[int]:
    """Where a word that begins here may end: at its first blank, and at others that come after
    nothing but text."""
    found: list[int] = []
    while (i := buffer.find(b" ", found[-1] + 1 if found else at, at + LONGEST_WORD + 1)) >= 0:
        if found:
            try:
                if not buffer[at:i].decode().isprintable():
                    break
            except UnicodeDecodeError:
                break
        found.append(i)
    return found


def _sound(buffer: bytes, blank: int, size: int, ends: bool | None) -> bool:
    """Whether the bytes behind a blank are numbers of a vector, and a line end where there is one
    behind each row."""
    raw, behind = buffer[blank + 1 : blank + 1 + size], buffer[blank + 1 + size :][:1]
    if len(raw) < size or (ends is not None and behind and (behind == b"\n") != ends):
        return False
    size_D = np.abs(np.frombuffer(raw, "<f4"))
    return bool(((size_D == 0) | ((size_D > SMALLEST) & (size_D < LARGEST))).all())


def _cut(word: bytes) -> None:
    raise refusal(
        "the file ends in the middle of the numbers of {word!r}; it is cut short, or no file of word"
        " vectors",
        word=word[:40].decode("utf-8", "replace"),
    )
