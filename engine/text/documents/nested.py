"""Nested: paths into cells that hold objects and lists.

What      a key goes into an object, [] through a list: meta.text, messages[].content,
          answers.text[] · paths(rows): those that lead to texts or numbers · Cell(path): the text of
          each row, what a list gives one after the other, parted by blanks
Differs   A key with a dot in it is one step; where a path has the same name, the key is meant.
"""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from engine.language.message import _, refusal
from engine.text.documents.base import one_line

EACH = None  # the step through a list
Path = tuple[str | None, ...]
EMPTY, NESTED, PLAIN = range(3)  # what is seen at a path; the last wins
MOST_COLUMNS = 1_000
AT_MOST = _(" and at most {most:,} are read; is it a table of texts?", most=MOST_COLUMNS)
LOOK = 20  # entries of a list by which it is known what is in it
SCALARS = (str, int, float, decimal.Decimal, datetime.date, datetime.time, datetime.timedelta)


@dataclass(frozen=True, slots=True)
class Paths:
    """`plain`: the path of each name, in the order of the rows; `other`: keys with nothing that is
    a text or a number."""

    plain: dict[str, Path]
    other: tuple[str, ...]


def named(path: Path) -> str:
    said = "".join("[]" if step is EACH else f".{step}" for step in path)
    return said.removeprefix(".")


def paths(rows: Iterable[dict[str, Any]]) -> Paths:
    """ValueError where there are more than can be shown."""
    found: dict[Path, int] = {}
    for row in rows:
        for key, value in row.items():
            _walk(value, (str(key),), found)
    fit = [p for p, what in found.items() if what == PLAIN or (what == EMPTY and len(p) == 1)]
    if len(fit) > MOST_COLUMNS:
        raise refusal("its objects have {fit:,} different keys{AT_MOST}", fit=len(fit))
    shortest_first = sorted(fit, key=len)  # of one name: a key with a dot in it
    plain = {named(path): path for path in reversed(shortest_first)}
    order = {path: n for n, path in enumerate(found)}
    plain = dict(sorted(plain.items(), key=lambda item: (order[item[1][:1]], order[item[1]])))
    have = {path[0] for path in plain.values()}
    return Paths(plain, tuple(str(p[0]) for p in found if len(p) == 1 and p[0] not in have))


def _walk(value: Any, path: Path, found: dict[Path, int]) -> None:
    what = NESTED
    if isinstance(value, dict):
        found.setdefault(path, NESTED)
        for key, inner in value.items():
            _walk(inner, (*path, str(key)), found)
    elif isinstance(value, list | tuple):
        found.setdefault(path, NESTED)
        for inner in value[:LOOK]:
            _walk(inner, (*path, EACH), found)
    elif _is_plain(value):
        what = EMPTY if value is None else PLAIN
    found[path] = max(found.get(path, EMPTY), what)
    if len(found) > 10 * MOST_COLUMNS:
        raise refusal(
            "its objects have more than {most:,} different keys{AT_MOST}", most=10 * MOST_COLUMNS
        )


class Cell:
    """The texts at one path.

    joined  rows of which a list gave several
    odd     rows that hold an object or a list of them where a text should be
    """

    def __init__(self, path: Path) -> None:
        self.path, self.joined, self.odd = path, 0, 0

    def __call__(self, row: dict[str, Any]) -> str:
        first, *rest = self.path
        value = row.get(str(first))
        if not rest and isinstance(value, str):
            return one_line(value)
        found = list(self._texts(value, rest))
        if len(found) > 1:
            self.joined += 1
        return " ".join(text for text in found if text)

    def _texts(self, value: Any, rest: Sequence[str | None]) -> Iterator[str]:
        if value is None:
            return
        if rest:
            step, *rest = rest
            if step is EACH:
                if isinstance(value, list | tuple):
                    for inner in value:
                        yield from self._texts(inner, rest)
            elif isinstance(value, dict):
                yield from self._texts(value.get(step), rest)
        elif isinstance(value, list | tuple) and all(_is_plain(inner) for inner in value):
            for inner in value:
                yield from self._texts(inner, rest)
        elif _is_plain(value):
            yield one_line(str(value))
        else:
            self.odd += 1


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, SCALARS)
