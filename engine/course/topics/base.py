"""Topic: one thing that the course shows, and the place where it stands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from engine.language.entries import entries

State = Literal["works", "part"]
PANEL = "panel"  # in an address: the place on the page that a link leads to


@dataclass(frozen=True, slots=True)
class Topic:
    """One thing that a person may look for.

    lesson  id of the lesson on whose page it stands
    says    one sentence: what one sees there
    also    synonyms, abbreviations and other things that lead to the same place
    anchor  id of the panel on that page, see `pages/ui/place.py`; empty where it is the whole page
    link    what else the address chooses there, written like one: "run=peephole"
    works   rows of the specification that are there: "rnn A1 A2; lstm A01"
    part    rows of which a part is there
    """

    id: str
    lesson: str
    title: str
    says: str
    also: tuple[str, ...] = ()
    anchor: str = ""
    link: str = ""
    works: str = ""
    part: str = ""

    def rows(self) -> Iterator[tuple[str, str, State]]:
        """(file of the specification without its ending, row id, state) of every row."""
        yield from ((file, row, "works") for file, row in _rows(self.works))
        yield from ((file, row, "part") for file, row in _rows(self.part))


def read(lesson: str, written: str) -> tuple[Topic, ...]:
    """The topics of a lesson:

        anchor | Title | rows of the specification
            What one sees there, in one sentence.
            synonyms, abbreviations, ..

    The anchor is - where it is the whole page.  Names that hold a comma are set
    apart by ;.  A line that ends in one of these or in | goes on.  Behind a
    third | stand the rows of which a part is there, behind a fourth the link.  The id is the title in
    small letters with hyphens.
    """
    found = []
    for (anchor, title, *rows), says, also in entries(written):
        works, part, link = [*rows, "", "", ""][:3]
        id = "-".join(re.findall("[a-z0-9]+", title.lower()))
        where = anchor.strip("-")
        found.append(Topic(id, lesson, title, says, also, where, link, works, part))
    return tuple(found)


def _rows(written: str) -> Iterator[tuple[str, str]]:
    for group in written.split(";"):
        file, *rows = group.split() or [""]
        yield from ((file, row) for row in rows)
