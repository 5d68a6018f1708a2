"""The live part of the Merges page: the whole training on the typed text goes to the browser, which moves through it by itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine import reading
from engine.cutting.reader import Cutter
from engine.reading import Reader
from engine.runs import Run
from engine.subword import study
from engine.subword.study import Study
from engine.text.bytes import Bytes
from engine.trace import Trace
from pages.ui.stage import Panel, Stage, turn
from pages.ui.words import merges_figures
from pages.ui.words.merges_figures import MOST, READER, SIZES, cuts, rules

Base = tuple[str, int | None] | None
KINDS = (
    ("chars", "BPE: a space begins a token", "The notes’ rule: no merge where the second token begins with white space. So a token never reaches over a space."),
    ("whole", "BPE: merges may cross spaces", "The same without the rule: a token may reach from one word into the next."),
    ("classic", "BPE with </w>", "The first published form: words alone, each with a mark for its end. Spaces are not part of any token."),
    ("bytes", "BPE over bytes", "As in GPT-2: the first symbols are bytes, and with all 256 nothing is ever unknown; counted here are those of the text. "
     "Letters, digits and signs are never merged with each other."),
    ("wordpiece", "WordPiece: by score", "The pair whose count is large for how often its parts stand anywhere. A piece inside a word begins with ##."),
)  # fmt: skip
RULES = {
    "letters": ("the smallest by its letters", "the pair that comes first in the alphabet; spaces and signs come before letters"),
    "ids": ("the smallest by its numbers", "the pair of the smallest token numbers, as the tokenizers library has it"),
    "seen": ("the first in the text", "the pair that stands first in the text"),
}


@dataclass(frozen=True, slots=True)
class Training(Stage):
    """No model: every reply is a training on all that is shown."""

    def answers(self, text: str, start: int | None, base: Base, ask: Mapping[str, Any]) -> tuple[list[Any], reading.Window]:
        characters = reading.window(len(text), self.most, start)
        shown = text[slice(*characters)]
        with turn():
            kind, ties = rules(ask.get("selection") or {}, ask)
            found = study.study(shown, kind, ties)
            said = told(found, ties) | {"orders": study.orders(shown)}
            if ask.get("cuts") == text:
                said["cuts"] = cuts(shown, ask.get("word"), ask.get("pieces")) | {"of": text}
        n = len(found.symbols)
        spans = [[a + characters[0], max(b, a + 1) + characters[0]] for a, b in found.spans]
        header = {
            "id": READER, "keep": 0, "offset": 0, "total": n, "labels": found.symbols, "spans": spans,
            "unknown": [], "bits": [None] * n, "top": [], "said": said,
        }  # fmt: skip
        return [(header, [])], characters

    def traces(self, text: str, start: int | None) -> tuple[dict[str, Trace], reading.Window]:
        characters = reading.window(len(text), self.most, start)
        return {READER: Trace(text, tuple(text), (), offset=characters[0])}, characters


def told(found: Study, ties: str) -> dict[str, Any]:
    """What the browser draws."""
    return {
        "kind": found.kind, "ties": ties, "gone": found.gone, "sizes": found.sizes, "lengths": found.lengths, "after": rounded(found.after),
        "steps": [[s.a, s.b, s.piece, s.count, s.tied, rounded(s.rows)] for s in found.steps],
    }  # fmt: skip


def rounded(rows: list[tuple[str, str, int, float]]) -> list[list[Any]]:
    return [[a, b, n, float(f"{score:.4g}")] for a, b, n, score in rows]


def stage() -> Training:
    reader = Reader(READER, "The tokens", Cutter(Bytes()), READER, "symbols", top="")
    run = Run(Path(READER), {"model": "tokenizer", "title": "A tokenizer trained on the text", "recipe": READER})
    panels = (
        Panel("merges", "merges", "Training, one merge at a time", options={"kinds": KINDS, "rules": RULES}, figure=merges_figures.pairs),
        Panel(
            "growth", "growth", "Vocabulary against length",
            "Every merge makes the vocabulary one token larger and the text shorter. Click a point to go there. "
            "Training stops at a size that is fixed beforehand, or, as here, when no pair stands twice.",
            {"column": "left"}, merges_figures.growth,
        ),
        Panel("piecetree", "piecetree", "How a token came about", options={"column": "right"}),
        Panel("replay", "replay", "Cut a new word", options={"column": "right", "word": " slower"}),
        Panel(
            "orders", "mergeorders", "BPE and WordPiece: the same words, another order",
            "Left the pair with the largest count, right the pair with the largest score, count(ab) / (count(a) × count(b)). "
            "A pair of rare letters that always stand together wins on the right. Pairs that stand once are left out.",
        ),
        Panel("cuts", "cuts", "Unigram: all cuts of a word at once", options={"sizes": SIZES, "size": SIZES[1]}, figure=merges_figures.lattice),
    )  # fmt: skip
    return Training(((reader, run),), panels, most=MOST, selection={"stop": 4, "rules": "chars_letters"}, columns=(1, 1))
