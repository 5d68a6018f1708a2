"""Pairs: corpora of two things a line, in the form that the models read.

What      labelled: label, tab, text · parallel: text, tab, its translation · tagged: word/TAG
          word/TAG ...
Source    engine/models/sentiment.py, translating.py, tagging.py, which read these lines
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from engine.language.message import _, refusal
from engine.text.paged import Paged, Spool

SAYS = {
    "labelled": "a label, a tab and a text",
    "parallel": "a text, a tab and its translation",
    "tagged": "words with their tags: the/DET cat/NOUN",
}
ALIKE = ("labelled", "tagged")  # where the texts are one side alone
Pair = tuple[str, str]
MOST_LINES = 2_000_000


def written(pairs: Iterable[Pair], kind: str) -> tuple[Spool, list[str]]:
    """(text, notes).  ValueError with one sentence where a pair can't be written or none is
    left."""
    text, empty = Spool(), 0
    for number, (first, second) in enumerate(pairs, 1):
        first, second = " ".join(first.split()), " ".join(second.split())
        if not (first and second):
            empty += 1
        elif kind == "tagged":
            text.write(f"{_tagged(number, first, second)}\n")
        else:
            text.write(f"{first}\t{second}\n")
    if not len(text.close()):
        raise ValueError("no row has both sides; choose other columns")
    notes = list[str]()
    if empty:
        notes.append(_("{empty:,} {empty|row|rows} with an empty side left out", empty=empty))
    return text, notes


def _tagged(number: int, words: str, tags: str) -> str:
    some, named = words.split(), tags.split()
    if len(some) != len(named):
        raise refusal(
            "row {number:,} has {some:,} words and {named:,} tags; each word needs one tag",
            some=len(some),
            named=len(named),
        )
    return " ".join(f"{word}/{tag}" for word, tag in zip(some, named, strict=True))


def check(text: Paged, kind: str) -> None:
    """ValueError that names the first line which is not written as this kind is."""
    for number, line in enumerate(text.each_line(), 1):
        line = line.removesuffix("\n")
        if line.strip() and not fits(line, kind):
            raise refusal(
                "line {number:,}, {shown}, is not {says}",
                number=number,
                shown=repr(line if len(line) <= 60 else f"{line[:60]}…"),
                says=_(SAYS[kind]),
            )


def fits(line: str, kind: str) -> bool:
    if kind == "tagged":
        return all(
            word and tag for word, __, tag in (piece.rpartition("/") for piece in line.split())
        )
    first, __, second = line.partition("\t")
    return bool(first.strip() and second.strip())


def read(text: str, kind: str) -> list[Pair]:
    """The pairs of a text that `written` made: (label, text), (text, translation) or (words,
    tags)."""
    lines = [line for line in text.split("\n") if line.strip()]
    if kind != "tagged":
        return [(first, second) for first, __, second in (line.partition("\t") for line in lines)]
    cut = [[piece.rpartition("/") for piece in line.split()] for line in lines]
    return [
        (" ".join(word for word, __, __ in row), " ".join(tag for __, __, tag in row))
        for row in cut
    ]


def strip_labels(text: str, kind: str) -> str:
    """Lines of a kind without their labels or tags."""
    return (
        "".join(f"{row[kind == 'labelled']}\n" for row in read(text, kind))
        if kind in ALIKE
        else text
    )


def align(
    first: Paged, second: Paged, names: Pair = ("the first file", "the second file")
) -> Iterator[Pair]:
    """Line n of one text with line n of the other.  ValueError that says where they part; lines
    empty on both sides are left out."""
    left, right = (_count(text) for text in (first, second))
    if max(left, right) > MOST_LINES:
        raise refusal("they have more than {MOST_LINES:,} lines; store them as several corpora")
    if left != right:
        odd = next(
            (
                n
                for n, (a, b) in enumerate(zip(_lines(first), _lines(second), strict=False), 1)
                if bool(a.strip()) != bool(b.strip())
            ),
            None,
        )
        n = min(left, right) + 1
        over = next(islice(_lines(first if left > right else second), n - 1, None))
        where = (
            _("line {odd:,} is empty in only one of them", odd=odd)
            if odd
            else _("line {n:,}, {over}, has no partner", n=n, over=repr(over[:60]))
        )
        raise refusal(
            "{names} has {left:,} lines and {names_2} {right:,}, so they do not go together line"
            " by line; {where}",
            names=names[0],
            names_2=names[1],
            where=where,
        )
    both = zip(_lines(first), _lines(second), strict=True)
    return ((a, b) for a, b in both if a.strip() or b.strip())


def _lines(text: Paged) -> Iterator[str]:
    return (line.removesuffix("\n") for line in text.each_line())


def _count(text: Paged) -> int:
    return text.line_B[-1] + (text[len(text) - 1] != "\n")
