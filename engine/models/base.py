"""Model: what every sequence model here can do.  A few small methods, one shared `trace`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, Self, TypeVar, final

import numpy as np

from engine.tap import Edit, Recorder, Tap
from engine.text.base import Tokens
from engine.trace import ALONG_TEXT, Axis, Field, FieldSpec, Kind, Table, TableSpec, Trace

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
    checkpoint: Callable[[], Weights] | None = None  # all that `fit(resume=...)` needs to go on from here
    now: Callable[[], Model[Any]] | None = None  # the model as it is at this step; both are to be asked before the next one


class Model(ABC, Generic[C]):
    card: ClassVar[Card]
    config_type: ClassVar[type]  # a frozen dataclass; every field has a default
    config: C
    context: int | None = None  # the most tokens that one run can take; None means any number
    carries: ClassVar[tuple[str, ...]] = ()  # fields from which a run can go on after the tokens they are of

    @property
    def forgets(self) -> bool:
        """Whether a number depends on a few tokens back only, so that a run may begin shortly before what is asked for."""
        return type(self).lead is not Model.lead

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

    def go_on(self, tokens: Tokens, carried: Mapping[str, np.ndarray], tap: Tap) -> None:
        """Like `run`, for tokens that follow those whose `carries` fields are given.  Only for models that carry any."""
        raise TypeError(f"{type(self).__name__} carries nothing from one run to the next")

    @abstractmethod
    def labels(self, tokens: Tokens) -> Mapping[str, tuple[str, ...]]:
        """Labels by axis name; an axis without an entry is numbered from 0."""

    @abstractmethod
    def weights(self) -> dict[str, np.ndarray]:
        """All that was learned, as arrays; with the config it is the whole model."""

    @classmethod
    @abstractmethod
    def from_weights(cls, config: C, weights: Weights) -> Self: ...

    def surprisals(self, lines: Sequence[str]) -> tuple[list[np.ndarray], list[np.ndarray]] | None:
        """Per line, read alone: bits (T,) of each token and of the line end, and which of them (T,) are unknown.

        None: there is no quicker way than a trace of each line.
        """
        return None

    def to(self, device: str) -> Self:
        """Move to "cpu" or "cuda"; counting models stay where they are."""
        return self

    def lead(self, start: int) -> int:
        """The first token that a run has to read so that the numbers from token `start` on are right; for any context."""
        return 0

    def trail(self, stop: int, total: int) -> int:
        """Where a run has to stop so that the numbers up to token `stop` are right: later where a model reads backwards too."""
        return stop

    @final
    def trace(
        self,
        text: str,
        edits: tuple[Edit, ...] = (),
        *,
        fields: Collection[str] | None = None,
        window: tuple[int, int] | None = None,
        after: Trace | None = None,
        tokens: Tokens | None = None,
        carried: tuple[int, Mapping[str, np.ndarray]] | None = None,
    ) -> Trace:
        """Run on `text` and return its numbers.

        fields  names to keep (None: all); nothing else is copied
        window  (start, stop) tokens to keep; by default as many of the last ones as the model can take
        after   an earlier trace, made with edits that say the same about its tokens: where this text begins like that
                one, a model that carries something goes on from there instead of reading it again; the numbers are the
                same up to rounding
        tokens  the text as `self.tokens` cuts it, where the caller has that already
        carried (first, what the tokens before `first` left to carry on): a run begins there, at or before the window.
                Then whoever gives `after` too knows that the same tokens stand before its window
        """
        tokens = self.tokens(text) if tokens is None else tokens
        total = len(tokens)
        start, stop = window or (0, total)
        stop = max(0, min(stop, total))
        start = max(0, min(start, stop))
        if self.context is not None:
            start = max(start, stop - self.context)
        if start == stop:
            return Trace(text, (), (), offset=start, total=total)
        # with a limited context a number depends on how far back the run began: always as far as the model can look
        first = self.lead(start) if self.context is None else max(0, stop - self.context)
        first, state = carried or (first, None)
        kept = tokens[start:stop]
        found = None if first != start and state is None else continued(self, kept, fields, after, start, edits)
        if found is None:
            recorder = Recorder(edits, fields, (start - first, stop - first), origin=first, layers=getattr(self.config, "layers", 0))
            part = tokens[first : self.trail(stop, total)]
            if state is None:
                self.run(part, recorder)
            else:
                self.go_on(part, state, recorder)
            found = recorder.fields(self.spec(), self.labels(kept))
        return Trace(
            text,
            kept.labels,
            found,
            ids=kept.ids,
            spans=kept.spans,
            unknown=kept.unknown,
            offset=start,
            total=total,
        )


def continued(
    model: Model[Any], tokens: Tokens, names: Collection[str] | None, before: Trace | None, start: int, edits: tuple[Edit, ...] = ()
) -> tuple[Field | Table, ...] | None:
    """The fields of `tokens`, the first ones copied from the trace `before`; None where it is of no use."""
    specs = [spec for spec in model.spec() if names is None or spec.name in names]
    edited = {edit.name for edit in edits}
    needed = {*model.carries, *(spec.name for spec in specs), *edited}
    if not model.carries or before is None or before.offset != start or not needed <= set(before):
        return None
    count = min(len(tokens) - 1, len(before.ids))  # the last token is always read: a run has to tap something
    differs = np.flatnonzero(before.ids[:count] != tokens.ids[:count])
    keep = int(differs[0]) if len(differs) else count
    if keep < 1 or not all(isinstance(spec, FieldSpec) for spec in specs):
        return None
    old = {name: before.field(name).values for name in needed}
    along = {name: before.field(name).axis_names for name in needed}
    if edits and {along[name] for name in (*model.carries, *edited)} != {("layer", "token", "unit")}:
        return None  # only states of one token each are known to go on under an edit
    last = {name: old[name][:, keep - 1] for name in edited}
    recorder = Recorder(edits, names, origin=start + keep, last=last)
    model.go_on(tokens[keep:], {name: _first(old[name], along[name], keep) for name in model.carries}, recorder)
    labels, fields = model.labels(tokens), []
    for spec in recorder.promised(model.spec()):
        assert isinstance(spec, FieldSpec)
        values = _joined(old[spec.name], recorder.values(spec), spec, keep)
        axes = [Axis(a, labels.get(a) or tuple(map(str, range(n)))) for a, n in zip(spec.axes, values.shape, strict=True)]
        fields.append(Field(spec, values, tuple(axes)))
    return tuple(fields)


def _first(values: np.ndarray, axes: tuple[str, ...], keep: int) -> np.ndarray:
    """The positions before `keep` along every axis of the text."""
    return values[tuple(slice(keep) if a in ALONG_TEXT else slice(None) for a in axes)]


def _joined(old: np.ndarray, new: np.ndarray, spec: FieldSpec, keep: int) -> np.ndarray:
    """Old positions, then new ones.  Over (query, key) the old rows get what a causal model puts where they can't look."""
    text = [i for i, a in enumerate(spec.axes) if a in ALONG_TEXT]
    if not text:
        return new
    old = _first(old, spec.axes, keep)
    if len(text) > 1:
        room = [(0, new.shape[i] - keep if i in text[1:] else 0) for i in range(new.ndim)]
        old = np.pad(old, room, constant_values=-np.inf if spec.kind is Kind.SCORE else 0)
    return np.concatenate([old, new], text[0])


def train(model: type[Model[Any]], text: str, config: Any, *, seed: int = 0, device: str = "cpu") -> Model[Any]:
    """Run `fit` to its end and return the model."""
    done = [p.model for p in model.fit(text, config, seed=seed, device=device) if p.model is not None]
    return done[-1]
