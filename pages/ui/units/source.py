"""Which model, which of its fields and which text; read once and tested once for all who look at
it."""

from __future__ import annotations

import hashlib
import threading
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine.analysis.units import features, probe, reading
from engine.analysis.units.features import HYPOTHESES
from engine.core.cache import Cache
from engine.core.registry import models
from engine.lessons.counting_texts import MOST_CHARACTERS as MOST_TYPED
from engine.lessons.counting_texts import own_lines
from engine.live import cache
from engine.live.markdown import sentence
from engine.models.abilities import Remembers
from engine.runs.store import Run
from pages.ui import shell, texts

if TYPE_CHECKING:
    from engine.models.base import Model

POSITIONS, MOST_BYTES = 24_576, 2**26
MOST_CHARACTERS = 4_000_000  # of a long text; the positions come from all over them
OWN = "Your own text"
MODEL_MISSING = (
    "No recurrent model has been trained yet. Train one with `python -m engine train lstm"
    " --text FILE --out DIR`, or all with `make zoo`."
)


@dataclass(frozen=True, eq=False)
class Tested:
    """A reading, per hypothesis its numbers (F, N) and where it holds (F, N), and the tests."""

    reading: reading.Reading
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
        with st.spinner("Testing every unit …"):
            return probe.probe(self.reading.state_UN, self.holds_FN)


def own() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The lines of the reader's own text, and notes of what was done to it."""
    left, right = st.columns((3, 2))
    text = left.text_area(
        "Your text, one sentence per line",
        key="own",
        height=150,
        placeholder="Paste or type here",
        max_chars=MOST_TYPED,
    )
    kinds = ("txt", "md", "text")
    given = right.file_uploader("or a text file", kinds, key="upload", max_upload_size=50)
    return own_lines(text or "", None if given is None else (given.name, given.getvalue()))


@dataclass(frozen=True, eq=False)
class Chosen:
    """`says` names run, field and text under every picture; `key` changes with all three."""

    run: Run
    model: Model[Any]
    field: str
    title: str
    key: str
    tested: Tested

    @property
    def says(self) -> str:
        return (
            f"Model: {self.run.title} ({self.run.id}); {self.field}; {len(self.tested.reading):,}"
            f" positions of {self.title}"
        )

    def name(self, row: int) -> str:
        layer, unit = self.tested.reading.place(row)
        return f"layer {layer + 1}, unit {unit}"


def recurrent_runs() -> list[Run]:
    """Runs of models whose units read from left to right, the shipped LSTM first."""
    of = [
        id for id in models.ids() if issubclass(kind := models.get(id), Remembers) and kind.forwards
    ]
    return sorted((run for id in of for run in cache.runs(id)), key=lambda run: run.id != "lstm")


def choose(line: DeltaGenerator) -> Chosen:
    """The controls: two in the head of the page, one in the line above the picture.  Stops the
    page, with a sentence, where there is nothing to read."""
    runs = recurrent_runs()
    if not runs:
        st.info(MODEL_MISSING)
        st.stop()
    row = shell.bar()
    run = shell.choose(runs, "units", where=row)
    options = {texts.first(run, "text_of"): "", **texts.listed(), "own": OWN}
    id = texts.pick(
        "Text to read", options, "text_of", box=row, width=150, label_visibility="collapsed"
    )
    title = options[id]
    try:
        model = cache.model(run)
        signals = reading.signals(model)
        if st.session_state.get("signal") not in (None, *signals):  # another model has other fields
            st.session_state["signal"] = signals[0]
        words = "Signal of each unit"
        signal = line.selectbox(words, signals, key="signal", bind="query-params", width=140)
        signal = signal or signals[0]
        lines, notes = own() if id == "own" else ((), ())
        for note in notes:
            st.info(note)
        if id == "own" and not lines:
            st.stop()
        digest = hashlib.sha256("\n".join(lines).encode("utf-8", "replace")).hexdigest()[:16]
        key = " ".join((*run.key, signal, id, digest))
        tested = read(key, model, signal, id, lines)
        if not lines and (left_out := texts.left_out(id, MOST_CHARACTERS)):
            st.caption(left_out)
    except (ValueError, LookupError, MemoryError) as problem:
        too_large = "This text is too large to read here. Choose a shorter one."
        st.error(sentence(problem) if str(problem) else too_large)
        st.stop()
    if not len(tested.reading):
        st.info("This text has nothing to read. Type a few sentences.")
        st.stop()
    return Chosen(run, model, signal, title.lower() if id == "own" else title, key, tested)


READINGS: Cache[str, Tested] = Cache("readings", attrgetter("size_bytes"), keep_last=True)
_reading = threading.Lock()  # one at a time: on the way it takes twice what is kept in the end


def read(key: str, model: Model[Any], signal: str, corpus: str, lines: tuple[str, ...]) -> Tested:
    if (found := READINGS.get(key)) is not None:
        return found
    with st.spinner("Reading the text …"):
        return READINGS.made(key, lambda: _read(model, signal, corpus, lines))


def _read(model: Model[Any], signal: str, corpus: str, lines: tuple[str, ...]) -> Tested:
    text = "\n".join(lines) if lines else texts.beginning(corpus, MOST_CHARACTERS)
    with _reading:
        found = reading.read(model, text, signal, POSITIONS, MOST_BYTES)
        numbers = [features.counts(h, found.text, found.span_N2) for h in HYPOTHESES]
        holds = [features.truths(h, n_N) for h, n_N in zip(HYPOTHESES, numbers, strict=True)]
        return Tested(found, np.stack(numbers), np.stack(holds))
