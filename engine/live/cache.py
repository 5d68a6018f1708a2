"""What is kept between key presses: opened models, and traces up to a number of bytes.  Frozen, so
sessions share them."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Collection, Iterator
from operator import attrgetter
from typing import Any, TypeVar, overload

import numpy as np

from engine.analysis import overview
from engine.core import runtime
from engine.core.cache import Cache, held_bytes, remembered
from engine.core.cache import forget as forget_all
from engine.core.device import CPU
from engine.core.numbers import Array
from engine.core.trace import Field, Trace
from engine.live import delta, placement, snapshots
from engine.live.shown import Shown
from engine.live.window import Window
from engine.models.abilities import able
from engine.models.base import Model, renamed
from engine.runs.store import SHIPPED, Run, RunStore
from engine.text.tokenizers.base import Tokens

M = TypeVar("M")

MODELS: Cache[tuple[str, str], Model[Any]] = Cache("models", held_bytes, keep_last=True, alive=True)
TRACE_BYTES = 30_000  # of a trace besides its numbers: axes, labels, what the next one goes on from
TRACES: Cache[Any, Any] = Cache(
    "traces", lambda trace: TRACE_BYTES + trace.size_bytes, keep_last=True
)
BLOCKS: Cache[Any, Any] = Cache("blocks", attrgetter("size_bytes"))
OVERVIEWS: Cache[Any, overview.Overview] = Cache(
    "overviews", lambda of: TOKEN_BYTES * len(of.tokens), keep_last=True
)
TOKEN_BYTES = 200  # that a token of a text takes, with its label and its place
VISIT_SECONDS = 10.0  # after which a server that nobody visits warms up all the same
_drawn = threading.Event()
_waited_for: list[None] = []  # one for each page that somebody waits for


def is_open(*runs: Run) -> bool:
    """Whether these models can answer at once."""
    return all(
        snapshots.key_of(run.as_kept) in (snapshots.SNAPSHOTS if run.step is not None else MODELS)
        for run in runs
    )


@overload
def model(run: Run) -> Model[Any]: ...
@overload
def model(run: Run, ability: type[M]) -> M: ...
def model(run: Run, ability: type[M] | None = None) -> M | Model[Any]:
    """The model of a run, of which the page needs this ability, or that it is of this family.
    ValueError when the run is damaged, TypeError when its model is of another kind."""
    found = snapshots.model(run) if run.step is not None else _opened(run)
    return found if ability is None else able(found, ability)


def _opened(run: Run) -> Model[Any]:
    if (way := run.note.get("way")) is not None:
        return _read_as(_opened(run.as_kept), way)
    key = snapshots.key_of(run)
    if (found := MODELS.get(key)) is None:
        found = MODELS.made(key, lambda: RunStore().load(run))
    return found


@remembered(8)
def _read_as(model: Model[Any], way: str) -> Model[Any]:
    from engine.models.neural import NeuralLanguageModel

    return able(model, NeuralLanguageModel).read_as(way)


def forget(run: Run) -> None:
    """A deleted run need not stay in memory, nor its file on the disk."""
    forget_all(str(run.folder))


def runs(model_id: str | None) -> list[Run]:
    """Finished runs of a model, or of all models, shipped ones first."""
    return RunStore().all(model_id)


def runs_of(*model_ids: str) -> list[Run]:
    """Finished runs of these models, in their order."""
    every = runs(None)
    return [run for id in dict.fromkeys(model_ids) for run in every if run.model == id]


def trace(
    run: Run, model: Model[Any], text: str, fields: tuple[str, ...], window: tuple[int, int]
) -> Trace:
    """The trace of the tokens in `window`, kept for the next who asks."""
    key = (str(run.folder), run.note.get("recipe"), fields, text, window)
    found = TRACES.get(key)
    if found is None:
        found = model.trace(text, fields=fields, window=window)
        TRACES.put(key, found)
    return found


def trace_of(shown: Shown) -> Trace:
    """The trace of what is shown.  Where that of the text on the screen is still here, the run's
    model can go on from it."""
    reader, run, before = shown.reader, shown.run, shown.before
    model = able(reader.model, Model)
    of = (str(run.folder), run.note.get("recipe"), reader.needs, reader.layers)
    key = (*of, shown.text, shown.window)
    found = _trace(key)
    if found is None and before and shown.unmoved:
        old = TRACES.get((*of, before.text, before.window))
        if old is not None:
            found = renamed(model, old, shown.text, shown.tokens)
            TRACES.put(key, found)
    if found is None:
        after, state = None, None
        if before and not reader.changing:
            after = _trace((*of, before.text, before.window))
        first, stop = shown.window
        gathers = bool(first) and model.gathers and stop <= (model.context or stop)
        if first and overview.carries_on(model) and overview.readable(model):
            state = survey_of(shown).state(first)
        if before and not np.array_equal(before.tokens.ids[:first], shown.tokens.ids[:first]):
            after = None  # what stands before the window is no longer the same

        def read(by: Model[Any], after: Trace | None) -> Trace:
            carried = _gathered(shown, by) if gathers else state
            return by.trace(
                shown.text,
                fields=reader.needs,
                window=shown.window,
                after=after,
                tokens=shown.tokens,
                carried=carried,
                layers=reader.layers,
            )

        def key_of(by: Model[Any], after: Trace | None) -> Trace:
            """What a key costs: a token read, and what is sent of it fetched."""
            made = read(by, None if reader.changing else after)
            for name in {*reader.fields, *reader.top_of} & {*made}:
                if isinstance(entry := made[name], Field):
                    entry.rows(0 if reader.changing else len(made.tokens) - 1)
            return made

        count = shown.window[1] - first
        found = placement.answer_on(run, model, count, lambda by: read(by, after))
        (TRACES if found.device == CPU else placement.traces()).put(key, found)
        placement.at_rest(run, model, count, found, key_of)
    return found


def _gathered(shown: Shown, by: Model[Any]) -> tuple[int, dict[str, Array]]:
    """What the tokens before those shown left to a model that looks back at all of them: read once, and no
    more than what is new of it."""
    first, before = shown.window[0], shown.before
    of = (str(shown.run.folder), shown.run.note.get("recipe"), shown.reader.layers, "before")

    def key(tokens: Tokens, first: int) -> Any:
        return (*of, tokens.ids[:first].tobytes())

    found = _trace(key(shown.tokens, first))
    if found is None:
        after = None
        if before and before.window[0]:
            after = _trace(key(before.tokens, before.window[0]))
        elif before and not shown.reader.changing:
            after = _trace((*of[:2], shown.reader.needs, of[2], before.text, before.window))
        found = by.trace(
            shown.text,
            fields=by.carries,
            window=(0, first),
            after=after,
            tokens=shown.tokens,
            layers=shown.reader.layers,
        )
        (TRACES if found.device == CPU else placement.traces()).put(key(shown.tokens, first), found)
    return first, {name: found.field(name).growing.joined() for name in by.carries}


def end_of(shown: Shown, window: Window) -> Trace:
    """The trace of the tokens in `window`, or of a few more before them, of a model that looks back
    a few tokens only.  While somebody types a word that it does not know yet, or a space, the ids
    stay the same, and with them the numbers."""
    reader, model = shown.reader, able(shown.reader.model, Model)
    of = (str(shown.run.folder), shown.run.note.get("recipe"), reader.needs, reader.layers, "end")

    def key(first: int) -> Any:
        return (*of, first, window[1], shown.tokens.ids[model.lead(first) : window[1]].tobytes())

    if model.by_id and (found := TRACES.get(key(window[0]))) is not None:
        return renamed(model, found, shown.text, shown.tokens)
    found = model.trace(
        shown.text, fields=reader.needs, window=window, tokens=shown.tokens, layers=reader.layers
    )
    if model.by_id:
        for first in {window[0], window[1] - 1}:
            TRACES.put(key(first), found)
    return found


def newest_of(shown: Shown) -> Trace:
    """The trace of as much of what is shown as a reply needs numbers of."""
    fresh = delta.find_fresh(shown)
    return end_of(shown, fresh) if fresh else trace_of(shown)


def _trace(key: Any) -> Trace | None:
    """A trace that is kept, here or on a device."""
    here, there = TRACES.get(key), placement.find_kept(key)
    found: Trace | None = there if here is None else here
    return found


def survey_of(shown: Shown) -> overview.Overview:
    """The overview of the whole text, as far as it has been read.  ValueError for a model that
    can't read in blocks."""
    of = (str(shown.run.folder), str(shown.run.note.get("recipe")))
    return OVERVIEWS.made(
        (*of, shown.text),
        lambda: overview.Overview(
            able(shown.reader.model, Model), shown.text, shown.tokens, BLOCKS, of
        ),
    )


@contextlib.contextmanager
def at_once() -> Iterator[None]:
    """What somebody waits for goes before the warm-up: two threads at work make each other more
    than twice as slow."""
    _waited_for.append(None)
    try:
        yield
    finally:
        _waited_for.pop()


def note_drawn() -> None:
    """A page has its text box."""
    _drawn.set()


def warm_up(first: Collection[str]) -> None:
    """When the server starts, in the background while the browser loads the page: open the shipped
    models.  Those that are not kept have loaded what their family needs: the next time the largest
    takes 0.15 s instead of 1.7.

    The first page's box is there before torch is loaded: that takes the interpreter for seconds.

    first  ids of the runs that the first page shows
    """

    def work() -> None:
        _drawn.wait(VISIT_SECONDS)
        with runtime.opening():
            runs = [run for run in RunStore().all() if run.folder.parent == SHIPPED]
            for run in sorted(runs, key=lambda run: run.id not in first):
                while _waited_for:
                    time.sleep(0.02)
                with contextlib.suppress(ValueError):  # a damaged run: its page says so
                    model(run).trace("Warm up.")

    threading.Thread(target=work, name="warm-up", daemon=True).start()
