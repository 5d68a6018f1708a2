"""The live part of the BERT page: words masked by hand, what is guessed for them, from both sides
and from the left."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.core.trace import Axis, Field, Trace
from engine.language.message import _
from engine.lessons.bert import masked_prediction
from engine.lessons.bert.masked_prediction import Guess
from engine.live import cache, window
from engine.live.drawing import Drawing, Look, Traces, with_entries
from engine.live.reader import Reader
from engine.live.reply import Reading, unread
from engine.live.request import Request
from engine.live.stage import MOST_CHARACTERS, Panel, Stage
from engine.live.window import Window
from engine.runs.store import Run
from engine.text.segmentation import is_word
from engine.text.tokenizers.base import Tokens

if TYPE_CHECKING:
    from engine.models.abilities import Fills

READER = "bert"
FEW_WORDS = 2000  # of a larger vocabulary none is offered in place of another
READ = 2000  # characters that are looked at: more than the model has room for


@dataclass(frozen=True, slots=True)
class Blanks:
    """One encoder.  Every reply is of the whole text: in an encoder each word changes the numbers
    of all others."""

    model: Fills[Any]
    run: Run

    def unread(self, text: str, characters: Window, request: Request) -> list[Reading]:
        tokens, look = self.tokens(text), request.look
        at = chosen(self.model, tokens, look)
        asked = [str(look.get("masks", "")), look.whole("at" if "at" in look else "token")]
        told = self.said(self.model, text, tokens, at, place(tokens, at, look, self.model))
        said = {"asked": asked, **told}
        about = (tokens.labels, tokens.spans, said, tokens.unknown, tokens.lost)
        return [Reading(unread(READER, *about))]

    def tokens(self, text: str) -> Tokens:
        return masked_prediction.fit(self.model, window.tokens(self.model, text[:READ]))

    def said(
        self, model: Fills[Any], text: str, tokens: Tokens, at: set[int], t: int | None
    ) -> dict[str, Any]:
        found = masked_prediction.found(model, tokens, at, t)
        sides, pair = found.sides, found.pair
        vocab, segment_T = model.tokenizer.vocab, masked_prediction.segments(model, tokens)
        last = max((stop for __, stop in tokens.spans), default=0)
        return {
            "masks": sorted(at),
            "words": masked_prediction.words(model, tokens),
            "segments": segment_T.tolist(),
            "two": model.config.segments > 1,
            "first": model.config.offset,
            "left": len(text[last:].strip()),
            "fills": model.config.masked,
            "guesses": [pack(guess, vocab) for guess in found.guesses],
            "at": t,
            "sides": [pack(sides.both, vocab), pack(sides.left, vocab)] if sides else None,
            "pair": None if pair is None else pair.tolist(),
            "second": bool(segment_T[:-1].any() and (tokens.ids == model.tokenizer.end).sum() > 1),
        }

    def drawn(self, text: str, characters: Window) -> dict[str, Trace]:
        tokens = self.tokens(text)
        return {
            READER: Trace(
                text, tokens.labels, (), ids=tokens.ids, spans=tokens.spans, unknown=tokens.unknown
            )
        }

    def saved(self, traces: Traces, look: Look) -> Drawing:
        """What is guessed at the masks, and for one place from both sides and from the left."""
        model, tokens = self.model, self.tokens(traces[READER].text)
        at = chosen(model, tokens, look)
        t = place(tokens, at, look, model)
        found = masked_prediction.found(model, tokens, at, t)
        if not found.guesses:
            raise ValueError("Nothing to save yet: mask a word first.")
        title = self.run.title
        entries = [
            entry(
                model,
                guess,
                f"fill.{guess.at}",
                _("{title}, at place {at}", title=_(title), at=guess.at),
            )
            for guess in found.guesses
        ]
        if sides := found.sides:
            entries += [
                entry(model, sides.both, "both", _("Both sides of place {t}", t=t)),
                entry(model, sides.left, "left", _("Only what stands before place {t}", t=t)),
            ]
        trace = model.trace(
            traces[READER].text,
            fields=("sentence",) if model.config.pairs else (),
            tokens=masked_prediction.masked(model, tokens, at),
        )
        names = (*(e.spec.name for e in entries), *trace)
        options = {"top": masked_prediction.TOP}
        return Drawing(READER, "", with_entries(trace, *entries), names, options=options)


def pack(guess: Guess, vocab: tuple[str, ...]) -> dict[str, Any]:
    """For the browser."""
    return {
        "t": guess.at,
        "top": [[label, float(f"{p:.6g}")] for label, p in guess.top(vocab)],
        "true": guess.true,
    }


def entry(model: Fills[Any], guess: Guess, name: str, says: str) -> Field:
    spec = model.promise("fill")
    assert spec is not None
    spec = replace(spec, name=name, axes=("next",), says=says, symbol="")
    return Field(spec, guess.p_V, (Axis("next", model.tokenizer.vocab),))


def chosen(model: Fills[Any], tokens: Tokens, look: Mapping[str, Any]) -> set[int]:
    """The words masked by hand: their places stand in the address, joined by "_"."""
    asked = {int(part) for part in re.findall(r"\d{1,4}", str(look.get("masks", "")))}
    return asked & set(masked_prediction.words(model, tokens)) if model.config.masked else set()


def place(tokens: Tokens, at: set[int], look: Mapping[str, Any], model: Fills[Any]) -> int | None:
    """The place looked at closely: the one clicked last, else the first mask, else the last
    word."""
    typed = np.flatnonzero(tokens.ids == model.tokenizer.mask).tolist()
    real = {*masked_prediction.words(model, tokens), *typed}
    asked = look.get("at", look.get("token"))
    if isinstance(asked, int) and asked in real:
        return asked
    lettered = [t for t in real if any(c.isalpha() for c in tokens.labels[t])]
    return min([*at, *typed]) if at or typed else max(lettered or real, default=None)


def stage(run: Run, model: Fills[Any]) -> Stage:
    words = sorted(word for word in model.tokenizer.vocab if is_word(word))
    more = {"known": words if len(words) <= FEW_WORDS else [], "splits": True}
    reader = Reader(READER, run.title, model, run.id, "tokens", top="", more=more)
    made = Blanks(model, run)
    about = {
        "reader": READER,
        "vocabulary": len(model.tokenizer.vocab),
        "context": model.config.context,
    }
    blanks = Panel(
        "blanks",
        "blanks",
        "Click a word to mask it",
        options=about,
        figure=made.saved if model.config.masked else None,
    )
    return Stage(
        ((reader, run),),
        (blanks,),
        most=MOST_CHARACTERS,
        selection={"masks": ""},
        unread=made.unread,
        drawn=made.drawn,
    )


def open_stage(run: Run) -> Stage:
    from engine.models.abilities import Fills

    return stage(run, cache.model(run, Fills))


LIVE = open_stage
