"""Tables: .csv, .tsv, JSON in all forms and .parquet; the cells of the columns that are asked for, a
row a line.

What      one column: its cells are the text · several: rows of cells, tabs between them · a path
          into nested cells is a column: meta.text, messages[].content
Source    RFC 4180, Common Format and MIME Type for CSV Files; RFC 8259, JSON; JSON Lines; Apache
          Parquet, read by pyarrow
Differs   White space in a cell becomes single spaces, so that it fits on a line.  A list gives its
          texts one after the other in the line of its row: a conversation stays together.  Where
          nothing is asked for, a table of one column gives that one; of several, the reader has to
          choose.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

from engine.language.message import _, refusal
from engine.text.documents import dialect, json_rows, nested, parquet
from engine.text.documents.base import (
    MOST_LINES,
    MOST_ROWS,
    MOST_SECONDS,
    Document,
    Piece,
    Sheet,
    Source,
    TooMuch,
    one_line,
    shorten_name,
)
from engine.text.documents.nested import MOST_COLUMNS, Cell
from engine.text.paged import BLOCK, LongLine, Spool, each_line
from engine.text.read import MOST_BYTES, Blocks

LOOK = 100  # rows by which the names of columns are known
SHOWN_ROWS, SHOWN_CELL = 5, 200
PARQUET = b"PAR1"
JSON = ("json", "jsonl", "ndjson")
BATCH = 4096
ENDS = ("\r\n", "\r")  # of lines; the others stand in cells


class Table(ABC):
    """names: of the columns that can be text; `nested` those that can't, `binary` those of them that
    are bytes; the rows can be gone through once, and then all notes are there."""

    names: tuple[str, ...]
    nested: tuple[str, ...] = ()
    binary: tuple[str, ...] = ()
    notes: list[str]

    @abstractmethod
    def cells(self, chosen: Sequence[str], most: int = 0) -> Iterator[tuple[str, ...]]:
        """Of all rows, or so many."""

    def is_empty(self) -> bool:
        """Whether there are columns, but no row."""
        return False

    def find(self, name: str) -> str | None:
        """The column that is meant; a list may be named without its []."""
        return name if name in self.names else None


def pieces(source: Source) -> list[Piece]:
    table = _open(source)
    names = chosen(table, source.columns)
    text = Spool()
    count = size = empty = 0
    for n, cells in enumerate(table.cells(names)):
        if n % BATCH == 0:
            source.bounds.check_time()
            source.tell(min(size / max(len(source.raw), 1), 1.0), _("reading row {n:,}", n=n + 1))
        if not any(cells):
            empty += 1
            continue
        text.write("\t".join(cells) + "\n")
        count += 1
        size += sum(map(len, cells))
        if size > MOST_BYTES:
            raise TooMuch(
                _(
                    "its cells have more than {most:,.0f} million characters; take fewer rows",
                    most=MOST_BYTES / 1000000.0,
                )
            )
        if count > MOST_ROWS and len(names) > 1:
            raise TooMuch(
                _("it has more than {most:,} rows; take fewer, or one column", most=MOST_ROWS)
            )
        if n > MOST_LINES:
            raise TooMuch(_("it has more than {most:,} rows; take fewer", most=MOST_LINES))
    if not count:
        raise ValueError(
            _("the column “{names}” is empty", names=shorten_name(names[0]))
            if len(names) == 1
            else "the chosen columns are empty"
        )
    notes = [
        *table.notes,
        _(
            "{count:,} {count|row|rows} of “{shown}”",
            count=count,
            shown="” and “".join(map(shorten_name, names)),
        ),
    ]
    if empty:
        notes.append(_("{empty:,} empty {empty|row|rows} left out", empty=empty))
    return [Piece(source.name, text.close(), "table", tuple(notes), len(names))]


def columns(source: Source) -> Sheet | None:
    return sheet(_open(source))


def sheet(table: Table) -> Sheet:
    """What there is to choose from."""
    first = tuple(
        (*(cell[:SHOWN_CELL] for cell in row), *("…" for __ in table.nested))
        for row in table.cells(table.names, SHOWN_ROWS)
    )
    return Sheet((*table.names, *table.nested), first, table.nested)


def chosen(table: Table, asked: Sequence[str] | None) -> tuple[str, ...]:
    """The columns that are asked for, by their names.  ValueError that says what there is."""
    names = table.names
    listed = ", ".join(f"“{shorten_name(name[:40])}”" for name in names[:12]) + (
        _(" and {names:,} more", names=len(names) - 12) if len(names) > 12 else ""
    )
    if asked is None:
        if len(names) > 1:
            raise refusal("this is a table with the columns {listed}; say which one is the text")
        if not names:
            raise ValueError(
                "this table has columns, but no rows"
                if table.is_empty()
                else "none of its columns has texts or numbers"
            )
        return names
    found = []
    for name in asked:
        if (one := table.find(name)) is not None:
            found.append(one)
        elif name in table.binary:
            raise refusal(
                "the column “{name}” has bytes that are no text; choose a column of texts or"
                " numbers: {value}",
                name=shorten_name(name),
                value=listed or _("there is none"),
            )
        elif name in table.nested or any(n.startswith((f"{name}.", f"{name}[")) for n in names):
            raise refusal(
                "the cells of the column “{name}” are lists or objects; choose a column of texts"
                " or numbers: {value}",
                name=shorten_name(name),
                value=listed or _("there is none"),
            )
        else:
            raise refusal(
                "the table has no column “{name}”; there are {listed}", name=shorten_name(name[:60])
            )
    return tuple(found)


def _open(source: Source) -> Table:
    if source.raw.startswith(PARQUET):
        return _parquet(source)
    if source.ending == "parquet":
        raise ValueError("this is not a Parquet file, whatever its name says; take a new copy")
    blocks = Blocks(source.raw, ENDS)
    text = Spool()
    for block in blocks:
        text.write(block)
    text.close()
    if source.ending in JSON:
        return _json(text, blocks.notes, source.ending != "json")
    return Delimited(text, blocks.notes, source.ending)


class Delimited(Table):
    """Cells between marks."""

    def __init__(self, text: Spool, notes: Sequence[str], ending: str) -> None:
        some, whole = text[:BLOCK], len(text) <= BLOCK
        if not whole:
            some = some[: some.rfind("\n") + 1] or some
        self._text, self._found = text, dialect.find(some, whole, "\t" if ending == "tsv" else ",")
        look = list(islice(self._rows(), LOOK))
        self._head = is_head(look)
        head = look[0] if self._head else []
        self.names = _names(head, max(self._found.width, len(head), 1))
        last = len(self.names) - 1
        if last and not any(row[last].strip() for row in look if len(row) > last):
            self.names = self.names[:-1]  # each row ends in a mark
        self.notes = [*notes, *self._found.notes]

    def cells(self, chosen: Sequence[str], most: int = 0) -> Iterator[tuple[str, ...]]:
        at = [self.names.index(name) for name in chosen]
        width, wide = len(self.names), 0
        head = int(self._head)
        for row in islice(self._rows(), head, head + most if most else None):
            if len(row) > width and any(cell.strip() for cell in row[width:]):
                wide += 1
            yield tuple([one_line(row[k]) if k < len(row) else "" for k in at])
        if wide:
            self.notes.append(
                _(
                    "{wide:,} {wide|row|rows} with more cells than there are columns; those behind"
                    " the last one are left out",
                    wide=wide,
                )
            )
        if self._read.odd:
            odd = self._read.odd
            self.notes.append(
                _(
                    "{odd:,} {odd|line|lines} with quotation marks that do not match were read as"
                    " they stand",
                    odd=odd,
                )
            )

    def _rows(self) -> Iterator[list[str]]:
        lines = islice(_each_line(self._text), self._found.skip, None)
        self._read = dialect.Rows(lines, self._found.dialect, self._found.width)
        return iter(self._read)


def _each_line(text: Spool) -> Iterator[str]:
    try:
        yield from each_line(text.blocks(), dialect.LONGEST)
    except LongLine:
        raise TooMuch(dialect.too_long()) from None


def is_head(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row names the columns: short cells, all different, no number, none of which
    comes again below."""
    if len(rows) < 2:
        return False
    first = [cell.strip() for cell in rows[0]]
    while len(first) > 1 and not first[-1]:
        first.pop()  # each row ends in a mark
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


def _names(first: Sequence[str], width: int) -> tuple[str, ...]:
    if width > MOST_COLUMNS:
        raise refusal(
            "it has {width:,} columns and at most {MOST_COLUMNS:,} are read; is it a table of"
            " texts?"
        )
    return tuple(
        one_line(first[k])[:60] if k < len(first) and first[k].strip() else _("column {k}", k=k + 1)
        for k in range(width)
    )


RowsOf = Callable[[tuple[str, ...] | None, int], Iterator[dict[str, Any]]]


class Objects(Table):
    """Rows that are objects; their cells may be nested.

    rows  those with these keys, None for all; so many, 0 for all.  They begin anew each time
    odd   what is to be said behind the last one
    """

    def __init__(
        self,
        rows: RowsOf,
        notes: Sequence[str] = (),
        odd: Callable[[], Sequence[str]] = tuple,
        no_text: Sequence[str] = (),
    ) -> None:
        self._rows, self._odd, self.notes = rows, odd, list(notes)
        self._paths = nested.paths(rows(None, LOOK))
        plain = self._paths.plain
        self.names = tuple(name for name in plain if plain[name] not in [(n,) for n in no_text])
        have = {plain[name][0] for name in self.names}
        self.binary = tuple(name for name in no_text if name not in have)
        self.nested = (*self._paths.other, *self.binary)

    def is_empty(self) -> bool:
        return next(self._rows(None, 1), None) is None

    def find(self, name: str) -> str | None:
        return next((one for one in (name, f"{name}[]") if one in self.names), None)

    def cells(self, chosen: Sequence[str], most: int = 0) -> Iterator[tuple[str, ...]]:
        paths = [self._paths.plain[name] for name in chosen]
        cells = [Cell(path) for path in paths]
        keys = tuple(dict.fromkeys(str(path[0]) for path in paths))
        for row in self._rows(keys, most):
            yield tuple(cell(row) for cell in cells)
        for name, cell in zip(chosen, cells, strict=True):
            if cell.joined:
                self.notes.append(
                    _(
                        "the lists of “{name}” are joined by blanks, one line for each row",
                        name=shorten_name(name),
                    )
                )
            if cell.odd:
                self.notes.append(
                    _(
                        "{odd:,} {odd|cell|cells} of “{name}” with an object or a list left out",
                        odd=cell.odd,
                        name=shorten_name(name),
                    )
                )
        self.notes += self._odd()


def _json(text: Spool, notes: Sequence[str], lines: bool) -> Table:
    found = json_rows.rows(text, lines)
    look = list(islice(found.values(json_rows.Reader()), LOOK))
    names, skip = _list_names(look, found.names)
    no_rows = not any(isinstance(value, dict | list) for value in look)
    del look  # they may be large
    reader, left_out = json_rows.Reader(), 0

    def rows(wanted: tuple[str, ...] | None, most: int) -> Iterator[dict[str, Any]]:
        nonlocal reader, left_out
        reader, left_out = json_rows.Reader(), 0
        values = islice(found.values(reader), skip, None)
        for value in islice(values, most) if most else values:
            if isinstance(value, dict):
                yield value
            elif isinstance(value, str):
                yield {"text": value}
            elif isinstance(value, list):
                yield dict(zip(names, value, strict=False)) if names else {"": value}
            else:
                left_out += 1

    def odd() -> list[str]:
        said = list[str]()
        if left_out:
            said.append(
                _(
                    "{left_out:,} {left_out|value|values} other than objects, texts and lists left"
                    " out",
                    left_out=left_out,
                )
            )
        if reader.constants:
            n = reader.constants
            said.append(
                _("{n:,} {n|value|values} NaN or Infinity, which JSON does not have, left out", n=n)
            )
        return said

    table = Objects(rows, (*notes, *found.notes), odd)
    if not table.names and not table.nested:
        raise ValueError(
            "there is no object, text or list in it" if no_rows else "its objects are empty"
        )
    return table


def _list_names(look: Sequence[Any], names: tuple[str, ...]) -> tuple[tuple[str, ...], int]:
    """(the columns of rows that are lists, 1 where the first row names them); none where the lists
    are no rows."""
    lists = [value for value in look if isinstance(value, list)]
    if names or 2 * len(lists) <= len(look):
        return names, 0
    if len({len(one) for one in lists}) > 1 or any(
        isinstance(cell, dict | list) for one in lists for cell in one
    ):
        return (), 0
    rows = [["" if cell is None else str(cell) for cell in one] for one in lists]
    head = len(rows[0]) > 1 and isinstance(look[0], list) and is_head(rows)
    return _names(rows[0] if head else [], len(rows[0])), int(head)


def _parquet(source: Source) -> Table:
    seconds = max(min(MOST_SECONDS, source.bounds.until - time.monotonic()), 1.0)
    look = parquet.read(source.raw, None, seconds, LOOK)
    damaged = 0

    def rows(wanted: tuple[str, ...] | None, most: int) -> Iterator[dict[str, Any]]:
        nonlocal damaged
        if most:
            return islice(look, most)
        found = parquet.read(source.raw, wanted, seconds)
        damaged = found.told.damaged
        return iter(found)

    def odd() -> list[str]:
        return (
            [_("{damaged:,} damaged {damaged|cell|cells} mended with �", damaged=damaged)]
            if damaged
            else []
        )

    return Objects(rows, (), odd, look.told.no_text)


DOCUMENT = Document(
    "a table",
    ("csv", "tsv", *JSON, "parquet"),
    lambda raw: raw.startswith(PARQUET),
    pieces,
    columns,
    rank=50,
    packed=("parquet",),
    by_name=True,
    label="CSV, TSV, JSON, Parquet",
)
