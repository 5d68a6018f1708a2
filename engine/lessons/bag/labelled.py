"""Labelled texts out of a table that a person brings: CSV, TSV, or columns parted by semicolons or
bars.

What      bytes -> rows and columns -> (label, text) of every row that has both
Source    RFC 4180, Common Format and MIME Type for CSV Files (quoted cells may hold line ends)
Differs   Encoding and control characters are dealt with as for every other text file
          (engine/text/read.py).  Of too many rows every n-th is taken, because files are often
          sorted by label; that and whatever else was left out is noted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from engine.language.message import _, refusal
from engine.text.documents import dialect
from engine.text.documents.base import each_line
from engine.text.paged import BLOCK
from engine.text.read import read
from engine.text.segmentation import first

MOST_BYTES = 20_000_000
MOST_ROWS = 20_000
MOST_CHARACTERS = 10_000  # of one text
MOST_CLASSES = 20
LABEL = 60  # characters of a label
LOOK = 200  # rows by which columns are guessed


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
    some = text[:BLOCK]
    found = dialect.find(some, len(text) <= BLOCK)
    width, odd, count = found.width, 0, 0
    if width < 2:
        raise ValueError(
            "there is one column only; a table needs two, the text and its label, separated by"
            " commas, semicolons or tabs"
        )
    look: list[list[str]] = []
    for row in _rows(text, found):
        if len(row) != width:
            odd += 1
        else:
            count += 1
            look += [row] if len(look) < LOOK else []
    notes = (*notes, *found.notes)
    if odd:
        notes = (
            *notes,
            _("{odd:,} {odd|row|rows} without {width} columns left out", odd=odd, width=width),
        )
    names: tuple[str, ...] = tuple(_("column {n}", n=n) for n in range(1, width + 1))
    head = int(len(look) > 1 and _is_head(look))
    if head:
        cells = [first(name, LABEL) or names[n] for n, name in enumerate(look[0])]
        names = tuple(
            name if cells.count(name) == 1 else f"{name} ({n + 1})" for n, name in enumerate(cells)
        )
        count -= 1
    sound = (row for row in _rows(text, found) if len(row) == width)
    kept: Iterator[list[str]] = islice(sound, head, None)
    if count > MOST_ROWS:
        notes = (
            *notes,
            _(
                "{most:,} of {count:,} rows are used, evenly spread over the file",
                most=MOST_ROWS,
                count=count,
            ),
        )
        wanted = {i * count // MOST_ROWS for i in range(MOST_ROWS)}
        kept = (row for n, row in enumerate(kept) if n in wanted)
    return Sheet(names, tuple(map(tuple, kept)), notes)


def _rows(text: str, found: dialect.Found) -> Iterator[list[str]]:
    """Those with something in them."""
    lines = islice(each_line(text), found.skip, None)
    for row in dialect.Rows(lines, found.dialect, found.width):
        cells = [cell.strip() for cell in row]
        if any(cells):
            yield cells


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
        notes.append(_("{n:,} {n|row|rows} without text or label left out", n=n))
    long = sum(len(t) > MOST_CHARACTERS for __, t in both)
    if long:
        notes.append(
            _(
                "{long:,} {long|text|texts} cut to {most:,} characters",
                long=long,
                most=MOST_CHARACTERS,
            )
        )
    kinds = Counter(name for name, __ in both)
    if len(kinds) < 2:
        raise refusal(
            "the column “{names}” has {value}; at least two classes are needed",
            names=table.names[label],
            value=_("one label only") if kinds else _("no label"),
        )
    if len(kinds) > MOST_CLASSES:
        raise refusal(
            "the column “{names}” has {kinds:,} different labels and at most {MOST_CLASSES}"
            " classes are read; choose another column",
            names=table.names[label],
            kinds=len(kinds),
        )
    return Labelled(
        tuple(name for name, __ in both), tuple(t[:MOST_CHARACTERS] for __, t in both), tuple(notes)
    )


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
