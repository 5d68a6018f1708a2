"""What lessons on counting choose in the head of the page: the text, and how it is counted.

HEAD of a lesson; its parts ask for `study`, a Counted.  LESSON.first says with which text and how long
n-grams the page of the lesson begins, before anybody has chosen: "corpus=stories&order=5".
"""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs

from engine import frame as fr
from engine.course.base import Lesson
from engine.language.message import _
from engine.lessons.counting_context import escape_words
from engine.lessons.counting_texts import (
    CUTS,
    EMPTY,
    MOST_CHARACTERS,
    OWN,
    PRESETS,
    Counted,
    own_lines,
    texts,
)

MOST_LINES = 100  # shown
ORDERS = (1, 2, 3, 4, 5)


def says(study: Counted) -> fr.Words:
    """Below a picture."""
    return _(
        "{title}, cut into {units}, orders 1 to {order}",
        title=_(study.preset.title),
        units=study.cut,
        order=study.order,
    )


def titles(given: fr.Others) -> dict[str, str]:
    return {preset.id: preset.title for preset in texts().values()}


def begun(given: fr.Others) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(given["lesson"].first).items()}


def first_text(given: fr.Others) -> str:
    asked = begun(given).get("corpus", "")
    return asked if asked in titles(given) else PRESETS[0].id


def first_order(given: fr.Others) -> int:
    """That of the text; of the one that the page begins with, what the lesson says."""
    if given["corpus"] == first_text(given) and "order" in begun(given):
        return int(begun(given)["order"])
    return next(p.order for p in texts().values() if p.id == given["corpus"])


@fr.head("Counting …")
def study(
    lesson: Lesson,
    corpus: str = fr.pick("Text to count", titles, first_text, width=256),
    *,
    order: int = fr.pick("Longest n-gram", ORDERS, first_order, few=True),
    cut: str = fr.pick("Cut into", tuple(CUTS), few=True),
    own: str = fr.typed(
        "Your text, one sentence per line", "", MOST_CHARACTERS, "Paste or type here", tall=150
    ),
    upload: Any = fr.upload("or a text file", ("txt", "md", "text")),
) -> fr.Choosing[Counted]:
    preset, lines = next(p for p in texts().values() if p.id == corpus), tuple[str, ...]()
    if preset is OWN:
        yield fr.Beside([[fr.Controls(["own"])], [fr.Controls(["upload"])]], (3, 2))
        lines, notes = own_lines(own, upload)
        if not lines:
            raise ValueError(notes[0] if notes else EMPTY)
        yield from map(fr.Note, notes)
    found = Counted(preset, order, cut, lines)
    choices = fr.Controls(["order", "cut"], down=True)
    yield fr.Behind(
        "Counting", [choices, *described(found)], "How long the n-grams are, and of what"
    )
    return found


def described(of: Counted) -> list[fr.Block]:
    """What was counted: its size, and the lines of a small text."""
    study = of.study
    counted = [int((grams.count_G > 0).sum()) for grams in study.raw.orders]
    held = _(", {n:,} more held out", n=len(study.held_out)) if study.held_out else ""
    found: list[fr.Block] = [
        fr.Note(
            _(
                "{lines:,} lines counted{held}. Different n-grams by length: {grams}.",
                lines=len(study.lines),
                held=held,
                grams=_(", ").join(
                    _("{count:,} of {m}", count=count, m=m) for m, count in enumerate(counted, 1)
                ),
            )
        )
    ]
    if not of.preset.lines:
        found.append(fr.Note(f"{escape_words(of.preset.says)} {of.left_out}".strip()))
    first = "\n".join(line[:300] for line in study.lines[:MOST_LINES])
    found.append(fr.Code(first, None, 150))
    if len(study.lines) > MOST_LINES:
        found.append(fr.Note(_("The first {n} lines.", n=MOST_LINES)))
    elif study.held_out:
        one = escape_words(study.held_out[0][:200])
        found.append(fr.Note(_("Held out, never counted: {line}", line=one)))
    return found
