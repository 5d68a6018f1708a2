"""JSON rows: the rows of a table that is written in JSON, in whatever form, a few at a time.

What      one value a line, or values one behind the other (JSON Lines, ndjson)
          a list: its entries
          an object with a list of objects that makes up most of it: the entries of that list
          an object of lists that are equally long, or of objects with the same keys: columns or rows,
          as pandas writes them (orient = records, split, index, columns, values, table)
          any other object: one row
Source    RFC 8259, The JavaScript Object Notation; JSON Lines; Langdale & Lemire, Parsing Gigabytes
          of JSON per Second, 2019: first where strings and brackets are, for all bytes at once
Shapes    N = bytes of a block, M = marks in it: brackets, commas and colons outside strings
Differs   Numbers stay as they are written.  No more than BATCH bytes of rows, or one row, are made
          into objects at a time; a longer row than LONGEST is refused before.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from engine.language.message import _, refusal
from engine.text.documents.base import LONGEST, TooMuch, shorten_name
from engine.text.documents.nested import MOST_COLUMNS
from engine.text.paged import BLOCK, Paged

BATCH = 1 << 17  # bytes of rows that are made into objects at a time
DEEPEST = 200
MOST_SHOWN, MOST_KEY = 60, 1_000  # characters
DOWN = 3  # objects in objects in which the list of rows is looked for
CUT_OFF = "it ends in the middle of a JSON value; take a new copy"
OPEN, CLOSE, COMMA, COLON, END, QUOTE, SLASH = b"{[", b"}]", *b',:\n"\\'
SPACE = b" \t\n\r\x0b\x0c"
_MARKS = np.zeros(256, np.uint8)
_MARKS[[*OPEN, *CLOSE, COMMA, COLON, END]] = 1
_STEPS = np.zeros(256, np.int8)
_STEPS[[*OPEN]], _STEPS[[*CLOSE]] = 1, -1


class Marks(NamedTuple):
    """Of one block: where they stand in the text, which bytes, and how deep it is behind each."""

    at_M: np.ndarray
    byte_M: np.ndarray
    depth_M: np.ndarray


@dataclass(frozen=True, slots=True)
class Span:
    """A value in the text: its bytes, the first of them, and how many entries a list or an object
    has; its key, where it is the value of one."""

    start: int
    stop: int
    first: bytes
    entries: int = 0
    key: str = ""

    @property
    def size(self) -> int:
        return self.stop - self.start


Values = Callable[["Reader"], Iterator[Any]]


@dataclass(frozen=True, slots=True)
class Rows:
    """notes: how the rows were found; names: of the columns, where the values are lists."""

    values: Values
    notes: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


class Reader:
    """JSON into objects; `constants` counts what JSON does not have: NaN, Infinity."""

    def __init__(self) -> None:
        self.constants = 0
        self._decoder = json.JSONDecoder(
            strict=False, parse_int=str, parse_float=str, parse_constant=self._constant
        )

    def _constant(self, name: str) -> None:
        self.constants += 1

    def one(self, text: str) -> Any:
        return self._decoder.decode(text)

    def each(self, text: str, at: int) -> tuple[Any, int]:
        return self._decoder.raw_decode(text, at)


def rows(text: Paged, lines: bool = False) -> Rows:
    """lines: each value is a row, even if it is the only one.  ValueError with one sentence where it
    is not JSON."""
    whole = _whole(text)
    if whole is None:
        return Rows(partial(_lines, text))
    if whole.first == b"[":
        return Rows(partial(_entries, text, whole))
    if lines:
        return Rows(partial(_lines, text))
    return _object(text, whole)


def _whole(text: Paged) -> Span | None:
    """The one list or object that the text is; None where it is something else, or several."""
    size, start = text.at_B[-1], 0
    while not (found := text.stretch(start, start + BLOCK).lstrip(SPACE)):
        start += BLOCK
    start = min(start + BLOCK, size) - len(found)
    if found[:1] not in (b"{", b"["):
        return None
    for marks in _marks(text, start, size):
        ends = np.flatnonzero(marks.depth_M == 0)
        if len(ends):
            stop = int(marks.at_M[ends[0]]) + 1
            break
    else:
        raise ValueError(CUT_OFF)
    for at in range(stop, size, BLOCK):
        if text.stretch(at, at + BLOCK).strip(SPACE):
            return None
    return Span(start, stop, found[:1])


def _marks(text: Paged, start: int, stop: int) -> Iterator[Marks]:
    """The brackets, commas, colons and line ends that are in no string, from a place on that is in
    none."""
    inside, slashed, depth = 0, False, 0
    for at in range(start, stop, BLOCK):
        byte_N = np.frombuffer(text.stretch(at, min(at + BLOCK, stop)), np.uint8)
        quote_N, slash_N = byte_N == QUOTE, byte_N == SLASH
        if slashed or slash_N.any():
            # the last byte before each place that is no backslash; of an odd run of them the last
            # one takes its meaning from a quotation mark
            other_N = np.maximum.accumulate(np.where(slash_N, -1, np.arange(len(byte_N))))
            quotes = np.flatnonzero(quote_N)
            before = np.where(quotes > 0, other_N[quotes - 1], -1)
            run = quotes - 1 - before + (slashed & (before < 0))
            quote_N[quotes[run % 2 == 1]] = False
            slashed = bool((len(byte_N) - 1 - other_N[-1] + (slashed & (other_N[-1] < 0))) % 2)
        inside_N = np.bitwise_xor.accumulate(quote_N.view(np.uint8)) ^ inside
        inside = int(inside_N[-1])
        at_M = np.flatnonzero(_MARKS[byte_N] > inside_N)
        byte_M = byte_N[at_M]
        depth_M = np.cumsum(_STEPS[byte_M], dtype=np.int64) + depth
        if len(at_M):
            depth = int(depth_M[-1])
            if depth_M.max() > DEEPEST:
                raise refusal("this is not JSON of a table: it is more than {DEEPEST} deep")
            if depth_M.min() < 0:
                wrong = int(at_M[np.argmax(depth_M < 0)]) + at
                raise ValueError(_wrong(text, wrong, "", "a bracket is closed that was not opened"))
        yield Marks(at_M + at, byte_M, depth_M)


def _batches(
    text: Paged, span: tuple[int, int], begin: int, cuts: Callable[[Marks], np.ndarray]
) -> Iterator[tuple[int, int, int]]:
    """(start, stop, places to cut between them) of some rows; the first one begins at `begin`."""
    held, inner = -1, 0  # the last place to cut in reach, and how many there are before it
    block = span[0]
    for marks in _marks(text, *span):
        found = cuts(marks)
        i = 0
        while i < len(found):
            near = int(np.searchsorted(found, begin + BATCH, "right"))
            if near > i:
                inner += near - i - (held < 0)
                held, i = int(found[near - 1]), near
            if i == len(found):
                break
            if held < 0:
                held, i = int(found[i]), i + 1
            _check_size(held - begin)
            yield begin, held, inner
            begin, held, inner = held + 1, -1, 0
        block = min(block + BLOCK, span[1])
        _check_size(block - max(begin, held))
    yield begin, span[1], inner + (held >= 0)


def _check_size(size: int) -> None:
    if size > LONGEST:
        raise TooMuch(
            _(
                "a row of it has more than {longest:,.0f} million characters; cut it into"
                " smaller ones",
                longest=LONGEST / 1000000.0,
            )
        )


def _lines(text: Paged, reader: Reader) -> Iterator[Any]:
    """Of values one behind the other, mostly one a line."""

    def ends(marks: Marks) -> np.ndarray:
        return marks.at_M[(marks.depth_M == 0) & (marks.byte_M == END)]

    for start, stop, inner in _batches(text, (0, text.at_B[-1]), 0, ends):
        raw = text.stretch(start, stop)
        if raw.count(b"\n") == inner:
            lines = [line for line in raw.decode().split("\n") if line.strip()]
            try:
                yield from reader.one(f"[{','.join(lines)}]")
                continue
            except ValueError:
                pass
        yield from _one_by_one(text, start, raw.decode(), reader)


def _entries(text: Paged, span: Span, reader: Reader) -> Iterator[Any]:
    """Of a list."""
    for start, raw in _inner(text, span):
        try:
            found = reader.one(f"[{raw}]")
        except ValueError:
            found = _one_by_one(text, start, raw, reader)
        yield from found


def _members(text: Paged, span: Span, reader: Reader) -> Iterator[tuple[str, Any]]:
    """The keys and values of an object."""
    for start, raw in _inner(text, span):
        try:
            found = reader.one(f"{{{raw}}}")
        except ValueError as error:
            raise ValueError(_wrong(text, start, raw)) from error
        yield from found.items()


def _inner(text: Paged, span: Span) -> Iterator[tuple[int, str]]:
    """What stands between the brackets, some entries at a time, and where."""

    def commas(marks: Marks) -> np.ndarray:
        return marks.at_M[(marks.depth_M == 1) & (marks.byte_M == COMMA)]

    for start, stop, __ in _batches(text, (span.start, span.stop - 1), span.start + 1, commas):
        if raw := text.stretch(start, stop).strip(SPACE):
            yield start, raw.decode()


def _one_by_one(text: Paged, start: int, raw: str, reader: Reader) -> Iterator[Any]:
    """The slow way, which finds what is wrong.  A comma behind the last one is none."""
    at = 0
    while True:
        while at < len(raw) and (raw[at].isspace() or raw[at] == ","):
            at += 1
        if at == len(raw):
            return
        try:
            value, at = reader.each(raw, at)
        except ValueError as error:
            begun = start + len(raw[:at].encode())
            raise ValueError(_wrong(text, begun, raw[at:], _why(error))) from error
        yield value


def _why(error: ValueError) -> str:
    """In the words of somebody who writes JSON by hand."""
    if not isinstance(error, json.JSONDecodeError):
        return ""
    before, behind = error.doc[: error.pos].rstrip(), error.doc[error.pos :].lstrip()
    if behind[:1] in ("]", "}") and before[-1:] == ",":
        return _("there is a comma before “{behind}”", behind=behind[0])
    if behind[:1] == "'":
        return "JSON takes double quotation marks"
    return "there is a comment" if behind[:1] in ("/", "#") else ""


def _wrong(text: Paged, at: int, raw: str, why: str = "") -> str:
    line = 1
    for block in range(0, at, BLOCK):
        line += text.stretch(block, min(block + BLOCK, at)).count(b"\n")
    said = _("line {line:,}, {raw}, is not JSON", line=line, raw=repr(raw[:MOST_SHOWN].strip()))
    return said + ": " + why if why else said


def _object(text: Paged, whole: Span) -> Rows:
    """The rows of one object."""
    members, more = _spans(text, whole)
    values = partial(_values, text, whole)
    if more:
        if all(one.first == b"{" for one in members):
            return Rows(values, ("its rows are the values of one object",))
        return Rows(
            partial(_pairs, text, whole), ("its rows are the keys and values of one object",)
        )
    keys = {one.key: one for one in members}
    if {"columns", "data"} <= keys.keys() and keys["data"].first == keys["columns"].first == b"[":
        _check_size(keys["columns"].size)
        named = list(_entries(text, keys["columns"], Reader()))
        if all(isinstance(name, str) for name in named):
            said = ("its rows are the entries of “data”",)
            return Rows(partial(_entries, text, keys["data"]), said, tuple(named))
    if {"schema", "data"} <= keys.keys() and keys["data"].first == b"[":
        return Rows(partial(_entries, text, keys["data"]), ("its rows are the entries of “data”",))
    kinds = {one.first for one in members}
    if len(members) > 1 and len({one.entries for one in members}) == 1 and members[0].entries:
        inner = [_first(text, one) for one in members]
        if kinds == {b"["} and not any(isinstance(entry, dict) for entry in inner):
            return Rows(partial(_columns, text, members), ("each of its lists is a column",))
        if kinds == {b"{"} and all(entry == inner[0] for entry in inner):
            if inner[0] == "0":  # as pandas numbers its rows
                return Rows(partial(_columns, text, members), ("each of its objects is a column",))
            return Rows(values, ("its rows are the values of one object",))
    if best := _lists(text, members, whole.size):
        names = "” and “".join(shorten_name(one.key) for one in best)
        said = (
            _(
                "its rows are the entries of “{names}”; what stands beside them is left out",
                names=names,
            ),
        )
        return Rows(partial(_chained, text, best), said)
    _check_size(whole.size)
    return Rows(partial(_alone, text, whole))


def _lists(text: Paged, members: list[Span], size: int) -> list[Span]:
    """The longest list in an object, or in objects in it, and others with the same entries; none
    where that is less than half of the whole."""
    found: list[Span] = []
    inside = members
    for __ in range(DOWN):
        found += [one for one in inside if one.first == b"[" and one.entries]
        inside = [
            replace(inner, key=f"{one.key}.{inner.key}")
            for one in inside
            if one.first == b"{" and one.size > size / 100
            for inner in _spans(text, one)[0]
        ]
    if not found:
        return []
    longest = _shape(_first(text, max(found, key=lambda one: one.size)))
    alike = [one for one in found if _shape(_first(text, one)) == longest]
    return alike if 2 * sum(one.size for one in alike) > size else []


def _shape(entry: Any) -> Any:
    return sorted(entry) if isinstance(entry, dict) else type(entry)


def _first(text: Paged, span: Span) -> Any:
    """The first entry of a list, the first key of an object."""
    if span.first == b"[":
        return next(_entries(text, span, Reader()), None)
    return next((key for key, __ in _members(text, span, Reader())), None)


def _values(text: Paged, span: Span, reader: Reader) -> Iterator[Any]:
    return (value for __, value in _members(text, span, reader))


def _pairs(text: Paged, span: Span, reader: Reader) -> Iterator[Any]:
    return ({"key": key, "value": value} for key, value in _members(text, span, reader))


def _chained(text: Paged, spans: list[Span], reader: Reader) -> Iterator[Any]:
    return chain.from_iterable(_entries(text, span, reader) for span in spans)


def _columns(text: Paged, spans: list[Span], reader: Reader) -> Iterator[Any]:
    names = [span.key for span in spans]
    columns = [
        _entries(text, span, reader) if span.first == b"[" else _values(text, span, reader)
        for span in spans
    ]
    return (dict(zip(names, row, strict=True)) for row in zip(*columns, strict=False))


def _alone(text: Paged, span: Span, reader: Reader) -> Iterator[Any]:
    return _one_by_one(text, span.start, text.stretch(span.start, span.stop).decode(), reader)


def _spans(text: Paged, span: Span) -> tuple[list[Span], bool]:
    """The members of an object, and whether there are more than can be columns."""
    commas, colons, entries = [span.start], list[int](), [0]
    for marks in _marks(text, span.start, span.stop):
        here = marks.depth_M == 1
        comma = marks.at_M[here & (marks.byte_M == COMMA)]
        inner = marks.at_M[(marks.depth_M == 2) & (marks.byte_M == COMMA)]
        often = np.bincount(np.searchsorted(comma, inner), minlength=len(comma) + 1).tolist()
        entries[-1] += often[0]
        entries += often[1:]
        commas += comma.tolist()
        colons += marks.at_M[here & (marks.byte_M == COLON)].tolist()
        if len(colons) > MOST_COLUMNS:
            break
    more = len(colons) > MOST_COLUMNS
    if not more:
        commas.append(span.stop - 1)
    found, at = [], 0
    for start, stop, count in zip(commas, commas[1:], entries, strict=False):
        if at < len(colons) and colons[at] < stop:
            found.append(_member(text, start + 1, colons[at], stop, count))
        while at < len(colons) and colons[at] < stop:
            at += 1
    return found[:MOST_COLUMNS], more


def _member(text: Paged, start: int, colon: int, stop: int, commas: int) -> Span:
    key = text.stretch(start, min(colon, start + MOST_KEY)).strip(SPACE).decode("utf-8", "replace")
    with contextlib.suppress(ValueError):
        key = str(Reader().one(key))
    begun = text.stretch(colon + 1, min(stop, colon + 1 + BLOCK))
    value = begun.lstrip(SPACE)
    at = colon + 1 + len(begun) - len(value)
    empty = value[1:].lstrip(SPACE)[:1] in (b"]", b"}")
    while text.stretch(stop - 1, stop) in (b" ", b"\t", b"\n", b"\r"):
        stop -= 1
    entries = 0 if empty or value[:1] not in (b"{", b"[") else commas + 1
    return Span(at, stop, value[:1], entries, key)
