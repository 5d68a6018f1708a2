"""Dialect: how the rows of a text with word vectors are written, told by its first rows.

What      a row is a word and D numbers, or D numbers alone; between them stand blanks and tabs,
          commas or semicolons.  Of all readings the one wins in which most rows have as many
          numbers
Source    GloVe's and fastText's programs write blanks; pandas and spreadsheets commas, or
          semicolons with decimal commas; TensorFlow's Embedding Projector tabs, and no words
Shapes    D = numbers of a row
Differs   Numbers are counted from the end of a row, so that a word may hold blanks, commas and
          numbers.  A row of numbers alone counts as one without a word where its first one has a
          point: ids of nodes are words.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

SAMPLE = 50  # rows that are looked at
BETWEEN: tuple[tuple[bytes | None, bool], ...] = (
    (None, False),
    (b",", False),
    (b";", False),
    (b";", True),
    (None, True),
)
COMMA = re.compile(rb"[-+]?\d+(?:,\d+)?(?:[eE][-+]?\d+)?")
QUOTE = b'"'
NAMES = (b"", b"word", b"words", b"label", b"token", b"name", b"key", b"index")  # of words


@dataclass(frozen=True, slots=True)
class Dialect:
    """separator: None for blanks and tabs; comma: numbers have decimal commas; words: each row
    begins with one, `quoted` where all of them stand in quotes; heading: the first line has names.
    """

    separator: bytes | None
    width: int
    comma: bool = False
    words: bool = True
    quoted: bool = False
    heading: bool = False

    def row(self, line: bytes) -> tuple[bytes, np.ndarray]:
        """(word, vector (D,) float32).  ValueError where a line is none; too large for float32 is
        infinite."""
        separator, width = self.separator, self.width
        line = line.rstrip()
        parts = line.rsplit(separator, width if self.words else -1)
        if separator is not None and not parts[-1]:  # one behind the last number
            parts = line.removesuffix(separator).rsplit(separator, width if self.words else -1)
        if not self.words or (len(parts) == width and line[:1].isspace()):
            parts = [b"", *parts]  # of blanks there is a word that is nothing but blanks
        if len(parts) != width + 1:
            raise ValueError
        try:
            numbers = list(map(float, parts[1:]))
        except ValueError:
            numbers = list(map(self.number, parts[1:]))
        with np.errstate(over="ignore"):
            return self.word(parts[0]), np.array(numbers).astype(np.float32)

    def number(self, part: bytes) -> float:
        if self.comma:
            if not COMMA.fullmatch(part := part.strip()):
                raise ValueError
            part = part.replace(b",", b".")
        return float(part.strip(b'" ') if part[:1] == QUOTE else part)

    def word(self, part: bytes) -> bytes:
        part = part.strip()
        if self.quoted and len(part) > 1 and part[:1] == part[-1:] == QUOTE:
            return part[1:-1].replace(b'""', QUOTE)
        return part

    def cells(self, line: bytes) -> tuple[list[bytes], int]:
        """(the parts of a line, how many of the last ones are numbers)."""
        parts = [part.strip() for part in line.strip().split(self.separator)]
        if self.separator is not None and len(parts) > 1 and not parts[-1]:
            parts.pop()
        count = 0
        for part in reversed(parts):
            try:
                self.number(part)
            except ValueError:
                break
            count += 1
        return parts, count


def detect_dialect(lines: list[bytes], alone: bool = False) -> Dialect | None:
    """The dialect of a text's first lines; None where they are no vectors.  `alone`: rows of numbers
    have no words, whatever they look like."""
    best, most = None, 0
    for separator, comma in BETWEEN:
        found = _read(lines, Dialect(separator, 0, comma), alone)
        if found is not None and found[1] > most:
            best, most = found
    return best


def _read(lines: list[bytes], dialect: Dialect, alone: bool) -> tuple[Dialect, int] | None:
    """(the dialect with all that its rows say, how many of them it reads)."""
    rows = [dialect.cells(line) for line in lines]
    cells, numbers = rows[0]
    heading = len(rows) > 1 and (min(numbers, len(cells) - 1) < 2 or _counted(cells, rows[1][0]))
    body = rows[1:] if heading else rows
    bare = all(count == len(parts) for parts, count in body)
    words = not (bare and (alone or any(re.search(rb"[.eE]", parts[0]) for parts, _ in body)))
    widths = [min(count, len(parts) - words) for parts, count in body]
    width, many = Counter(widths).most_common(1)[0]
    if width < 2 or (heading and len(cells) not in (width, width + 1)):
        return None
    starts = [parts[0] for parts, _ in body]
    quoted = dialect.separator is not None or all(
        len(start) > 1 and start[:1] == start[-1:] == QUOTE for start in starts
    )
    found = replace(dialect, width=width, words=words, quoted=quoted, heading=heading)
    return found, many


def _counted(cells: list[bytes], row: list[bytes]) -> bool:
    """Whether a first line numbers the columns of a row, as pandas does by itself."""
    names = [cell.strip(QUOTE).lower() for cell in cells]
    if names[0] in NAMES:
        names = names[1:]
    elif len(row) != len(cells) + 1:
        return False
    return any(names == [b"%d" % i for i in range(first, first + len(names))] for first in (0, 1))
