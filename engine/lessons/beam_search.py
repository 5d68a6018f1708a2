"""Beam search as a part of a lesson: what was considered at each step, and the order of what was found."""

from __future__ import annotations

from itertools import zip_longest
from typing import Any

from engine import frame as fr
from engine.analysis import decode
from engine.analysis.decode.beam import best
from engine.analysis.decode.place import Place
from engine.analysis.rollout import text_of
from engine.language.message import _
from engine.models.base import Model
from engine.views.theme import visible

BEAMS, STEPS = (1, 2, 3, 4, 5, 6), (4, 6, 8, 10, 12)
SIGNS = {"kept": "", "ended": "■ ", "dropped": "× "}


def ends(model: Model[Any]) -> frozenset[int]:
    """Ids that end a sentence: the line end, and full stop, exclamation and question mark."""
    marks = (i for i, word in enumerate(model.tokenizer.vocab) if word.strip() in (".", "!", "?"))
    return frozenset((model.tokenizer.boundary, *marks))


@fr.once
def search(model: Model[Any], text: str, width: int, steps: int) -> list[decode.Beam]:
    place: Place = decode.read(model, model.tokens(text))
    return list(decode.beams(place, width, steps, ends(model), most=width))


def candidates(steps: list[decode.Beam], vocab: tuple[str, ...]) -> list[list[str]]:
    """For each step its texts, likeliest first: the last token, ln P so far, and in which row of the step before
    the rest of it stands."""
    found, rows = list[list[str]](), list[int]()
    for step in steps:
        column = [
            f"{SIGNS[h.fate]}{visible(vocab[h.ids[-1]])} {h.total:.2f}"
            + (f" ← {rows[h.parent]}" if rows else "")
            for h in step.seen
        ]
        found.append(column)
        rows = [row for row, h in enumerate(step.seen, 1) if h.fate == "kept"]
    return found


def show_beams(model: Model[Any], text: str, width: int, steps: int, penalty: float) -> fr.Blocks:
    """Step by step, and what was found by ln P over a power of the length, beside what greedy decoding writes."""
    found = search(model, text, width, steps)
    last = int(model.tokens(text).ids[-1])
    yield _(
        "At each step every kept text is extended by every token. The {width} likeliest extensions are kept, the next"
        " {width} are crossed out (×); ■ marks a text that has ended, which is set aside. The number is ln P of the"
        " text so far, and ← the row that it goes on from.",
        width=width,
    )
    columns = candidates(found, model.tokenizer.vocab)
    yield fr.table(
        ("row", *(_("step {n}", n=n) for n in range(1, len(columns) + 1))),
        [(n, *cells) for n, cells in enumerate(zip_longest(*columns, fillvalue=""), 1)],
    )
    greedy = best(search(model, text, 1, steps), 0.0)[0]
    rows = [(False, h) for h in best(found, penalty)]
    if greedy.ids not in {h.ids for _greedy, h in rows}:
        rows.append((True, greedy))
    yield fr.table(
        ("text", "tokens", "ln P", "score", "found by"),
        [
            (
                text_of(model, last, list(h.ids)).strip(),
                len(h.ids),
                h.total,
                decode.score(h.total, len(h.ids), penalty),
                "greedy decoding" if alone else "both" if h.ids == greedy.ids else "beam search",
            )
            for alone, h in rows
        ],
    )
    yield fr.Note(
        "The score is ln P / length^α. A sum of logarithms alone (α = 0) favours short texts; α = 1 compares the mean"
        " per token. α changes only the order of what was found."
    )
