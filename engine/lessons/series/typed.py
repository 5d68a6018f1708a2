"""Typed: numbers in a line of text, or in a column of a table that a person brings.

What      between blanks or semicolons stands a number: 3, -0.5, 1e3, 3,5 with a decimal comma; "1,2,3" is three.
          ? or NA is a missing one.  A table has a column of numbers, and one of dates where it has any
Shapes    N = numbers
Differs   Missing numbers, and dates that a regular calendar has and the table has not, are filled in on a straight
          line between their neighbours; it is said how many.  Of two numbers of one date the mean counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from engine.language.message import Message, _, refusal

MOST_BYTES, MOST_ROWS, MOST = 5_000_000, 50_000, 400  # of a table; numbers of a series
LARGEST = 1e12
_CELL = re.compile(r"[^\s;]+")
_MISSING = re.compile(r"(?i)\?+|na|n/a|nan|null|none|-|–|")
_NUMBER = re.compile(r"[+-]?(\d+([.]\d*)?|[.]\d+)(e[+-]?\d{1,3})?", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class Numbers:
    """`values` as they are read on, with what is missing filled in; `missing`: which those are; `spans` in the text;
    `unknown`: spans of what is no number, and is left out."""

    values: np.ndarray
    missing: np.ndarray
    spans: tuple[tuple[int, int], ...] = ()
    unknown: tuple[tuple[int, int], ...] = ()


def number(cell: str) -> float | None:
    """Of a cell; NaN where it says that there is none, None where it is no number."""
    cell = cell.strip().replace("−", "-").replace("\u202f", "").replace("\xa0", "")
    cell = cell.rstrip("%€$£ ").lstrip("€$£ ")
    if _MISSING.fullmatch(cell):
        return float("nan")
    if cell.count(",") and cell.count("."):  # the last one is the decimal mark
        thousands = "," if cell.rindex(".") > cell.rindex(",") else "."
        cell = cell.replace(thousands, "")
    if cell.count(",") == 1:
        cell = cell.replace(",", ".")
    if not _NUMBER.fullmatch(cell):
        return None
    found = float(cell)
    return found if abs(found) <= LARGEST else None


def read(text: str) -> Numbers:
    """Of the numbers of a text the last MOST."""
    found: list[tuple[float, tuple[int, int]]] = []
    unknown: list[tuple[int, int]] = []
    for start, cell in _cells(text):
        value, span = number(cell), (start, start + len(cell))
        if value is None:
            unknown.append(span)
        else:
            found.append((value, span))
    found = found[-MOST:]
    values, missing = filled(np.array([value for value, _span in found]))
    return Numbers(values, missing, tuple(span for _value, span in found), tuple(unknown))


def _cells(text: str) -> Iterator[tuple[int, str]]:
    for cell in _CELL.finditer(text):
        start, part = cell.start(), cell[0]
        if part.count(",") > 1 or part.endswith(","):
            for one in re.finditer(r"[^,]+", part):
                yield start + one.start(), one[0]
        else:
            yield start, part


def filled(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """On straight lines between neighbours; at the ends the nearest.  Without any number: none."""
    missing = ~np.isfinite(values)
    if missing.all():
        return np.zeros(0), np.zeros(0, bool)
    at = np.arange(len(values))
    return np.interp(at, at[~missing], values[~missing]), missing


def write(values: Sequence[float] | np.ndarray) -> str:
    return " ".join(f"{v:.4g}" if abs(v) < 9999.5 else f"{v:.0f}" for v in np.asarray(values))


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of numbers by their names, and the dates of the rows where there are any."""

    columns: dict[str, np.ndarray]
    dates: np.ndarray | None
    notes: tuple[Message | str, ...]

    def series(self, name: str) -> tuple[np.ndarray, tuple[Message | str, ...]]:
        """In the order of the dates, with what is missing filled in; what is to be said of it."""
        import pandas as pd

        values, notes = self.columns[name], list(self.notes)
        if self.dates is not None:
            of = pd.Series(values, pd.DatetimeIndex(self.dates))
            of = of[of.index.notna()].groupby(level=0).mean().sort_index()
            apart = of.index.to_series().diff()
            usual = apart.mode().iloc[0] if len(of) > 2 else None
            if usual is not None and usual.days < 28 and (apart.iloc[1:] == usual).mean() > 0.5:
                of = of.reindex(
                    of.index.union(pd.date_range(of.index[0], of.index[-1], freq=usual))
                )
            first, last = (f"{day:%Y-%m-%d}" for day in (of.index[0], of.index[-1]))
            notes.append(
                _("{n:,} dates from {first} to {last}.", n=len(of), first=first, last=last)
            )
            values = of.to_numpy(float)
        found, missing = filled(values)
        if missing.any() and len(found):
            notes.append(_("{n:,} missing, filled in on a line.", n=int(missing.sum())))
        if len(found) < 8:
            raise refusal("“{name}” has {n} numbers; eight are needed.", name=name, n=len(found))
        if len(found) > MOST:
            notes.append(_("The last {most} are read.", most=MOST))
        return found[-MOST:], tuple(notes)


def table(source: bytes) -> Table:
    """ValueError with one sentence: not a text, too large, no column of numbers."""
    import pandas as pd

    from engine.text.documents import dialect
    from engine.text.documents.base import each_line
    from engine.text.read import read as decoded

    text, notes = decoded(source, MOST_BYTES)
    found = dialect.find(text[: 1 << 20], len(text) <= 1 << 20)
    lines = islice(each_line(text), found.skip, None)
    cells = (
        row for row in dialect.Rows(lines, found.dialect, found.width) if any(map(str.strip, row))
    )
    rows = [row for row in islice(cells, MOST_ROWS) if len(row) == found.width]
    if len(rows) < 2:
        raise ValueError("There are no rows of numbers in this file.")
    head = all(number(cell) is None for cell in rows[0])
    names = [n.strip() or str(c + 1) for c, n in enumerate(rows[0])] if head else []
    columns: dict[str, np.ndarray] = {}
    dates: np.ndarray | None = None
    for c, column in enumerate(zip(*rows[head:], strict=True)):
        name = (names or [_("column {n}", n=c + 1)])[c if names else 0]
        read_ = [number(cell) for cell in column]
        if sum(v is not None for v in read_) > 0.8 * len(read_):
            values = np.array([np.nan if v is None else v for v in read_])
            if np.isfinite(values).sum() > 1:
                columns[name if name not in columns else f"{name} ({c + 1})"] = values
        elif dates is None:
            dates = _dates(column)
    if not columns:
        raise ValueError("There is no column of numbers in this file.")
    del pd
    return Table(columns, dates, tuple(notes))


def _dates(column: Sequence[str]) -> np.ndarray | None:
    """ISO, 31.12.2024, 12/31/2024 or words; None where most are none."""
    import pandas as pd

    found = None
    for first in (False, True):
        given = [cell.strip() for cell in column]
        days = pd.to_datetime(
            pd.Series(given),
            errors="coerce",
            dayfirst=first or "." in given[0],
            format="mixed",
            utc=True,
        )
        if days.notna().mean() > 0.8 and (
            found is None or days.notna().sum() > found.notna().sum()
        ):
            found = days
    return None if found is None else found.dt.tz_localize(None).to_numpy()
