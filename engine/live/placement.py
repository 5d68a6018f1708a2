"""Placement: on which device the model of a run answers, why, and what a key costs there.

What      A run's model stays on the processor, where analyses ask it; on a GPU answers a copy of its
          net.  Unless somebody chose, the faster one answers, by what was measured for this model and
          about this length of text: at rest, after the first answer, never on the way of a key.  A
          length that nothing is known of goes by the nearest one that was measured
Memory    of the copies, and of the numbers they leave on the device: Cache, at most MOST_BYTES and a
          share of the device.  The least recently used go; what is asked for again is computed again
Fallback  Where a device has no room left for a model and a text, the processor reads the whole text
          and the copy goes; whoever reads is told (`notes`)
"""

from __future__ import annotations

import statistics
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, TypeVar

from engine.core import device
from engine.core.cache import MB, Cache
from engine.core.device import CPU, Choice, Gpu
from engine.core.trace import Trace
from engine.language.message import _
from engine.live import snapshots
from engine.models.abilities import HasNet
from engine.models.base import Model
from engine.runs.store import Run

T = TypeVar("T")
Answer = Callable[[Model[Any], Trace | None], Trace]
"""A key, answered by a model that may go on from a trace; with all that is sent of it fetched."""

SHORTEST = 32  # tokens: shorter texts cost the same
ROUNDS, MOST_SECONDS = 5, 2.0  # of one measurement
REST_SECONDS = 1.0  # without a key, before something is measured
REMEMBERED = 9  # answers by which a key's cost is told where nothing was measured
SLOW_MS = 100.0  # from here on it is said where there is no choice either
MOST_BYTES = {"models on a device": 4000 * MB, "traces on a device": 1000 * MB}
SHARE = {"models on a device": 0.5, "traces on a device": 0.25}  # of its memory, at most

Key = tuple[str, str]


@dataclass
class Known:
    """What is known of one model and texts of about one length.

    key_ms  per device what a key was measured to cost
    seen    seconds of the last answers on the processor
    """

    key_ms: dict[str, float] = field(default_factory=dict)
    seen: deque[float] = field(default_factory=lambda: deque(maxlen=REMEMBERED))


_known: dict[tuple[Key, int], Known] = {}
_full: dict[Key, int] = {}  # models that had no room on the device, from so many tokens on
_wish: ContextVar[Choice | None] = ContextVar("wish", default=None)
_resting: dict[tuple[Key, int], threading.Timer] = {}
_caches: dict[str, Cache[Any, Any]] = {}


def copies() -> Cache[Key, Model[Any]]:
    """Models on the device."""
    return _cache("models on a device", snapshots.size_of)


def traces() -> Cache[Any, Any]:
    """Traces whose numbers lie on the device, and what is made of them there."""
    return _cache("traces on a device", attrgetter("size_bytes"))


def most_bytes() -> int:
    """Of what is kept on the device."""
    return sum(MOST_BYTES.values())


def find_kept(key: Any) -> Any:
    """What is kept under a key on the device, or None; nothing is asked of the device where none was ever put there."""
    return traces().get(key) if "traces on a device" in _caches else None


def _cache(name: str, size_of: Callable[[Any], int]) -> Cache[Any, Any]:
    if name not in _caches:
        gpu = device.gpu()
        most = min(MOST_BYTES[name], int(SHARE[name] * gpu.size_bytes) if gpu else 0)
        _caches[name] = Cache(name, size_of, keep_last=True, most=max(1, most))
    return _caches[name]


def length(tokens: int) -> int:
    """Texts of about one length cost the same: the next power of two."""
    return max(SHORTEST, 1 << max(0, tokens - 1).bit_length())


@contextmanager
def ask_for(choice: Choice | None) -> Iterator[None]:
    """What is asked in here is answered where somebody chose; None: where it is answered outside."""
    before = _wish.set(choice or _wish.get())
    try:
        yield
    finally:
        _wish.reset(before)


def choice() -> Choice:
    """What was chosen; a word in `UNROLLED_DEVICE` that makes no sense counts as none."""
    with suppress(ValueError):
        return _wish.get() or device.read_choice()
    return Choice.AUTO


def find_known(run: Run, tokens: int) -> Known:
    return _known.setdefault((snapshots.key_of(run), length(tokens)), Known())


def place(run: Run, model: Model[Any], tokens: int) -> str:
    """The device that answers: "cpu", or what torch calls the GPU."""
    if not isinstance(model, HasNet) or (gpu := device.gpu()) is None:
        return CPU
    if (chosen := choice()) is Choice.CPU:
        return CPU
    if tokens >= _full.get(key := snapshots.key_of(run), tokens + 1):
        return CPU
    if chosen is Choice.CUDA:
        return gpu.device
    near = _nearest(key, tokens, gpu)
    return CPU if near is None else min(near.key_ms, key=near.key_ms.__getitem__)


def _nearest(key: Key, tokens: int, gpu: Gpu) -> Known | None:
    """What was measured on both for the length nearest to this one."""
    at = length(tokens).bit_length()
    measured = [
        (abs(size.bit_length() - at), -size, found)
        for (of, size), found in list(_known.items())
        if of == key and {CPU, gpu.device} <= found.key_ms.keys()
    ]
    return min(measured, key=lambda row: row[:2])[2] if measured else None


def answer_on(run: Run, model: Model[Any], tokens: int, answer: Callable[[Model[Any]], T]) -> T:
    """The answer of the run's model, where it is to run."""
    where = place(run, model, tokens)
    if where != CPU:
        return answer(copy_on(run, model, where))
    begun = time.perf_counter()
    found = answer(model)
    if isinstance(model, HasNet):
        find_known(run, tokens).seen.append(time.perf_counter() - begun)
    return found


def with_room(run: Run, tokens: int, work: Callable[[], T]) -> T:
    """What `work` gives, which may ask a device; where that has no room, it is asked once more, and
    all that it asks of the run is done on the processor."""
    try:
        return work()
    except RuntimeError as problem:  # of torch, which need not be loaded where nothing asks it
        if type(problem).__name__ != "OutOfMemoryError":
            raise
    give_up(run, tokens)
    return work()


def copy_on(run: Run, model: Model[Any], where: str) -> Model[Any]:
    """The copy of the run's model on a device."""
    from engine.models.neural import copy_apart

    def made() -> Model[Any]:
        return copy_apart(model, where)

    if (found := copies().get(key := snapshots.key_of(run))) is not None:
        return found
    return copies().made(key, made)


def give_up(run: Run, tokens: int) -> None:
    """The device had no room: this run and texts of that length stay on the processor, and what
    others had there is given back too."""
    import torch

    key = snapshots.key_of(run)
    _full[key] = min(tokens, _full.get(key, tokens))
    copies().clear()
    traces().clear()
    torch.cuda.empty_cache()  # does nothing without a GPU


def at_rest(run: Run, model: Model[Any], tokens: int, last: Trace, answer: Answer) -> None:
    """Measure what a key costs on both devices, once for a model and a length of text, as soon as
    nobody has typed for a moment.

    last    the trace that was answered with, which the measured keys go on from
    answer  a key; fetches what is sent of it
    """
    gpu = device.gpu()
    if gpu is None or not isinstance(model, HasNet) or choice() is not Choice.AUTO:
        return
    found = find_known(run, tokens)
    if {CPU, gpu.device} <= found.key_ms.keys() or tokens >= _full.get(
        snapshots.key_of(run), tokens + 1
    ):
        return

    if (old := _resting.get(of := (snapshots.key_of(run), length(tokens)))) is not None:
        old.cancel()
    _resting[of] = timer = threading.Timer(
        REST_SECONDS, measure, (run, model, tokens, last, answer, gpu)
    )
    timer.daemon = True
    timer.start()


def measure(
    run: Run, model: Model[Any], tokens: int, last: Trace, answer: Answer, gpu: Gpu
) -> Known:
    """Time a key on the processor and on the GPU, and remember it."""
    from torch import OutOfMemoryError

    found = find_known(run, tokens)
    try:
        there = copy_on(run, model, gpu.device)
        begun = answer(there, None)
        found.key_ms[gpu.device] = _milliseconds(lambda: answer(there, begun))
    except OutOfMemoryError:
        give_up(run, tokens)
        return found
    here = last if last.device == CPU else answer(model, None)
    found.key_ms[CPU] = _milliseconds(lambda: answer(model, here))
    if found.key_ms[CPU] <= found.key_ms[gpu.device]:
        copies().forget(lambda key: key == snapshots.key_of(run))
    return found


def _milliseconds(call: Callable[[], object]) -> float:
    """The median of a few calls, after one that warms up where time allows."""
    times: list[float] = []
    begun = time.perf_counter()
    while len(times) <= ROUNDS and time.perf_counter() - begun < MOST_SECONDS:
        before = time.perf_counter()
        call()
        times.append(1000 * (time.perf_counter() - before))
    return statistics.median(times[1:] or times)


def notes(run: Run, model: object, tokens: int, title: str) -> list[str]:
    """What is told of a model: where it runs, why, and what a key costs; nothing where there is no
    choice and no wait."""
    if not isinstance(model, HasNet) or not tokens:
        return []
    key, gpu = snapshots.key_of(run), device.gpu()
    found = _known.get((key, length(tokens)), Known())
    here = found.key_ms.get(CPU)
    if here is None and len(found.seen) > 1:
        here = 1000 * statistics.median(found.seen)
    if gpu is None:
        missing = choice() is Choice.CUDA
        if here is not None and here >= SLOW_MS:
            return [
                _(
                    "{title} runs on the processor, {here} a key; no GPU found.",
                    title=_(title),
                    here=_ms(here),
                )
            ]
        return ["No GPU found: the models run on the processor."] if missing else []
    if tokens >= _full.get(key, tokens + 1):
        return [
            _(
                "The GPU has no room left for {title} and this text: it runs on the processor."
                " Nothing is lost.",
                title=_(title),
            )
        ]
    there, where = found.key_ms.get(gpu.device), place(run, model, tokens)
    if choice() is not Choice.AUTO:
        cost = there if where == gpu.device else here
        said = _(", {cost} a key", cost=_ms(cost)) if cost is not None else ""
        return [
            _(
                "{title} runs on the {where}, as chosen{said}.",
                title=_(title),
                where=_name(where),
                said=said,
            )
        ]
    if there is None or here is None:
        return []  # nothing is measured yet
    cost, other = (there, here) if where == gpu.device else (here, there)
    beside = _name(CPU if where == gpu.device else gpu.device)
    return [
        _(
            "{title} runs on the {where}: {cost} a key here, {other} on the {beside}.",
            title=_(title),
            where=_name(where),
            cost=_ms(cost),
            other=_ms(other),
            beside=beside,
        )
    ]


def _name(where: str) -> str:
    return "processor" if where == CPU else "GPU"


def _ms(value: float) -> str:
    return _("{value:.0f} ms", value=value) if value >= 1 else _("{value:.1f} ms", value=value)


def forget() -> None:
    """All that was measured, and what lies on the device."""
    _known.clear()
    _full.clear()
    for timer in _resting.values():
        timer.cancel()
    _resting.clear()
    for kept in _caches.values():
        kept.clear()
    _caches.clear()
