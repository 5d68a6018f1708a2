"""What is read and tested: a field of a recurrent model over a text, all hypotheses about it, and the tests of
every unit.

Shapes    U = units, N = positions, F = hypotheses
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter
from typing import Any

import numpy as np

from engine import frame as fr
from engine.analysis.units import features, probe
from engine.analysis.units.features import HYPOTHESES
from engine.analysis.units.reading import Reading, read, signals
from engine.core.cache import Cache
from engine.course import planted
from engine.language.message import _
from engine.lessons.counting_texts import MOST_CHARACTERS as MOST_TYPED
from engine.lessons.counting_texts import OWN, own_lines
from engine.live import cache
from engine.live.markdown import sentence
from engine.models.base import Model
from engine.runs.store import Run
from engine.text.collection.beginning import beginning, by_label, left_out

POSITIONS, MOST_BYTES = 24_576, 2**26
MOST_CHARACTERS = 4_000_000  # of a long text; the positions come from all over them
LARGE = "This text is too large to read here. Choose a shorter one."


@dataclass(frozen=True, eq=False)
class Tested:
    """A reading, per hypothesis its numbers (F, N) and where it holds (F, N), and the tests."""

    reading: Reading
    number_FN: np.ndarray
    holds_FN: np.ndarray

    @property
    def size_bytes(self) -> int:
        return self.reading.state_UN.nbytes + self.number_FN.nbytes + self.holds_FN.nbytes

    def auc(self, row: int) -> np.ndarray:
        """(F,) of one unit, without the tests of all others."""
        return probe.auc(self.reading.state_UN[row], self.holds_FN)

    @cached_property
    def probe(self) -> probe.Probe:
        """Every unit; takes seconds the first time."""
        return probe.probe(self.reading.state_UN, self.holds_FN)


READINGS: Cache[Any, Tested] = Cache("readings", attrgetter("size_bytes"), keep_last=True)
_reading = threading.Lock()  # one at a time: on the way it takes twice what is kept in the end


@dataclass(frozen=True)
class Asked:
    """Which field of which run over which text; `lines` of a text of the reader's."""

    run: Run = field(compare=False)
    run_key: tuple[Any, ...]
    signal: str
    corpus: str
    lines: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        return titles({})[self.corpus] if self.corpus != OWN.id else OWN.title.lower()

    def named(self, row: int) -> str:
        layer, unit = self.tested.reading.place(row)
        return _("layer {layer}, unit {unit}", layer=layer + 1, unit=unit)

    def note(self, row: int | None = None) -> str:
        """Below a picture: the run, the field, the text, the unit."""
        of, count = f"{self.run.title} ({self.run.id})", len(self.tested.reading)
        said = _(
            "Model: {of}; {signal}; {count:,} positions of {title}",
            of=_(of),
            signal=_(self.signal),
            count=count,
            title=_(self.title),
        )
        return said if row is None else said + "; " + self.named(row)

    @property
    def tested(self) -> Tested:
        """ValueError with a sentence where it cannot be read."""
        key = (*self.run_key, self.signal, self.corpus, self.lines)
        try:
            return READINGS.made(key, self._read)
        except (ValueError, LookupError, MemoryError) as problem:
            raise ValueError(sentence(problem) if str(problem) else LARGE) from problem

    def _read(self) -> Tested:
        text = "\n".join(self.lines) or beginning(self.corpus, MOST_CHARACTERS)
        with _reading:
            model = cache.model(self.run, Model)
            found = read(model, text, self.signal, POSITIONS, MOST_BYTES)
            numbers = [features.counts(h, found.text, found.span_N2) for h in HYPOTHESES]
            holds = [features.truths(h, n_N) for h, n_N in zip(HYPOTHESES, numbers, strict=True)]
            return Tested(found, np.stack(numbers), np.stack(holds))


def titles(given: fr.Others) -> dict[str, str]:
    return {**{corpus.id: label for label, corpus in by_label().items()}, OWN.id: OWN.title}


def first_text(given: fr.Others) -> str:
    """What a model of a planted text has learned: one of brackets is not asked about English."""
    return planted.text(given["run"].note) or "stories"


def fields(given: fr.Others) -> list[str]:
    try:
        return signals(given["open_run"](given["run"]))
    except (ValueError, LookupError):  # a damaged run, as the reading will say
        return ["cell"]


@fr.head("Reading the text …")
def reading(
    run: Run,
    open_run: Callable[[Run], Any],
    corpus: str = fr.pick("Text to read", titles, first_text, width=150),
    signal: str = fr.pick("Signal of each unit", fields, width=140),
    *,
    own: str = fr.typed(
        "Your text, one sentence per line", "", MOST_TYPED, "Paste or type here", tall=150
    ),
    upload: Any = fr.upload("or a text file", ("txt", "md", "text")),
) -> fr.Choosing[Asked]:
    lines = tuple[str, ...]()
    if corpus == OWN.id:
        yield fr.Beside([[fr.Controls(["own"])], [fr.Controls(["upload"])]], (3, 2))
        lines, notes = own_lines(own, upload)
        if not lines:
            raise ValueError(notes[0])
        yield from map(fr.Note, notes)
    elif said := left_out(corpus, MOST_CHARACTERS):
        yield fr.Note(said)
    found = Asked(run, run.key, signal, corpus, lines)
    if not len(found.tested.reading):
        raise ValueError("This text has nothing to read. Type a few sentences.")
    return found


HEAD = reading
