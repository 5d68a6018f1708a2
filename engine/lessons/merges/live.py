"""The live part of the page: the whole training on the typed text goes to the browser, which
moves through it by itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.live.reader import describe_unread
from engine.live.reply import Reading, unread
from engine.live.request import Request
from engine.live.stage import Panel, Stage
from engine.live.window import Window
from engine.text.subword import study
from engine.text.subword.bpe import TIES
from engine.text.subword.study import Study

READER, MOST = "merges", 600  # MOST: characters shown
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


def rules(*asked: Mapping[str, Any]) -> tuple[str, str]:
    """(kind, tie rule) that are chosen; what makes no sense is left out."""
    said = next((str(place["rules"]) for place in reversed(asked) if place.get("rules")), "")
    kind, _, ties = said.partition("_")
    return kind if kind in study.KINDS else "chars", ties if ties in TIES else "letters"


def trained(text: str, characters: Window, request: Request) -> list[Reading]:
    """No model: every reply is a training on all that is shown."""
    start, stop = characters
    kind, ties = rules(request.link, request.asks)
    found = study.study(text[start:stop], kind, ties)
    spans = [[a + start, max(b, a + 1) + start] for a, b in found.spans]
    return [Reading(unread(READER, found.symbols, spans, pack_study(found, ties)))]


def pack_study(found: Study, ties: str) -> dict[str, Any]:
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
    options = {"kinds": KINDS, "rules": RULES}
    return Stage(
        (),
        (Panel("merges", "merges", "Training, one merge at a time", options=options),),
        most=MOST,
        selection={"stop": 4, "rules": "chars_letters"},
        unread=trained,
        drawn=lambda text, characters: {},
        described=(describe_unread(READER, "The tokens", "symbols"),),
    )


LIVE = stage
