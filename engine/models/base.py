"""Model: what every sequence model here can do, written down once.

What      A model says what it is (`card`), how it is set (`config_type`) and trained (`fit`, `corpus`,
          `cost`), which numbers a run of it gives (`spec`) and which numbers it has learned
          (`parameters_spec`).  Two methods, `trace` and `parameters`, are the same for every model.
          What only some can do is a class of its own in engine/models/abilities.py.
Differs   Nobody asks a model whether it has an attribute: it is here, or in an ability, and mypy
          checks it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any, ClassVar, Generic, Self, TypeVar, final

import numpy as np

from engine.core.numbers import Array, Numbers
from engine.core.tap import Edit, Enough, Recorder, Tap, of_numbers
from engine.core.trace import Field, FieldSpec, Kind, Table, TableSpec, Trace
from engine.language.message import _, refusal
from engine.models.cost import Cost, Cut
from engine.text.tokenizers.base import Tokenizer, Tokens

C = TypeVar("C")

Weights = Mapping[str, np.ndarray]


@dataclass(frozen=True, slots=True)
class Card:
    """The label on the box."""

    id: str
    title: str
    year: int
    source: str  # author, title, year: where the equations come from


class Corpus(StrEnum):
    """What each line of a training text has to be."""

    TEXT = "text"  # any passage
    LABELLED = "labelled"  # a label, a tab and a text
    TAGGED = "tagged"  # word/TAG word/TAG ...
    PARALLEL = "parallel"  # a text, a tab and its translation


@dataclass(frozen=True, slots=True)
class Progress:
    """One report from training.  The last one carries the trained model."""

    step: int
    total: int
    metrics: Mapping[str, float] = field(default_factory=dict)
    model: Model[Any] | None = None
    checkpoint: Callable[[], Weights] | None = (
        None  # all that `fit(resume=...)` needs to go on from here
    )
    now: Callable[[], Model[Any]] | None = (
        None  # the model as it is at this step; both are to be asked before the next one
    )
    passed: bool = False
    """Whether the model is further than this step already, so that neither can be asked; a later
    report has both."""
    notes: Mapping[str, str] = field(default_factory=dict)
    """What run.json shall say of the training besides."""


class Model(ABC, Generic[C]):
    card: ClassVar[Card]
    config_type: ClassVar[type]  # a frozen dataclass; every field has a default
    config: C
    tokenizer: Tokenizer  # how it cuts a text, and all the tokens it knows
    context: int | None = None
    """The most tokens that one run can take; None means any number."""
    carries: ClassVar[tuple[str, ...]] = ()
    """Fields from which a run can go on after the tokens they are of."""
    gathers: ClassVar[bool] = False
    """Whether it goes on from what it carries of all tokens before, and not of the last one alone."""
    corpus: ClassVar[Corpus] = Corpus.TEXT
    """What kind of text it learns from."""
    sample: ClassVar[str] = ""
    """A few lines of such a text; empty where any text will do."""
    stepwise: ClassVar[bool] = False
    """Whether it learns in steps and can be asked at each of them: its reports carry `now`."""
    foretells: ClassVar[bool] = False
    """Whether it says after each token of a text what comes next, in the field `probability`."""

    by_id: ClassVar[bool] = False
    """Whether a token counts by its id alone, and not by how it is written: unknown words are all
    one to it."""

    @property
    def forgets(self) -> bool:
        """Whether a number depends on a few tokens back only, so that a run may begin shortly
        before what is asked for."""
        return type(self).lead is not Model.lead

    @property
    def normalised(self) -> bool:
        """Whether each row of the field `probability` sums to 1; False: they are scores, from which
        no perplexity comes."""
        return True

    @property
    def as_it_stands(self) -> bool:
        """Whether it takes a text as it stands: every line counts, blank ones too, and none is held
        out from training."""
        return False

    @property
    def depth(self) -> int:
        """How many layers are stacked, as a hint to whoever records them; 0 where nobody knows."""
        return 0

    @property
    def causal(self) -> bool:
        """Whether none of its numbers changes with what is typed after their token.  A single
        field says so itself: `FieldSpec.causal`."""
        return all(spec.causal for spec in self.spec())

    @classmethod
    @abstractmethod
    def fit(
        cls, text: str, config: C, *, seed: int, device: str = "cpu", resume: Weights | None = None
    ) -> Iterator[Progress]:
        """Train on `text`, one passage a line.  A generator: the caller decides how to show, slow
        or stop it.

        ValueError with a sentence for the reader when the text is too small to learn from.
        """

    @classmethod
    def cut(cls, lines: Sequence[str], config: C) -> Cut:
        """What it would make of these lines: how many tokens, how large a vocabulary.

        Here, for any model, by beginning to train on them until a report carries a model.
        ValueError with a sentence for the reader when they are too few to learn from.
        """
        for report in cls.fit("\n".join(lines) + "\n", config, seed=0):
            made = report.model or (report.now() if report.now else None)
            if made is not None:
                tokens = sum(len(ids) + 1 for ids in made.tokenizer.ids(lines))
                learned = sum(v.size for v in made.weights().values() if v.dtype.kind == "f")
                return Cut(tokens, len(made.tokenizer.vocab), learned=learned)
        raise ValueError("there is nothing to learn from: the training ended without a model")

    @classmethod
    def cost(cls, config: C, found: Cut) -> Cost:
        """What a training on a text like that takes.  Here: the numbers learned, as `cut` found
        them; how much memory and time it takes is then measured on its first steps."""
        return Cost(found.learned, stepwise=cls.stepwise)

    @abstractmethod
    def tokens(self, text: str) -> Tokens:
        """Cut a text as this model reads it.  Any string is allowed."""

    def marks(self) -> Tokens:
        """What every text is read with besides its own tokens: a start mark, the marks at both
        ends."""
        return self.tokens("")

    @abstractmethod
    def spec(self) -> tuple[FieldSpec | TableSpec, ...]:
        """What `run` will tap, before it runs."""

    @final
    def promise(self, name: str) -> FieldSpec | None:
        """What `spec` promises under a name; None where it promises no such field."""
        return next((s for s in self.spec() if isinstance(s, FieldSpec) and s.name == name), None)

    @abstractmethod
    def run(self, tokens: Tokens, tap: Tap) -> None:
        """Read the tokens (at least one) and tap every promised number."""

    def go_on(self, tokens: Tokens, carried: Mapping[str, Array], tap: Tap) -> None:
        """Like `run`, for tokens that follow those whose `carries` fields are given, on the host or
        where the model is; they are not changed.  Only for models that carry any."""
        raise refusal("{name} has no state to carry on", TypeError, name=type(self).__name__)

    @abstractmethod
    def labels(self, tokens: Tokens) -> Mapping[str, tuple[str, ...]]:
        """Labels by axis name; an axis without an entry is numbered from 0."""

    @abstractmethod
    def weights(self) -> dict[str, np.ndarray]:
        """All that was learned, as arrays; with the config it is the whole model."""

    @classmethod
    @abstractmethod
    def from_weights(cls, config: C, weights: Weights) -> Self: ...

    def parameters_spec(self) -> tuple[FieldSpec, ...]:
        """What `parameters` holds: the numbers that were learned and belong to no text.  Here every
        array of `weights` that is made of fractions, as it lies there."""
        return tuple(
            FieldSpec(
                name,
                Kind.STATE,
                _grid(values.ndim),
                _("Numbers that were learned, stored as {name}.", name=_(name)),
            )
            for name, values in self.weights().items()
            if values.dtype.kind == "f"
        )

    def show_parameters(self, tap: Tap) -> None:
        """Tap every number that `parameters_spec` promises."""
        arrays = self.weights()
        for spec in self.parameters_spec():
            values = arrays[spec.name]
            flat = values.reshape(-1, *values.shape[-2:]) if values.ndim > 3 else values
            tap(spec.name, flat, spec.axes)

    def parameters_labels(self) -> Mapping[str, tuple[str, ...]]:
        """Labels by axis name of what `parameters` holds; an axis without an entry is numbered."""
        return {}

    def surprisals(self, lines: Sequence[str]) -> tuple[list[np.ndarray], list[np.ndarray]] | None:
        """Per line, read alone: bits (T,) of each token and of the line end, and which of them (T,)
        are unknown.

        None: there is no quicker way than a trace of each line.
        """
        return None

    def to(self, device: str) -> Self:
        """Move to "cpu" or "cuda"; counting models stay where they are."""
        return self

    def lead(self, start: int) -> int:
        """The first token that a run has to read so that the numbers from token `start` on are
        right; for any context."""
        return 0

    def trail(self, stop: int, total: int) -> int:
        """Where a run has to stop so that the numbers up to token `stop` are right: later where a
        model reads backwards too."""
        return stop

    @final
    def parameters(self, fields: Collection[str] | None = None) -> Trace:
        """The numbers that were learned, as a trace of no text: one field for each promise of
        `parameters_spec`, or for those named in `fields`."""
        recorder = Recorder(fields=fields)
        self.show_parameters(recorder)
        found = recorder.fields(self.parameters_spec(), self.parameters_labels())
        return Trace("", (), found)

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
        carried: tuple[int, Mapping[str, Array]] | None = None,
        layers: int | None = None,
    ) -> Trace:
        """Run on `text` and return its numbers.

        fields  names to keep (None: all); nothing else is copied
        window  (start, stop) tokens to keep; by default as many of the last ones as the model can
                take
        after   an earlier trace, made with edits that say the same about its tokens: where this
                text begins like that one, a model that carries something goes on from there instead
                of reading it again; the numbers are the same up to rounding
        tokens  the text as `self.tokens` cuts it, where the caller has that already
        carried (first, what the tokens before `first` left to carry on): a run begins there, at or
        before the window.
                Then whoever gives `after` too knows that the same tokens stand before its window
        layers  of how many layers `fields` are wanted, in a model that goes through its layers one
                after the other: nothing behind is computed.  None: of all.  `after` has as many
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
        # with a limited context a number depends on how far back the run began: always as far as
        # the model can look
        first = self.lead(start) if self.context is None else max(0, stop - self.context)
        first, state = carried or (first, None)
        ahead = state if state and self.gathers else {}
        kept = tokens[start:stop]
        found = (
            None
            if first != start and state is None
            else continued(self, kept, fields, after, start, edits, layers, ahead)
        )
        if found is None:
            recorder = Recorder(
                edits,
                fields,
                (start - first, stop - first),
                origin=first,
                layers=self.depth,
                deepest=layers and layers - 1,
                ahead=first if ahead else 0,
            )
            part = tokens[first : self.trail(stop, total)]
            with suppress(Enough):
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
            lost=kept.lost,
            offset=start,
            total=total,
        )


def _grid(dimensions: int) -> tuple[str, ...]:
    """Axes for an array that nobody gave any; what has more than three dimensions is shown as
    blocks."""
    return (
        ("block", "row", "column")[max(0, 3 - dimensions) :]
        if dimensions > 1
        else (("row",) * dimensions)
    )


def renamed(model: Model[Any], of: Trace, text: str, tokens: Tokens) -> Trace:
    """The numbers of `of` for another text whose tokens (all of them in `tokens`) have the same ids
    there: a word that the model does not know, typed on.  Tables tell of places and of known words."""
    kept = tokens[of.offset : of.offset + len(of.ids)]
    labels = model.labels(kept)

    def again(entry: Field | Table) -> Field | Table:
        return entry if isinstance(entry, Table) else of_numbers(entry.spec, entry.growing, labels)

    return Trace(
        text,
        kept.labels,
        tuple(map(again, of.values())),
        ids=kept.ids,
        spans=kept.spans,
        unknown=kept.unknown,
        lost=kept.lost,
        offset=of.offset,
        total=len(tokens),
    )


def continued(
    model: Model[Any],
    tokens: Tokens,
    names: Collection[str] | None,
    before: Trace | None,
    start: int,
    edits: tuple[Edit, ...] = (),
    layers: int | None = None,
    ahead: Mapping[str, Array] = MappingProxyType({}),
) -> tuple[Field | Table, ...] | None:
    """The fields of `tokens`, the first ones those of the trace `before`, where they lie; None where
    it is of no use.

    ahead  what the tokens before `start` left to carry on, where all of them are looked back at
    """
    specs = [spec for spec in model.spec() if names is None or spec.name in names]
    edited = {edit.name for edit in edits}
    needed = {*model.carries, *(spec.name for spec in specs), *edited}
    if not model.carries or before is None or before.offset != start or not needed <= set(before):
        return None
    # the last token is always read: a run has to tap something
    count = min(len(tokens) - 1, len(before.ids))
    differs = np.flatnonzero(before.ids[:count] != tokens.ids[:count])
    keep = int(differs[0]) if len(differs) else count
    if keep < 1 or not all(isinstance(spec, FieldSpec) for spec in specs):
        return None
    old = {name: before.field(name).growing for name in needed}
    # only words that are all one to the model have been typed
    if model.by_id and not edits and np.array_equal(before.ids, tokens.ids):
        labels = model.labels(tokens)
        return tuple(
            of_numbers(spec, old[spec.name], labels)
            for spec in specs
            if isinstance(spec, FieldSpec)
        )
    along = {name: before.field(name).axis_names for name in needed}
    if edits and {along[name] for name in (*model.carries, *edited)} != {
        ("layer", "token", "unit")
    }:
        return None  # only states of one token each are known to go on under an edit
    last = {name: old[name].rows(keep - 1, keep)[:, 0] for name in edited}
    recorder = Recorder(
        edits,
        names,
        origin=start + keep,
        last=last,
        deepest=layers and layers - 1,
        ahead=start if ahead else 0,
    )
    carried = {name: old[name].first(keep) for name in model.carries}
    if ahead:
        carried = {
            name: Numbers((ahead[name],), of.along).grown(of) for name, of in carried.items()
        }
    with suppress(Enough):
        model.go_on(tokens[keep:], {name: of.joined() for name, of in carried.items()}, recorder)
    labels = model.labels(tokens)
    return tuple(
        of_numbers(spec, old[spec.name].first(keep).grown(recorder.numbers(spec)), labels)
        for spec in recorder.promised(model.spec())
        if isinstance(spec, FieldSpec)
    )


def train(
    model: type[Model[Any]], text: str, config: Any, *, seed: int = 0, device: str = "cpu"
) -> Model[Any]:
    """Run `fit` to its end and return the model."""
    done = [
        p.model for p in model.fit(text, config, seed=seed, device=device) if p.model is not None
    ]
    return done[-1]
