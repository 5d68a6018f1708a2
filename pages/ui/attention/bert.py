"""The live part of the BERT page: words masked by hand, what is guessed for them, from both sides and from the left."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from engine import filling, reading
from engine.filling import Guess
from engine.reading import Reader
from engine.runs import Run
from engine.text.base import Tokens
from engine.trace import Axis, Field, Trace
from pages.ui import cache
from pages.ui.drawing import Drawing, Look, Traces, with_entries
from pages.ui.stage import MOST_CHARACTERS, Panel, Stage, turn

READER = "bert"
READ = 2000  # characters that are looked at: more than the model has room for
Base = tuple[str, int | None] | None


@dataclass(frozen=True, slots=True)
class Blanks(Stage):
    """One encoder.  Every reply is of the whole text: in an encoder each word changes the numbers of all others."""

    def answers(self, text: str, start: int | None, base: Base, ask: Mapping[str, Any]) -> tuple[list[Any], reading.Window]:
        reader, _ = self.readers[0]
        tokens = self.tokens(text)
        look = {**self.selection, **ask.get("selection", {}), **ask}
        at = chosen(reader.model, tokens, look)
        with turn():
            shown = Trace(text, tokens.labels, (), ids=tokens.ids, spans=tokens.spans, unknown=tokens.unknown)
            header, _ = reading.read(reader, shown, 0)
            asked = [str(look.get("masks", "")), look.get("at", look.get("token"))]
            header["said"] = {"asked": asked} | self.said(reader.model, text, tokens, at, place(tokens, at, look, reader.model))
        return [(header, [])], (0, len(text))

    def tokens(self, text: str) -> Tokens:
        model = self.readers[0][0].model
        return filling.fitted(model, reading.tokens(model, text[:READ]))

    def said(self, model: Any, text: str, tokens: Tokens, at: set[int], t: int | None) -> dict[str, Any]:
        found, pair = filling.guesses(model, tokens, at)
        sides = filling.sides(model, tokens, at, t) if t is not None else None
        vocab, segment_T = model.tokenizer.vocab, filling.segments(model, tokens)
        last = max((stop for _, stop in tokens.spans), default=0)
        return {
            "masks": sorted(at), "words": filling.words(model, tokens), "segments": segment_T.tolist(), "two": model.config.segments > 1,
            "first": model.config.offset, "left": len(text[last:].strip()), "fills": model.config.masked,
            "guesses": [told(guess, vocab) for guess in found],
            "at": t, "sides": [told(sides.both, vocab), told(sides.left, vocab)] if sides else None,
            "pair": None if pair is None else pair.tolist(), "second": bool(segment_T[:-1].any() and (tokens.ids == model.tokenizer.end).sum() > 1),
        }  # fmt: skip

    def traces(self, text: str, start: int | None) -> tuple[dict[str, Trace], reading.Window]:
        tokens = self.tokens(text)
        return {READER: Trace(text, tokens.labels, (), ids=tokens.ids, spans=tokens.spans, unknown=tokens.unknown)}, (0, len(text))

    def drawn(self, view: str, panel: str) -> Any:
        """A `Panel.figure`: what is guessed at the masks, or for one place from both sides and from the left."""

        def make(traces: Traces, look: Look) -> Drawing:
            model, tokens = self.readers[0][0].model, self.tokens(traces[READER].text)
            at = chosen(model, tokens, look)
            t = place(tokens, at, look, model)
            trace = model.trace(traces[READER].text, fields=("sentence",) if model.config.pairs else (), tokens=filling.masked(model, tokens, at))
            if panel == "follows":
                return Drawing(READER, view, trace, ("sentence",))
            entries = []
            if panel == "blanks":
                entries = [entry(model, guess, f"fill.{guess.at}", f"{self.readers[0][1].title}, at place {guess.at}") for guess in filling.guesses(model, tokens, at)[0]]
            elif t is not None and (sides := filling.sides(model, tokens, at, t)):
                entries = [entry(model, sides.both, "both", f"Both sides of place {t}"), entry(model, sides.left, "left", f"Only what stands before place {t}")]
            if not entries:
                raise ValueError("There is nothing to save yet: mask a word first.")
            return Drawing(READER, view, with_entries(trace, *entries), tuple(e.spec.name for e in entries), options={"top": filling.TOP})

        return make


def told(guess: Guess, vocab: tuple[str, ...]) -> dict[str, Any]:
    """For the browser."""
    return {"t": guess.at, "top": [[label, float(f"{p:.6g}")] for label, p in guess.top(vocab)], "true": guess.true}


def entry(model: Any, guess: Guess, name: str, says: str) -> Field:
    spec = next(spec for spec in model.spec() if spec.name == "fill")
    return Field(replace(spec, name=name, axes=("next",), says=says, symbol=""), guess.p_V.astype(np.float32), (Axis("next", model.tokenizer.vocab),))


def chosen(model: Any, tokens: Tokens, look: Mapping[str, Any]) -> set[int]:
    """The words masked by hand: their places stand in the address, joined by "_"."""
    asked = {int(part) for part in re.findall(r"\d{1,4}", str(look.get("masks", "")))}
    return asked & set(filling.words(model, tokens)) if model.config.masked else set()


def place(tokens: Tokens, at: set[int], look: Mapping[str, Any], model: Any) -> int | None:
    """The place looked at closely: the one clicked last, else the first mask, else the last word."""
    typed = np.flatnonzero(tokens.ids == model.tokenizer.mask).tolist()
    real = {*filling.words(model, tokens), *typed}
    asked = look.get("at", look.get("token"))
    if isinstance(asked, int) and asked in real:
        return asked
    lettered = [t for t in real if any(c.isalpha() for c in tokens.labels[t])]
    return min([*at, *typed]) if at or typed else max(lettered or real, default=None)


def about(run: Run) -> str:
    """What the page shows, and what its model has read."""
    known = " The small model shown has only read **small everyday scenes**: rivers and banks, kitchens, farms, letters. A word that it does not know is cut into pieces." if run.id == "bert" else ""
    return f"An encoder reads a whole text at once. Hide a word, and it is guessed from the words on **both sides**.{known}"


def stage(run: Run, model: Any) -> Blanks:
    reader = Reader(READER, run.title, model, run.id, "tokens", top="")
    about = {"reader": READER, "vocabulary": len(model.tokenizer.vocab), "context": model.config.context}
    made = Blanks(((reader, run),), (), most=MOST_CHARACTERS, columns=(1, 1))
    fills, pairs = model.config.masked, model.config.pairs
    panels = (
        Panel("blanks", "blanks", "Click a word to mask it", options={**about, "column": "left"}, figure=made.drawn("shortlists", "blanks") if fills else None),
        Panel("sides", "sides", "From both sides, and from the left", options={**about, "column": "right"}, figure=made.drawn("shortlists", "sides") if fills else None),
        Panel("follows", "follows", "Does the second sentence follow the first?", options={**about, "column": "right"}, figure=made.drawn("bars", "follows") if pairs else None),
    )
    return replace(made, panels=panels, selection={"masks": ""})


def opened(run: Run) -> Blanks:
    return stage(run, cache.model(run))
