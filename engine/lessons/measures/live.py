"""The live part: what a system said on the first line, what is right below it; every measure of the two, and what
the chosen one counts in them.

Shapes    M = measures
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from engine.analysis.measures import ter
from engine.analysis.measures.table import MEASURES
from engine.frame import picture as pic
from engine.lessons.measures.lit import LIT, NOTES
from engine.live import declared
from engine.live.reader import describe_unread
from engine.live.reply import ReadingPart, unread
from engine.live.stage import Stage
from engine.live.window import Window

READER, MOST = "measures", 6_000  # MOST: characters shown
LONGEST, REFERENCES = 1_500, 8  # characters of a line, and lines, that are compared
TER_WORDS = 60  # of longer lines TER takes too long for a key
WORD = re.compile(r"\S+")
WANTED = "Type what a system said, and what is right on the line below."
TOO_LONG = (
    "TER tries to move every run of words: beyond 60 words it is counted only of a file, below."
)
ALONE = "One line only, so it is compared with itself. Press Enter, and type what is right on a line of its own."

LINES = pic.Picture(
    "lines",
    pic.Drawn("lines", lambda _model: {"measures": [[one.id, one.title] for one in MEASURES]}),
    "What is counted",
    side="left",
)
SCORES = pic.Picture(
    "scores",
    pic.Columns(
        pic.Rows("measure"),
        (
            pic.Words("of 100", "{points}", wide=0.5),
            pic.Column("more is better", "near"),
            pic.Column("less is better", "errors", colour="line-1"),
        ),
    ),
    "Twelve measures",
    says="Click one: beside, you see what it counts. An error rate may be above 100 %.",
    tell=(
        "{measure}: {points} of 100[{?wrong}, and less is better].",
        "{measure}: nothing yet.",
        WANTED,
    ),
    side="right",
    table=pic.table("measure", "measure: {measure} | of 100: {points}"),
)
PICTURES = pic.Live(
    (),
    (LINES, SCORES),
    lambda _model: pic.Once({"measure": [one.title for one in MEASURES]}),
    places={"measure": pic.Place("unit")},
    vertical="measure",
    most=MOST,
)


@dataclass(frozen=True)
class Typed:
    """`starts`: where each line begins in the text; a line `alone` is its own reference."""

    said: str
    references: tuple[str, ...]
    starts: tuple[int, ...]
    alone: bool = False


def parse(text: str) -> Typed:
    """The first line is what was said; those below it that are not blank are right."""
    lines, at, found = text.split("\n"), 0, list[tuple[int, str]]()
    for n, line in enumerate(lines):
        if n == 0 or line.strip():
            found.append((at, line[:LONGEST]))
        at += len(line) + 1
    found = found[: REFERENCES + 1]
    said, *references = (line for _, line in found)
    alone = bool(said.strip()) and not references
    starts = tuple(start for start, _ in found)
    return Typed(said, (said,) if alone else tuple(references), starts * (1 + alone), alone)


def measured(of: Typed) -> np.ndarray:
    """Points (M) of 100; nan without a reference, and where it takes too long."""
    if not of.references:
        return np.full(len(MEASURES), np.nan)
    long = any(len(line.split()) > TER_WORDS for line in (of.said, *of.references))
    return np.array(
        [
            np.nan if one is ter.TER and long else one.sentence(of.said, of.references)
            for one in MEASURES
        ]
    )


def chosen(asks: Mapping[str, object]) -> int:
    try:
        at = int(str(asks.get("unit", 0)))
    except ValueError:
        return 0
    return at if 0 <= at < len(MEASURES) else 0


def lit(of: Typed, measure: int, order: str, points: float) -> dict[str, Any]:
    """What the browser draws; of each word the token that it stands in."""
    if np.isnan(points):
        return {"lit": None, "why": TOO_LONG if of.references else WANTED}
    found = LIT[MEASURES[measure].id](of.said, of.references, order)
    packed = found.packed()
    for k, row in enumerate(packed["rows"]):
        line = k if len(packed["rows"]) > 2 else (k and 1 + found.reference)
        lines = of.said, *of.references
        ends = [match.end() for match in WORD.finditer(lines[line])]
        before = 0 if of.alone else sum(len(WORD.findall(one)) for one in lines[:line])
        places = np.array(row.pop("places"), int)
        tokens = before + np.searchsorted(ends, places, side="right")
        row["tokens"] = np.where(places < 0, -1, tokens).tolist()
    packed["note"] = NOTES[MEASURES[measure].id]
    return {"lit": packed, "why": ALONE if of.alone else ""}


def read(text: str, shown: Window, asks: Mapping[str, object]) -> tuple[ReadingPart, pic.Derived]:
    of = parse(text)
    typed = (of.said,) if of.alone else (of.said, *of.references)
    spans = [
        (start + match.start(), start + match.end())
        for start, line in zip(of.starts, typed, strict=False)
        for match in WORD.finditer(line)
    ]
    measure, order = chosen(asks), str(asks.get("order") or "")
    points_M = measured(of) if spans else np.full(len(MEASURES), np.nan)
    said: dict[str, Any] = (
        lit(of, measure, order, float(points_M[measure])) if spans else {"lit": None, "why": WANTED}
    )
    said["asked"] = [measure, order]
    labels = [text[a:b] for a, b in spans]
    wrong_M = np.array([one.errors for one in MEASURES])
    axis = ("measure",)
    derived: pic.Derived = {
        "points": (axis, points_M),
        "near": (axis, np.where(wrong_M, np.nan, points_M / 100)),
        "errors": (axis, np.where(wrong_M & (points_M <= 100), points_M / 100, np.nan)),
        "wrong": (axis, wrong_M.astype(float)),
    }
    return unread(READER, labels, spans, said), derived


def bounds(text: str, characters: Window) -> Window:
    """All of it: lines that are too long are cut one by one."""
    return 0, len(text)


def stage() -> Stage:
    reader = describe_unread(READER, "The lines", "words", one="word")
    made = declared.unread(PICTURES, reader, read, bounds)
    size = len(MEASURES)
    return replace(made, vertical={"name": "unit", "size": size}, columns=(7, 5))


LIVE = stage
