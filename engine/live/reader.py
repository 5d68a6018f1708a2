"""Reader: one model on a page: what to ask of it and what the browser has to know of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from engine.core.trace import Field, FieldSpec, TableSpec, Trace
from engine.language.message import _
from engine.text.tokenizers.base import Tokenizer, Tokens
from engine.views import theme

BESIDES = {
    "probability": ("probability",),
    "ladder": ("probability", "ladder"),
    "neighbours": ("vector", "neighbours"),
}


class Reads(Protocol):
    """What is asked of whatever cuts the text of a page.
    Who needs numbers asks for a model: `able(reader.model, Model)`."""

    @property
    def tokenizer(self) -> Tokenizer: ...
    @property
    def context(self) -> int | None: ...
    @property
    def carries(self) -> tuple[str, ...]: ...
    @property
    def forgets(self) -> bool: ...
    @property
    def by_id(self) -> bool: ...
    def tokens(self, text: str) -> Tokens: ...
    def marks(self) -> Tokens: ...
    def spec(self) -> tuple[FieldSpec | TableSpec, ...]: ...
    def labels(self, tokens: Tokens) -> Mapping[str, tuple[str, ...]]: ...


@dataclass(frozen=True, slots=True)
class Reader:
    """One model on a page: what to ask of it and how to call it.

    fields   names to send to the browser
    top      "probability": likeliest next tokens; "ladder": the same with the n-gram orders they
             come from; "neighbours": nearest words; another name: the largest of that field (token,
             ...); "": none
    derive   more fields, computed from the trace (a place on a map)
    colour   number of its colour on a page of several readers
    also     names to ask of the model and not to send: a page computes from them
    layers   how many layers the fields are asked of, where nothing behind them is (`Model.trace`)
    goes_on  whether a run may go on from the one before; without it every run reads the whole
             text, and numbers that nothing reaches are the same bit for bit

    needs    (made) the fields to ask the model for
    changing (made) those of them that a token typed later may change
    """

    id: str
    title: str
    model: Reads
    run: str
    unit: str
    fields: tuple[str, ...] = ()
    top: str = "probability"
    most: int = 12
    colour: int = 0
    derive: Callable[[Trace], tuple[Field, ...]] | None = None
    derived: tuple[FieldSpec, ...] = ()
    place_of: Callable[[str], list[float]] | None = None  # where a vocabulary word lies on the map
    more: Mapping[str, Any] | None = None  # sent to the browser once
    also: tuple[str, ...] = ()
    layers: int | None = None
    goes_on: bool = True
    needs: tuple[str, ...] = field(init=False, repr=False, compare=False)
    changing: frozenset[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        carries = self.model.carries if self.goes_on else ()
        needs = tuple(dict.fromkeys((*self.fields, *self.top_of, *self.also, *carries)))
        object.__setattr__(self, "needs", needs)
        changing = (s.name for s in self.model.spec() if not s.causal and s.name in needs)
        object.__setattr__(self, "changing", frozenset(changing))

    @property
    def top_of(self) -> tuple[str, ...]:
        """The fields and tables that the list of the expected is made of."""
        return BESIDES.get(self.top, (self.top,) if self.top else ())

    def describe(self) -> dict[str, Any]:
        """What the browser has to know once: names, units, colours."""
        specs = [s for s in self.model.spec() if isinstance(s, FieldSpec) and s.name in self.fields]
        labels = dict(self.model.labels(self.model.tokens("")))
        orders = [_("order {o}", o=o) if o.isdigit() else o for o in labels.get("order", ())]
        return {
            "id": self.id,
            "title": self.title,
            "run": self.run,
            "unit": self.unit,
            "one": self.unit.removesuffix("s"),
            "colour": self.colour,
            "marks": len(self.model.marks()),
            "vocabulary": len(self.model.tokenizer.vocab),
            "talks": self.model.tokenizer.talks,
            "orders": orders or None,
            "labels": {"order": orders} if orders else {},
            "fields": {s.name: describe_field(s) for s in (*specs, *self.derived)},
            **(self.more or {}),
        }


def describe_field(spec: FieldSpec) -> dict[str, Any]:
    """What the browser has to know of a field: its words and its colours."""
    scale = theme.scale(spec)
    return {
        "kind": spec.kind.value,
        "says": spec.says,
        "symbol": spec.symbol,
        "unit": spec.unit,
        "short": spec.name.removeprefix("gate."),
        "scale": {
            "low": scale.low,
            "high": scale.high,
            "light": theme.stops(spec, False),
            "dark": theme.stops(spec, True),
        },
    }


def describe_unread(id: str, title: str, unit: str, **more: Any) -> dict[str, Any]:
    """What the browser has to know of a text that no model reads (`Stage.unread`)."""
    known = {
        "one": unit.removesuffix("s"),
        "run": "",
        "colour": 0,
        "marks": 0,
        "vocabulary": 0,
        "orders": None,
    }
    return {"id": id, "title": title, "unit": unit, **known, "labels": {}, "fields": {}, **more}
