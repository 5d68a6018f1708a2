"""What the page on decoding answers: the logits after one token of the text go to the browser."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.analysis import decode
from engine.core.trace import Axis, Field, FieldSpec, Kind
from engine.live import cache
from engine.live.reply import Extra, Reading, Sent, outline
from engine.live.request import Request
from engine.live.shown import Shown
from engine.models.abilities import able
from engine.models.base import Model

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
    vocabulary."""
    at, keep = find_token(request, shown), shown.keep
    found = Reading(outline(shown, keep))
    labels = shown.part.labels
    if labels:
        axes = Axis("next", shown.reader.model.tokenizer.vocab), Axis("token", labels)
        ids = Field(ID, shown.part.ids.astype(np.float32), axes[1:])
        logit = Field(LOGITS, logits(shown, at), axes[:1])
        found = Reading(found.part, (Sent(logit), Sent(ids, skip=keep)))
    return found.add(Extra({"after": at}))


def find_token(request: Request, shown: Shown) -> int:
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
