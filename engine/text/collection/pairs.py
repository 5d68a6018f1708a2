"""Pairs: corpora of two things a line, in the form that the models read.

What      labelled: label, tab, text · parallel: text, tab, its translation · tagged: word/TAG
          word/TAG ...
Source    engine/models/sentiment.py, translating.py, tagging.py, which read these lines
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

SAYS = {
    "labelled": "a label, a tab and a text",
    "parallel": "a text, a tab and its translation",
    "tagged": "words with their tags: the/DET cat/NOUN",
}
Pair = tuple[str, str]
MOST_LINES = 2_000_000


def written(pairs: Sequence[Pair], kind: str) -> tuple[str, list[str]]:
    """(text, notes).  ValueError with one sentence where a pair can't be written or none is
    left."""
    rows, empty = [], 0
    for number, (first, second) in enumerate(pairs, 1):
        first, second = " ".join(first.split()), " ".join(second.split())
        if not (first and second):
            empty += 1
        elif kind == "tagged":
            rows.append(_tagged(number, first, second))
        else:
            rows.append(f"{first}\t{second}")
    if not rows:
        raise ValueError("no row has both sides; choose other columns")
    notes = [f"{empty:,} row{'s' * (empty > 1)} with an empty side left out"] if empty else []
    return "".join(f"{row}\n" for row in rows), notes


def _tagged(number: int, words: str, tags: str) -> str:
    some, named = words.split(), tags.split()
    if len(some) != len(named):
        raise ValueError(
            f"row {number:,} has {len(some):,} words and {len(named):,} tags; each word needs"
            " one tag"
        )
    return " ".join(f"{word}/{tag}" for word, tag in zip(some, named, strict=True))


def check(text: str, kind: str) -> None:
    """ValueError that names the first line which is not written as this kind is."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip() and not _fits(line, kind):
            shown = line if len(line) <= 60 else f"{line[:60]}…"
            raise ValueError(f"line {number:,}, {shown!r}, is not {SAYS[kind]}")


def _fits(line: str, kind: str) -> bool:
    if kind == "tagged":
        return all(
            word and tag for word, _, tag in (piece.rpartition("/") for piece in line.split())
        )
    first, _, second = line.partition("\t")
    return bool(first.strip() and second.strip())


def read(text: str, kind: str) -> list[Pair]:
    """The pairs of a text that `written` made: (label, text), (text, translation) or (words,
    tags)."""
    lines = [line for line in text.split("\n") if line.strip()]
    if kind != "tagged":
        return [(first, second) for first, _, second in (line.partition("\t") for line in lines)]
    cut = [[piece.rpartition("/") for piece in line.split()] for line in lines]
    return [
        (" ".join(word for word, _, _ in row), " ".join(tag for _, _, tag in row)) for row in cut
    ]


def aligned(
    first: str, second: str, names: Pair = ("the first file", "the second file")
) -> list[Pair]:
    """Line n of one text with line n of the other.  ValueError that says where they part; lines
    empty on both sides are left out."""
    if max(first.count("\n"), second.count("\n")) > MOST_LINES:
        raise ValueError(f"they have more than {MOST_LINES:,} lines; store them as several corpora")
    left, right = (text.removesuffix("\n").split("\n") for text in (first, second))
    if len(left) != len(right):
        odd = next(
            (
                n
                for n, (a, b) in enumerate(zip(left, right, strict=False), 1)
                if bool(a.strip()) != bool(b.strip())
            ),
            None,
        )
        n = min(len(left), len(right)) + 1
        over = (left if len(left) > len(right) else right)[n - 1]
        where = (
            f"line {odd:,} is empty in only one of them"
            if odd
            else f"line {n:,}, {over[:60]!r}, has no partner"
        )
        raise ValueError(
            f"{names[0]} has {len(left):,} lines and {names[1]} {len(right):,}, so they do not go"
            f" together line by line; {where}"
        )
    return [(a, b) for a, b in zip_longest(left, right, fillvalue="") if a.strip() or b.strip()]
