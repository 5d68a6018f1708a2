"""Model: what every sequence model here can do.  A few small methods, one shared `trace`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, Self, TypeVar, final

import numpy as np

from engine.tap import Edit, Recorder, Tap
from engine.text.base import Tokens
from engine.trace import FieldSpec, TableSpec, Trace

C = TypeVar("C")

Weights = Mapping[str, np.ndarray]


@dataclass(frozen=True, slots=True)
class Card:
    """The label on the box."""

    id: str
    title: str
    year: int
    source: str  # author, title, year: where the equations come from
    causal: bool  # a later token never changes an earlier number


@dataclass(frozen=True, slots=True)
class Progress:
    """One report from training.  The last one carries the trained model."""

    step: int
    total: int
    metrics: Mapping[str, float] = field(default_factory=dict)
    model: Model[Any] | None = None
    checkpoint: Weights | None = None  # all that `fit(resume=...)` needs to go on from here


class Model(ABC, Generic[C]):
    card: ClassVar[Card]
    config_type: ClassVar[type]  # a frozen dataclass; every field has a default
    config: C
    context: int | None = None  # the most tokens that one run can take; None means any number

    @classmethod
    @abstractmethod
    def fit(
        cls, text: str, config: C, *, seed: int, device: str = "cpu", resume: Weights | None = None
    ) -> Iterator[Progress]:
        """Train on `text`, one passage a line.  A generator: the caller decides how to show, slow or stop it.

        ValueError with a sentence for the reader when the text is too small to learn from.
        """

    @abstractmethod
    def tokens(self, text: str) -> Tokens:
        """Cut a text as this model reads it.  Any string is allowed."""

    @abstractmethod
    def spec(self) -> tuple[FieldSpec | TableSpec, ...]:
        """What `run` will tap, before it runs."""

    @abstractmethod
    def run(self, tokens: Tokens, tap: Tap) -> None:
        """Read the tokens (at least one) and tap every promised number."""

    @abstractmethod
    def labels(self, tokens: Tokens) -> Mapping[str, tuple[str, ...]]:
        """Labels by axis name; an axis without an entry is numbered from 0."""

    @abstractmethod
    def weights(self) -> dict[str, np.ndarray]:
        """All that was learned, as arrays; with the config it is the whole model."""

    @classmethod
    @abstractmethod
    def from_weights(cls, config: C, weights: Weights) -> Self: ...

    def to(self, device: str) -> Self:
        """Move to "cpu" or "cuda"; counting models stay where they are."""
        return self

    def lead(self, start: int) -> int:
        """The first token that a run has to read so that the numbers from token `start` on are right; for any context."""
        return 0

    @final
    def trace(
        self,
        text: str,
        edits: tuple[Edit, ...] = (),
        *,
        fields: Collection[str] | None = None,
        window: tuple[int, int] | None = None,
    ) -> Trace:
        """Run on `text` and return its numbers.

        fields  names to keep (None: all); nothing else is copied
        window  (start, stop) tokens to keep; by default as many of the last ones as the model can take
        """
        tokens = self.tokens(text)
        total = len(tokens)
        start, stop = window or (0, total)
        stop = max(0, min(stop, total))
        start = max(0, min(start, stop))
        if self.context is not None:
            start = max(start, stop - self.context)
        if start == stop:
            return Trace(text, (), (), total=total)
        # with a limited context a number depends on how far back the run began: always as far as the model can look
        first = self.lead(start) if self.context is None else max(0, stop - self.context)
        recorder = Recorder(edits, fields, (start - first, stop - first), origin=first)
        self.run(tokens[first:stop], recorder)
        kept = tokens[start:stop]
        return Trace(
            text,
            kept.labels,
            recorder.fields(self.spec(), self.labels(kept)),
            ids=kept.ids,
            spans=kept.spans,
            unknown=kept.unknown,
            offset=start,
            total=total,
        )


def train(model: type[Model[Any]], text: str, config: Any, *, seed: int = 0, device: str = "cpu") -> Model[Any]:
    """Run `fit` to its end and return the model."""
    done = [p.model for p in model.fit(text, config, seed=seed, device=device) if p.model is not None]
    return done[-1]
