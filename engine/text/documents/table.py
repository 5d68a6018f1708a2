"""Tables: .csv, .tsv, .jsonl and .parquet; the cells of the columns that are asked for, a row a
line.

What      one column: its cells are the text · several: rows of cells, tabs between them
Source    RFC 4180, Common Format and MIME Type for CSV Files; JSON Lines; Apache Parquet; read by
          pyarrow, JSON by Python
Differs   White space in a cell becomes single spaces, so that it fits on a line.  Cells that hold
          lists or objects are refused.  Where nothing is asked for, a table of one column gives
          that one; of several, the reader has to choose.
"""

from __future__ import annotations

import csv
import json
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from engine.text.documents import parquet
from engine.text.documents.base import (
    MOST_ROWS,
    MOST_SECONDS,
    Document,
    Lines,
    Piece,
    Sheet,
    Source,
    TooMuch,
    each_line,
    one_line,
    shown,
)
from engine.text.documents.parquet import MOST_COLUMNS
from engine.text.read import MOST_BYTES, read

MARKS = (",", ";", "\t", "|")
LOOK = 100  # rows by which the mark between cells and the names of columns are guessed
SHOWN_ROWS, SHOWN_CELL = 5, 200
LONGEST_CELL = 50_000_000
PARQUET = b"PAR1"
BATCH = 4096
Rows = Iterator[Sequence[Any]]


class Table:
    """Names of columns, rows of cells, and what was done; the rows can be gone through once."""

    def __init__(
        self,
        names: Sequence[str],
        rows: Rows,
        notes: Sequence[str] = (),
        nested: Sequence[str] = (),
    ) -> None:
        self.names, self.rows, self.notes, self.nested = (
            tuple(names),
            rows,
            list(notes),
            tuple(nested),
        )


def pieces(source: Source) -> list[Piece]:
    form = _form(source)
    table = _open(source, form)
    chosen = _chosen(table.names, source.columns)
    bad = next((name for name in chosen if name in table.nested), None)
    if bad is not None:
        raise ValueError(
            f"the cells of the column “{shown(bad)}” are lists or objects; choose a column of texts or"
            " numbers"
        )
    at = [table.names.index(name) for name in chosen]
    text, rows = Lines(), list[tuple[str, ...]]()
    size = empty = 0
    for n, row in enumerate(table.rows):
        if n % BATCH == 0:
            source.bounds.check_time()
            source.tell(min(size / max(len(source.raw), 1), 1.0), f"reading row {n + 1:,}")
        cells = tuple(_cell(row[k], table.names[k], n + 1) if k < len(row) else "" for k in at)
        if not any(cells):
            empty += 1
            continue
        text.add("\t".join(cells))
        if len(at) > 1:
            rows.append(cells)
        size += sum(map(len, cells))
        if size > MOST_BYTES:
            raise TooMuch(
                f"its cells have more than {MOST_BYTES / 1e6:,.0f} million characters; take fewer"
                " rows"
            )
        if len(rows) > MOST_ROWS:
            raise TooMuch(f"it has more than {MOST_ROWS:,} rows; take fewer, or one column")
    if not text.count:
        raise ValueError(
            f"the column “{shown(chosen[0])}” is empty"
            if len(chosen) == 1
            else "the chosen columns are empty"
        )
    notes = [
        *table.notes,
        f"{text.count:,} row{'s' * (text.count > 1)} of “{'” and “'.join(map(shown, chosen))}”",
    ]
    if empty:
        notes.append(f"{empty:,} empty row{'s' * (empty > 1)} left out")
    return [Piece(source.name, text.text(), "table", tuple(notes), tuple(rows))]


def columns(source: Source) -> Sheet | None:
    table = _open(source, _form(source), SHOWN_ROWS)
    width = range(len(table.names))
    first = tuple(
        tuple(one_line(_shown(row[k]) if k < len(row) else "")[:SHOWN_CELL] for k in width)
        for row in islice(table.rows, SHOWN_ROWS)
    )
    return Sheet(table.names, first, table.nested)


def _chosen(names: tuple[str, ...], asked: tuple[str, ...] | None) -> tuple[str, ...]:
    listed = ", ".join(f"“{shown(name[:40])}”" for name in names[:12]) + (
        f" and {len(names) - 12:,} more" if len(names) > 12 else ""
    )
    if asked is None:
        if len(names) > 1:
            raise ValueError(
                f"this is a table with the columns {listed}; say which one is the text"
            )
        return names
    missing = next((name for name in asked if name not in names), None)
    if missing is not None:
        raise ValueError(f"the table has no column “{shown(missing[:60])}”; there are {listed}")
    return asked


def _cell(value: Any, name: str, row: int) -> str:
    if isinstance(value, dict | list | bytes):
        what = "bytes" if isinstance(value, bytes) else "a list or an object"
        raise ValueError(
            f"row {row:,} of the column “{shown(name)}” is {what}; choose a column of texts or numbers"
        )
    return one_line(_shown(value))


def _shown(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, dict | list | bytes):
        return "…"
    return value if isinstance(value, str) else str(value)


def _form(source: Source) -> str:
    if source.raw.startswith(PARQUET):
        return "parquet"
    if source.ending == "parquet":
        raise ValueError("this is not a Parquet file, whatever its name says; take a new copy")
    return "jsonl" if source.ending == "jsonl" else "csv"


def _open(source: Source, form: str, most: int = 0) -> Table:
    """`most`: so many rows are enough."""
    if form == "parquet":
        return _parquet(source, most)
    text, notes = read(source.raw)
    return _jsonl(text, notes) if form == "jsonl" else _csv(text, notes, source.ending)


def _csv(text: str, notes: tuple[str, ...], ending: str) -> Table:
    """Cells between marks.  A quotation mark without a partner means that none of them is one of
    CSV's."""
    quoted = text.count('"') % 2 == 0
    cut, wrong = dict[str, list[list[str]]](), dict[str, ValueError]()
    for mark in MARKS:
        try:
            cut[mark] = list(islice(_cut(text, mark, quoted), LOOK))
        except ValueError as problem:
            cut[mark], wrong[mark] = [], problem
    mark = "\t" if ending == "tsv" else max(MARKS, key=lambda m: _regular(cut[m]))
    if mark in wrong:
        raise wrong[mark]
    some = cut[mark]
    width = max(_width(some), 1)
    named = _is_head(some)
    names = _names(some[0] if named else [], max(width, len(some[0]) if named and some else 0))
    more = (
        []
        if quoted or '"' not in text
        else ["quotation marks were read as ordinary signs, because one has no partner"]
    )
    rows = _cut(text, mark, quoted)
    return Table(names, islice(rows, int(named), None), [*notes, *more])


def _cut(text: str, mark: str, quoted: bool) -> Iterator[list[str]]:
    rows = csv.reader(
        each_line(text), delimiter=mark, quoting=csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE
    )
    while True:
        # Python's own is 131,072, less than a chapter; it holds for everybody, so only for this row
        usual = csv.field_size_limit(LONGEST_CELL)
        try:
            row = next(rows, None)
        except csv.Error as error:
            raise ValueError(
                f"a cell of this table has more than {LONGEST_CELL:,} characters, or its quotation"
                " marks do not match"
            ) from error
        finally:
            csv.field_size_limit(usual)
        if row is None:
            return
        if row:
            yield row


def _width(rows: Sequence[Sequence[str]]) -> int:
    """The commonest number of cells."""
    sizes = Counter(len(row) for row in rows)
    return max(sizes, key=lambda n: (sizes[n], n)) if sizes else 0


def _regular(rows: Sequence[Sequence[str]]) -> tuple[float, int]:
    """How good a mark is: the share of rows that it cuts into the same number of cells, then that
    number."""
    width = _width(rows)
    return (
        (sum(len(row) == width for row in rows) / len(rows), width)
        if width > 1
        else (0.0, 1 if rows else 0)
    )


def _is_head(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row names the columns: short cells, all different, no number, none of which
    comes again below."""
    if len(rows) < 2:
        return False
    first = [cell.strip() for cell in rows[0]]
    below = [{row[k].strip() for row in rows[1:] if k < len(row)} for k in range(len(first))]
    plain = all(
        0 < len(cell) <= 60 and not cell.replace(".", "", 1).lstrip("-").isdecimal()
        for cell in first
    )
    return (
        plain
        and len(set(first)) == len(first)
        and not any(cell in seen for cell, seen in zip(first, below, strict=True))
    )


def _names(first: Sequence[str], width: int) -> list[str]:
    if width > MOST_COLUMNS:
        raise ValueError(
            f"it has {width:,} columns and at most {MOST_COLUMNS:,} are read; is it a table of"
            " texts?"
        )
    return [
        one_line(first[k])[:60] if k < len(first) and first[k].strip() else f"column {k + 1}"
        for k in range(width)
    ]


def _jsonl(text: str, notes: tuple[str, ...]) -> Table:
    """An object a line; a line that is a text alone is the column "text"."""
    names: dict[str, None] = {}
    nested: dict[str, None] = {}
    for row in islice(_objects(text), LOOK):
        for key, value in row.items():
            names[key] = None
            if isinstance(value, dict | list):
                nested[key] = None
    if len(names) > MOST_COLUMNS:
        raise ValueError(
            f"its objects have {len(names):,} different keys and at most {MOST_COLUMNS:,} are read;"
            " is it a table of texts?"
        )
    if not names:
        raise ValueError("its objects are empty")
    return Table(
        list(names),
        ([row.get(name) for name in names] for row in _objects(text)),
        notes,
        list(nested),
    )


def _objects(text: str) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(each_line(text), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise ValueError(
                f"line {number:,}, {line[:60].strip()!r}, is not JSON; each line has to be one"
                " object"
            ) from error
        if isinstance(row, str):
            row = {"text": row}
        if not isinstance(row, dict):
            raise ValueError(
                f"line {number:,}, {line[:60].strip()!r}, is not an object with named values"
            )
        yield row


def _parquet(source: Source, most: int) -> Table:
    seconds = max(min(MOST_SECONDS, source.bounds.until - time.monotonic()), 1.0)
    told, rows = parquet.read(source.raw, source.columns, seconds, most)
    return Table(told.names, rows, (), told.nested)


DOCUMENT = Document(
    "a table",
    ("csv", "tsv", "jsonl", "parquet"),
    lambda raw: raw.startswith(PARQUET),
    pieces,
    columns,
    rank=50,
    packed=("parquet",),
    by_name=True,
    label="CSV, TSV, JSON lines, Parquet",
)
