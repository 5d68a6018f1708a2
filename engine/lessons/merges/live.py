"""The live part of the page: the whole training on the typed text goes to the browser, which
moves through it by itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from engine.core.trace import Trace
from engine.lessons.merges import figures
from engine.lessons.merges.figures import MOST, READER, SIZES, cuts, rules
from engine.live.reader import Reader
from engine.live.reply import Reading, unread
from engine.live.request import Request
from engine.live.stage import Panel, Stage
from engine.live.window import Window
from engine.runs.store import Run
from engine.text.subword import study
from engine.text.subword.study import Study
from engine.text.tokenizer_comparison.reader import Cutter
from engine.text.tokenizers.bytes import Bytes

KINDS = (
    (
        "chars",
        "BPE: a space begins a token",
        (
            "No merge whose second token begins with white space, so a token never reaches"
            " across a space."
        ),
    ),
    (
        "whole",
        "BPE: merges may cross spaces",
        "The same without that rule: a token may run from one word into the next.",
    ),
    (
        "classic",
        "BPE with </w>",
        (
            "The first published form: separate words, each with an end-of-word mark. Spaces"
            " are not part of any token."
        ),
    ),
    (
        "bytes",
        "BPE over bytes",
        (
            "As in GPT-2: the first symbols are bytes. With all 256 of them nothing is ever"
            " unknown; counted here are those of the text. Letters, digits and punctuation are"
            " never merged with each other."
        ),
    ),
    (
        "wordpiece",
        "WordPiece: by score",
        (
            "The pair whose count is largest relative to the counts of its parts. A piece"
            " inside a word begins with ##."
        ),
    ),
)
RULES = {
    "letters": (
        "the smallest by its letters",
        "the pair that comes first in the alphabet; spaces and symbols come before letters",
    ),
    "ids": (
        "the smallest by its numbers",
        "the pair of the smallest token numbers, as in the tokenizers library",
    ),
    "seen": ("the first in the text", "the pair that occurs first in the text"),
}


def trained(text: str, characters: Window, request: Request) -> list[Reading]:
    """No model: every reply is a training on all that is shown."""
    start, stop = characters
    shown, asks = text[start:stop], request.asks
    kind, ties = rules(request.link, asks)
    found = study.study(shown, kind, ties)
    said = told(found, ties) | {"orders": study.orders(shown)}
    if asks.get("cuts") == text:
        said["cuts"] = cuts(shown, asks.words("word"), asks.whole("pieces")) | {"of": text}
    spans = [[a + start, max(b, a + 1) + start] for a, b in found.spans]
    return [Reading(unread(READER, found.symbols, spans, said))]


def drawn(text: str, characters: Window) -> dict[str, Trace]:
    return {READER: Trace(text, tuple(text), (), offset=characters[0])}


def told(found: Study, ties: str) -> dict[str, Any]:
    """What the browser draws."""
    return {
        "kind": found.kind,
        "ties": ties,
        "gone": found.gone,
        "sizes": found.sizes,
        "lengths": found.lengths,
        "after": rounded(found.after),
        "steps": [[s.a, s.b, s.piece, s.count, s.tied, rounded(s.rows)] for s in found.steps],
    }


def rounded(rows: list[tuple[str, str, int, float]]) -> list[list[Any]]:
    return [[a, b, n, float(f"{score:.4g}")] for a, b, n, score in rows]


def stage() -> Stage:
    reader = Reader(READER, "The tokens", Cutter(Bytes()), READER, "symbols", top="")
    run = Run(
        Path(READER),
        {"model": "tokenizer", "title": "A tokenizer trained on the text", "recipe": READER},
    )
    panels = (
        Panel(
            "merges",
            "merges",
            "Training, one merge at a time",
            options={"kinds": KINDS, "rules": RULES},
            figure=figures.pairs,
        ),
        Panel(
            "growth",
            "growth",
            "Vocabulary against length",
            "Every merge makes the vocabulary one token larger and the text shorter. Click a"
            " point to go there. Training stops at a vocabulary size fixed in advance or, as"
            " here, when no pair occurs twice.",
            {"column": "left"},
            figures.growth,
        ),
        Panel("piecetree", "piecetree", "How a token was built", options={"column": "right"}),
        Panel("replay", "replay", "Cut a new word", options={"column": "right", "word": " slower"}),
        Panel(
            "orders",
            "mergeorders",
            "BPE and WordPiece: same words, different order",
            "Left: the pair with the largest count. Right: the pair with the largest score,"
            " count(ab) / (count(a) × count(b)). On the right, rare letters that always occur"
            " together win. Pairs that occur once are left out.",
        ),
        Panel(
            "cuts",
            "cuts",
            "Unigram: all cuts of a word at once",
            options={"sizes": SIZES, "size": SIZES[1]},
            figure=figures.lattice,
        ),
    )
    return Stage(
        ((reader, run),),
        panels,
        most=MOST,
        selection={"stop": 4, "rules": "chars_letters"},
        columns=(1, 1),
        unread=trained,
        drawn=drawn,
    )


LIVE = stage
