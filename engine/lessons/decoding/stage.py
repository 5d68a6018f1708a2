"""What the page on decoding answers: the logits after one token of the text go to the browser, and
what is asked for is written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from engine.analysis import decode
from engine.analysis.decode import Place
from engine.core.trace import Axis, Field, FieldSpec, Kind
from engine.lessons.decoding import work as decoding_work
from engine.lessons.decoding import written as decoding_written
from engine.live import cache
from engine.live.reply import Extra, Reading, Sent, outline
from engine.live.request import Asks, Request
from engine.live.shown import Shown
from engine.models.abilities import able
from engine.models.base import Model
from engine.runs.store import Run

LOGITS = FieldSpec(
    "logits",
    Kind.SCORE,
    ("next",),
    "One number for every token that may come next, before softmax.",
    "z",
)
ID = FieldSpec("id", Kind.COUNT, ("token",), "The number of each token in the vocabulary.")


def source(model: Model[Any]) -> str:
    return "logits" if any(spec.name == "logits" for spec in model.spec()) else "probability"


def read(shown: Shown, request: Request) -> Reading:
    """One language model; every reply carries the logits after the token looked at, of the whole
    vocabulary, and what is asked for as far as it is written."""
    at, keep = behind(request, shown), shown.keep
    found = Reading(outline(shown, keep))
    said: dict[str, Any] = {"after": at}
    labels = shown.part.labels
    if labels:
        axes = Axis("next", shown.reader.model.tokenizer.vocab), Axis("token", labels)
        ids = Field(ID, shown.part.ids.astype(np.float32), axes[1:])
        logit = Field(LOGITS, logits(shown, at), axes[:1])
        found = Reading(found.part, (Sent(logit), Sent(ids, skip=keep)))
        for kind in decoding_written.KINDS:
            if (wish := request.asks.part(kind)) is not None:
                said[kind] = written(kind, shown, at, wish)
    return found.add(Extra(said))


def written(kind: str, shown: Shown, at: int, wish: Asks) -> dict[str, Any]:
    """One of KINDS as far as it has come; what is asked for begins or goes on."""
    model, since = able(shown.reader.model, Model), shown.window[0]
    order = decoding_written.order(kind, wish)
    tokens = shown.tokens[: at + 1]

    def place() -> Place:
        return replace(decode.read(model, tokens), since=since)

    found = work(kind, shown.run, place, tokens.ids, since, order).go()
    return {
        "of": wish.whole("of") or 0,
        "done": found.done,
        "problem": found.problem,
        **decoding_written.told(kind, model, int(tokens.ids[-1]), order, found.made),
    }


def work(
    kind: str, run: Run, place: Callable[[], Place], ids_T: np.ndarray, since: int, order: Any
) -> decoding_work.Work:
    def begin() -> Iterator[Any]:
        yield from decoding_written.KINDS[kind](place(), order)

    return decoding_work.of((kind, *run.key, ids_T.tobytes(), since, order), begin)


def behind(request: Request, shown: Shown) -> int:
    """The token of the text behind which is looked: the one asked for, or the last that is
    shown."""
    asks = request.asks
    asked = asks.whole("after") if "after" in asks else request.link.whole("token")
    first, stop = shown.window
    return asked if asked is not None and first <= asked < stop else stop - 1


def logits(shown: Shown, at: int) -> np.ndarray:
    """Logits (V,) float32 after token `at`; log-probabilities where the model gives no logits."""
    model = able(shown.reader.model, Model)
    if model.forgets:
        place = decode.read(model, shown.tokens[: at + 1], keeps=False)
        return place.logit_V.astype(np.float32)
    name = source(model)
    row = at - shown.window[0]
    values: np.ndarray = cache.trace_of(shown).field(name).rows(row, row + 1)[0]
    with np.errstate(divide="ignore"):
        return values if name == "logits" else np.log(values)
