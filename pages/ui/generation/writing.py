"""Writing with counts: the text that was drawn, its copies, and the same random numbers given to
every order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

from engine.core.trace import Table
from engine.live.markdown import escape
from engine.ngram.copies import Copies, Span, copies
from engine.ngram.generate import Generated, Stop, beside
from engine.views.base import number
from pages.ui.counting.context import clean, unknown
from pages.ui.generation.writer import Writer, suffixes
from pages.ui.plate import Plate

LONGEST, FIRST = 60, 12  # words of a text; those that are there at first


@dataclass(frozen=True)
class Written:
    """`given` ids, then what was drawn, by the models of orders 1 to n from the same numbers."""

    writer: Writer
    given: tuple[int, ...]
    labels: tuple[str, ...]
    by_order: tuple[Generated, ...]

    @property
    def main(self) -> Generated:
        return self.by_order[-1]

    @property
    def is_over(self) -> bool:
        return self.main.stop is not Stop.LENGTH


def write(writer: Writer, begin: str, words: int, temperature: float, seed: int) -> Written:
    tokens = writer.tokenizer.encode(clean(begin).replace("\n", " "))
    if words_missing := unknown(tokens):
        st.caption(
            f"{words_missing}: not in the counted text, so read as `<unk>`. A shorter context"
            " answers after it."
        )
    given = tuple(int(i) for i in tokens.ids)
    context = (writer.tokenizer.boundary, *given)
    found = beside(writer.models, context, length=words, temperature=temperature, seed=seed)
    return Written(writer, given, tokens.labels, tuple(found))


def rows(
    written: Written,
    texts: Sequence[tuple[str, Generated]],
    marks: Sequence[np.ndarray],
    id: str,
    says: str,
) -> Plate:
    """Texts word by word; `marks` says per text which of its words are underlined."""
    made: list[tuple[str, str, int, float, bool]] = []
    for (name, text), mark in zip(texts, marks, strict=True):
        words = [(word, -1, 1.0) for word in written.labels]
        words += [(written.writer.label(s.id), s.order, s.probability) for s in text.steps]
        made += [(name, *word, copied) for word, copied in zip(words, mark.tolist(), strict=True)]
    table = Table.of_rows(id, says, ("text", "word", "order", "probability", "copied"), made)
    return Plate(id, "strip", (table,), written.writer.id, written.writer.says, spoken(written))


def spoken(written: Written) -> str:
    """The text as it reads."""
    ids = [*written.given, *(i for i in written.main.ids if i != written.writer.tokenizer.boundary)]
    return str(written.writer.tokenizer.decode(ids))


def copied(written: Written, text: Generated) -> Copies | None:
    """What of a text stands in the counted one; None where that is not at hand."""
    of = written.writer.study
    if of is None:
        return None
    ids = np.array([*written.given, *text.ids], np.int64)
    return copies(suffixes(written.writer.key, of), ids)


def marked(found: Copies | None, length: int, least: int) -> tuple[np.ndarray, Span | None]:
    """(which words lie in a run of at least so many, the longest run)."""
    if found is None or not length:
        return np.zeros(length, bool), None
    return found.covered(least), max(found.spans, key=lambda s: s.length, default=None)


def home_of(written: Written, span: Span, around: int = 160) -> str:
    """The line of the corpus in which a run begins, as Markdown, the run in bold."""
    of = written.writer.study
    assert of is not None
    mark_L = np.flatnonzero(of.stream == of.tokenizer.boundary)
    line = min(int(np.searchsorted(mark_L, span.place, side="right")) - 1, len(of.lines) - 1)
    text, begin = of.lines[line], span.place - int(mark_L[line]) - 1
    spans = of.tokenizer.encode(text).spans[max(0, begin) : begin + span.length]
    start, stop = (spans[0][0], spans[-1][1]) if spans else (0, 0)
    left, right = text[max(0, start - around) : start], text[stop : stop + around]
    dots = ("… " if start > around else "", " …" if stop + around < len(text) else "")
    bold = f" **{escape(text[start:stop])}** " if stop > start else ""
    times = "once" if span.count == 1 else f"{span.count:,} times"
    return (
        f"It occurs there {times}, first in line {line + 1:,}:"
        f" {dots[0]}{escape(left)}{bold}{escape(right)}{dots[1]}"
    )


def draws(written: Written) -> list[dict[str, Any]]:
    """Every draw in numbers."""
    return [
        {
            "word": written.writer.label(s.id),
            "order used": s.order,
            "longest match": s.matched,
            "random number": round(s.u, 4),
            "probability": number(s.probability, True),
            "probability at this temperature": number(s.chance, True),
        }
        for s in written.main.steps
    ]
