"""Labelled texts out of a table that a person brings: CSV, TSV, or columns parted by semicolons or
bars.

What      bytes -> rows and columns -> (label, text) of every row that has both
Source    RFC 4180, Common Format and MIME Type for CSV Files (quoted cells may hold line ends)
Differs   Encoding and control characters are dealt with as for every other text file
          (engine/text/read.py).  Of too many rows every n-th is taken, because files are often
          sorted by label; that and whatever else was left out is noted.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from engine.text.read import read
from engine.text.segmentation import first

MOST_BYTES = 20_000_000
MOST_ROWS = 20_000
MOST_CHARACTERS = 10_000  # of one text
MOST_CLASSES = 20
LABEL = 60  # characters of a label
LOOK = 200  # rows by which separator and columns are guessed
SEPARATORS = ("\t", ",", ";", "|")


@dataclass(frozen=True)
class Sheet:
    """Rows of equally many cells.  `names` are those of the first row, or "column 1" and so on."""

    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Labelled:
    labels: tuple[str, ...]
    texts: tuple[str, ...]
    notes: tuple[str, ...] = ()

    @property
    def classes(self) -> tuple[str, ...]:
        return tuple(sorted(set(self.labels)))


def sheet(source: bytes, most_bytes: int = MOST_BYTES) -> Sheet:
    """ValueError with one sentence for the reader: not a text, too large, no table, one column
    only."""
    text, notes = read(source, most_bytes)
    found = {mark: _rows(text, mark) for mark in SEPARATORS}
    mark = max(SEPARATORS, key=lambda m: _regular(found[m]))
    rows = [row for row in found[mark] if any(cell.strip() for cell in row)]
    width = _columns(rows)
    if width < 2:
        raise ValueError(
            "there is one column only; a table needs two, the text and its label, separated by"
            " commas, semicolons or tabs"
        )
    sound = [tuple(cell.strip() for cell in row) for row in rows if len(row) == width]
    if len(sound) < len(rows):
        n = len(rows) - len(sound)
        notes = (*notes, f"{n:,} row{'s' * (n > 1)} without {width} columns left out")
    names = tuple(f"column {n}" for n in range(1, width + 1))
    if len(sound) > 1 and _is_head(sound):
        head = [first(name, LABEL) or names[n] for n, name in enumerate(sound[0])]
        names = tuple(
            name if head.count(name) == 1 else f"{name} ({n + 1})" for n, name in enumerate(head)
        )
        sound = sound[1:]
    if len(sound) > MOST_ROWS:
        notes = (
            *notes,
            f"{MOST_ROWS:,} of {len(sound):,} rows are used, evenly spread over the file",
        )
        sound = [sound[i * len(sound) // MOST_ROWS] for i in range(MOST_ROWS)]
    return Sheet(names, tuple(sound), notes)


def guess(table: Sheet) -> tuple[int, int]:
    """(the column of the texts, that of the labels): the longest cells, and the fewest different
    ones of the rest."""
    some = table.rows[:LOOK]
    columns = range(len(table.names))
    text = max(columns, key=lambda c: sum(len(row[c]) for row in some))
    kinds = {c: len({row[c] for row in table.rows}) for c in columns if c != text}
    return text, min(kinds, key=lambda c: (kinds[c] < 2, kinds[c]))


def labelled(table: Sheet, text: int, label: int) -> Labelled:
    """ValueError with one sentence: the same column twice, too few or too many classes, nothing
    left."""
    if text == label:
        raise ValueError("text and label can't be the same column; choose two")
    both = [(first(row[label], LABEL), row[text]) for row in table.rows if row[label] and row[text]]
    notes = list(table.notes)
    if len(both) < len(table.rows):
        n = len(table.rows) - len(both)
        notes.append(f"{n:,} row{'s' * (n > 1)} without text or label left out")
    long = sum(len(t) > MOST_CHARACTERS for _, t in both)
    if long:
        notes.append(f"{long:,} text{'s' * (long > 1)} cut to {MOST_CHARACTERS:,} characters")
    kinds = Counter(name for name, _ in both)
    if len(kinds) < 2:
        raise ValueError(
            f"the column “{table.names[label]}” has {'one label only' if kinds else 'no label'}; at"
            " least two classes are needed"
        )
    if len(kinds) > MOST_CLASSES:
        raise ValueError(
            f"the column “{table.names[label]}” has {len(kinds):,} different labels and at most"
            f" {MOST_CLASSES} classes are read; choose another column"
        )
    return Labelled(
        tuple(name for name, _ in both), tuple(t[:MOST_CHARACTERS] for _, t in both), tuple(notes)
    )


def _rows(text: str, mark: str) -> list[list[str]]:
    try:
        return list(csv.reader(io.StringIO(text, newline=""), delimiter=mark))
    except csv.Error:
        # a cell beyond csv's limit of 131,072 characters, as in a text that is no table
        return []


def _columns(rows: Sequence[Sequence[str]]) -> int:
    """The commonest number of cells in a row, where at least half of the rows have it; else 1."""
    sizes = Counter(len(row) for row in rows[:LOOK] if row)
    width, n = sizes.most_common(1)[0] if sizes else (1, 0)
    return width if 2 * n >= sum(sizes.values()) else 1


def _regular(rows: Sequence[Sequence[str]]) -> tuple[float, int]:
    """How good a separator is: the share of rows that it cuts into the same number of cells, then
    that number."""
    width, some = _columns(rows), rows[:LOOK]
    return (sum(len(row) == width for row in some) / len(some), width) if width > 1 else (0.0, 1)


def _is_head(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row names the columns: short cells, none of which comes again below."""
    first = rows[0]
    return (
        all(0 < len(cell) <= LABEL for cell in first)
        and not any(cell in {row[c] for row in rows[1:]} for c, cell in enumerate(first))
        and len(rows) > 2
    )


TOY = Labelled(
    ("pos", "pos", "neg", "neg"),
    ("good fun film", "great good acting", "boring bad film", "bad plot"),
)
