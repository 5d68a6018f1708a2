"""What is kept between key presses: opened models, and traces up to a number of bytes.  Frozen, so sessions share them."""

from __future__ import annotations

import contextlib
import gc
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import Any

import numpy as np
import streamlit as st

from engine import overview, reading
from engine.models.base import Model
from engine.runs import SHIPPED, Run, RunStore
from engine.trace import Trace
from pages.ui import moments

Place = tuple[str, tuple[int, int]]  # a text and the tokens of it that are shown
TRACES_BYTES, BLOCKS_BYTES = 64_000_000, 48_000_000
OVERVIEWS = 6
MODELS = 64


class Traces:
    """Least recently used traces, or blocks of an overview, go first once they hold more than `limit` bytes together."""

    def __init__(self, limit: int) -> None:
        self._limit, self._kept, self._bytes, self._lock = limit, OrderedDict[Any, Any](), 0, threading.Lock()

    def get(self, key: Any) -> Any:
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def put(self, key: Any, trace: Any) -> None:
        with self._lock:
            if key in self._kept or trace.size_bytes > self._limit:
                return
            self._kept[key] = trace
            self._bytes += trace.size_bytes
            while self._bytes > self._limit:
                self._bytes -= self._kept.popitem(last=False)[1].size_bytes


BLOCKS = Traces(BLOCKS_BYTES)
TRACES = Traces(TRACES_BYTES)  # no cache_resource: looking into one costs 60 microseconds, and a key looks ten times
_open: set[tuple[str, str]] = set()
_waited_for: list[None] = []  # one for each page that somebody waits for


@st.cache_resource(max_entries=MODELS, show_spinner=False)
def _model(id: str, recipe: str, _run: Run) -> Any:
    found = RunStore().load(_run)
    _open.add((id, recipe))
    return found


def is_open(*runs: Run) -> bool:
    """Whether these models can answer at once."""
    return all(run in moments.KEPT if run.step is not None else (str(run.folder), str(run.note.get("recipe"))) in _open for run in runs)


def model(run: Run) -> Any:
    if run.step is not None:
        return moments.model(run)
    return _model(str(run.folder), str(run.note.get("recipe")), run)


def forget(run: Run) -> None:
    """A deleted run need not stay in memory, nor its file on the disk."""
    _model.clear(str(run.folder), str(run.note.get("recipe")), run)
    _open.discard((str(run.folder), str(run.note.get("recipe"))))
    moments.KEPT.forget(run)


def runs(model_id: str | None) -> list[Run]:
    """Finished runs of a model, or of all models, shipped ones first."""
    return RunStore().all(model_id)


def runs_of(*model_ids: str) -> list[Run]:
    """Finished runs of these models, in their order."""
    every = runs(None)
    return [run for id in dict.fromkeys(model_ids) for run in every if run.model == id]


def trace(run: Run, model: Model[Any], text: str, fields: tuple[str, ...], window: tuple[int, int], base: Place | None = None) -> Trace:
    """`base`: the text on the screen and its window; where that trace is still here, the run's model can go on from it."""
    of = (str(run.folder), run.note.get("recipe"), fields)
    found = TRACES.get((*of, text, window))
    if found is None:
        after, tokens, carried = TRACES.get((*of, *base)) if base else None, reading.tokens(model, text), None
        if window[0] and overview.carries_on(model):
            carried = survey(run, model, text).state(window[0])
            if base and not np.array_equal(reading.tokens(model, base[0]).ids[: window[0]], tokens.ids[: window[0]]):
                after = None  # what stands before the window is no longer the same
        found = model.trace(text, fields=fields, window=window, after=after, tokens=tokens, carried=carried)
        TRACES.put((*of, text, window), found)
    return found


def survey(run: Run, model: Model[Any], text: str) -> overview.Overview:
    """The overview of a text, as far as it has been read.  ValueError for a model that can't read in blocks."""
    return _survey(str(run.folder), str(run.note.get("recipe")), text, model)


@lru_cache(OVERVIEWS)
def _survey(folder: str, recipe: str, text: str, model: Model[Any]) -> overview.Overview:
    return overview.Overview(model, text, reading.tokens(model, text), BLOCKS, (folder, recipe))


@contextlib.contextmanager
def at_once() -> Iterator[None]:
    """What somebody waits for goes before the warm-up: two threads at work make each other more than twice as slow."""
    _waited_for.append(None)
    try:
        yield
    finally:
        _waited_for.pop()


def warm_up(first: Collection[str]) -> None:
    """When the server starts, in the background while the browser loads the page: open the shipped models, as many as stay open.

    first  ids of the runs that the first page shows

    Collecting garbage costs 130 ms and more once torch is loaded; frozen objects are not looked at again.
    """

    def work() -> None:
        runs = [run for run in RunStore().all() if run.folder.parent == SHIPPED]
        for run in sorted(runs, key=lambda run: run.id not in first)[:MODELS]:
            while _waited_for:
                time.sleep(0.02)
            with contextlib.suppress(ValueError):  # a damaged run: its page says so
                model(run).trace("Warm up.")
        gc.collect()
        gc.freeze()

    sys.setswitchinterval(0.001)  # nobody's turn lasts longer than a millisecond: the page is served meanwhile, and many can type
    threading.Thread(target=work, name="warm-up", daemon=True).start()
