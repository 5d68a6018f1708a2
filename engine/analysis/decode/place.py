"""Place: a text read to its end, from where a model can go on token by token.

What      the logits of what comes next, and the state that the tokens so far leave: keys and values
          of a Transformer (the KV cache), cell and hidden state of a recurrent network
Source    Graves, Generating Sequences with Recurrent Neural Networks, 2013, sec. 2; Shazeer, Fast
          Transformer Decoding, 2019, sec. 2.2
Shapes    V = vocabulary
Differs   One more token costs one step of the model.  Where the text has filled the context of a
          model, its places move with each token and what was kept is no longer true: then the last
          `context` tokens are read again.
          A model that carries nothing (an n-gram table) reads the few last tokens that it needs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from engine.core.tap import Recorder
from engine.core.trace import FieldSpec
from engine.language.message import refusal
from engine.models.base import Model
from engine.text.tokenizers.base import Tokens

ONE_EACH = ("layer", "token", "unit")  # a state of one token each: only the last is needed


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """logit_V are log-probabilities where the model has no field `logits`; `since` is the first
    token that counts as repeated."""

    model: Model[Any]
    tokens: Tokens
    logit_V: np.ndarray
    state: Mapping[str, np.ndarray] | None = None
    held: int = 0  # tokens that the state is of
    since: int = 0

    @property
    def seen(self) -> list[int]:
        ids: list[int] = self.tokens.ids[self.since :].tolist()
        return ids


def expects(model: Model[Any], tokens: Tokens) -> np.ndarray:
    """What follows the last of the tokens: probabilities (V,), float32.  ValueError without a token
    or without `probability`.

    Reads as many of the last tokens as the model can take, and no more than it needs.
    """
    p_V: np.ndarray = _last(model, tokens, "probability")
    return p_V


def read(model: Model[Any], tokens: Tokens, keeps: bool = True) -> Place:
    """Read a text.  `keeps`: what the model carries is kept, so that `take_step` need not read it
    again."""
    _check(model, tokens)
    total = len(tokens)
    if not keeps or not model.carries or total < 2:
        return Place(model, tokens, _logits(model, _last(model, tokens, _source(model))))
    first = max(0, total - model.context) if model.context else 0
    recorder = Recorder((), model.carries, origin=first)
    model.run(tokens[first : total - 1], recorder)
    return _on(Place(model, tokens, np.zeros(0)), _states(model, recorder, None), total - 1 - first)


def take_step(place: Place, id: int) -> Place:
    """The place one token further."""
    tokens = append(place, id)
    full = place.model.context is not None and place.held >= place.model.context
    if place.state is None or full:
        return replace(
            read(place.model, tokens, keeps=bool(place.model.carries) and not full),
            since=place.since,
        )
    return _on(replace(place, tokens=tokens), place.state, place.held)


def append(place: Place, id: int) -> Tokens:
    """The tokens so far and one more."""
    was, vocab = place.tokens, place.model.tokenizer.vocab  # type: ignore[attr-defined]
    return Tokens(
        np.append(was.ids, id),
        (*was.labels, vocab[id]),
        (*was.spans, (0, 0)),
        was.unknown,
        was.source,
        was.lost,
    )


def _on(place: Place, state: Mapping[str, np.ndarray], held: int) -> Place:
    """The last token of `place`, read from the state of the tokens before it."""
    model, source = place.model, _source(place.model)
    recorder = Recorder((), {*model.carries, source}, origin=len(place.tokens) - 1)
    model.go_on(place.tokens[len(place.tokens) - 1 :], state, recorder)
    spec = next(s for s in model.spec() if s.name == source)
    assert isinstance(spec, FieldSpec)
    return replace(
        place,
        logit_V=_logits(model, recorder.values(spec)[0]),
        state=_states(model, recorder, state),
        held=held + 1,
    )


def _states(
    model: Model[Any], recorder: Recorder, before: Mapping[str, np.ndarray] | None
) -> dict[str, np.ndarray]:
    found = {}
    for spec in model.spec():
        if isinstance(spec, FieldSpec) and spec.name in model.carries:
            new = recorder.values(spec)
            if spec.axes == ONE_EACH:
                new = new[:, -1:]
            elif before is not None and "token" in spec.axes:
                new = np.concatenate([before[spec.name], new], spec.axes.index("token"))
            found[spec.name] = new
    return found


def _source(model: Model[Any]) -> str:
    return "logits" if any(spec.name == "logits" for spec in model.spec()) else "probability"


def _logits(model: Model[Any], value_V: np.ndarray) -> np.ndarray:
    value_V = value_V.astype(np.float64)
    if _source(model) == "logits":
        return value_V
    with np.errstate(divide="ignore"):
        found_V: np.ndarray = np.log(value_V)
    return found_V


def _check(model: Model[Any], tokens: Tokens) -> None:
    if not any(spec.name == "probability" for spec in model.spec()):
        raise refusal(
            "a {model.card.id} model gives no probability of what comes next; choose a language"
            " model"
        )
    if not len(tokens):
        raise ValueError("this model can't start from nothing; give it a first word")


def _last(model: Model[Any], tokens: Tokens, name: str) -> Any:
    """The last row of one field."""
    _check(model, tokens)
    total = len(tokens)
    first = model.lead(total - 1) if model.context is None else max(0, total - model.context)
    recorder = Recorder((), {name}, (total - 1 - first, total - first), first)
    model.run(tokens[first:], recorder)
    spec = next(s for s in model.spec() if s.name == name)
    assert isinstance(spec, FieldSpec)
    return recorder.values(spec)[0]
