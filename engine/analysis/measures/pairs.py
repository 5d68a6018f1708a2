"""Pairs: a file of references and of what one system said, or two.

What      a line is a pair: reference, a tab, what the system said, and perhaps another tab and what a second one said;
          or the same as CSV.  A first line with the word reference in it names the columns; a column
          named source is for reading along.  Several references: columns named reference, reference 2 ...
Differs   A file that is CSV by its name has commas, or semicolons where its first line has more of those; any other
          has tabs.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass

from engine.language.message import refusal

MOST = 100_000  # lines
LONGEST = 2_000  # characters of a cell
REFERENCE = ("reference", "ref", "target", "gold")
SOURCE = ("source", "src")


@dataclass(frozen=True)
class Pairs:
    """Of each line its references, and what each system said; `source` is empty where there is none."""

    references: tuple[tuple[str, ...], ...]
    systems: tuple[tuple[str, tuple[str, ...]], ...]
    source: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.references)


def read(raw: bytes, name: str = "") -> Pairs:
    """ValueError, with a sentence for the reader, for what is no such file."""
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError("This file is not UTF-8 text.") from None
    if "\x00" in text:
        raise ValueError("This file is not UTF-8 text.")
    return of_rows(_cells(text, name.lower().endswith(".csv")))


def _cells(text: str, commas: bool) -> list[list[str]]:
    if not commas:
        lines = text.removesuffix("\n").split("\n") if text else []
        return [line.removesuffix("\r").split("\t") for line in lines]
    first = text.partition("\n")[0]
    mark = ";" if first.count(";") > first.count(",") else ","
    try:
        return [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=mark) if row]
    except csv.Error as problem:
        raise refusal("this is no sound CSV file: {problem}", problem=str(problem)) from None


def of_rows(rows: Sequence[Sequence[str]]) -> Pairs:
    heads = [cell.strip().lower() for cell in rows[0]] if rows else []
    named = len(heads) > 1 and any(_is(head, REFERENCE) for head in heads)
    names = [cell.strip() for cell in rows[0]] if named else []
    body = rows[1:] if named else rows
    if not body:
        raise ValueError("This file has no lines.")
    if len(body) > MOST:
        raise refusal("{n:,} lines are too many; {MOST:,} fit", n=len(body))
    wide = len(names) if named else len(body[0])
    for n, row in enumerate(body, 1 + named):
        if len(row) != wide or wide < 2:
            raise refusal(
                "line {n:,} has {found} {found|column|columns}, and {wanted} {wanted|is|are} needed: a reference,"
                " and what one system said, or two, with tabs between",
                n=n,
                found=len(row),
                wanted=max(2, wide),
            )
        if (long := max(map(len, row))) > LONGEST:
            raise refusal(
                "line {n:,} has {long:,} characters in one column, and {LONGEST:,} fit",
                n=n,
                long=long,
            )
    columns = [tuple(cell.strip() for cell in column) for column in zip(*body, strict=True)]
    right = [n for n, head in enumerate(heads) if named and _is(head, REFERENCE)] or [0]
    source = [n for n, head in enumerate(heads) if named and _is(head, SOURCE)]
    said = [n for n in range(wide) if n not in right and n not in source]
    if not 1 <= len(said) <= 2:
        raise refusal(
            "there are {n} columns of what systems said, and one or two can be compared",
            n=len(said),
        )
    called = [names[n] if named and names[n] else chr(ord("A") + k) for k, n in enumerate(said)]
    if len({*called}) < len(called):
        called = [chr(ord("A") + k) for k in range(len(said))]
    return Pairs(
        tuple(zip(*(columns[n] for n in right), strict=True)),
        tuple((name, columns[n]) for name, n in zip(called, said, strict=True)),
        columns[source[0]] if source else (),
    )


def _is(head: str, names: Sequence[str]) -> bool:
    """Whether a column is called so, with a number behind it or without."""
    return head.rstrip(" 0123456789_") in names or head in names
