"""Making: the blocks of a part, made in a thread of its own, so that they go on being made where the page is
drawn anew, left, or loaded again, and can be stopped.

What      one = Making(blocks); one.watch(asker) gives what is made within PATIENCE seconds, and then `Awaited`, which
          says how far it is; whoever asks for the same later watches the same one
          Who turns a control asks for another one: a making that nobody asks for any more ends where it next says
          how far it is.  Those that take longer than PATIENCE go on AT_ONCE at a time
          found = yield from once_told(make)(key=...): what takes long is made once for all that ask for it, and one
          that was stopped half-way goes on from there
Differs   It is a thread, not a process: models that are open are read where they are.  What it has found by then is
          lost with the server.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Generator, Hashable, Iterator
from contextlib import ExitStack
from contextvars import copy_context
from functools import wraps
from typing import Any, Generic, ParamSpec, TypeVar

from engine.frame.blocks import Awaited, Block, Progress, Stopped
from engine.storage.home import act_as, person

P = ParamSpec("P")
T = TypeVar("T")
Taking = Generator[Progress, None, T]  # what takes long, and returns what it has found
PATIENCE = 2.0  # seconds that a page waits itself
LOOK = 0.03
AT_ONCE = threading.Semaphore(2)
SUMS = 64  # of one kind that are kept
HALF = 4  # of those that nobody has made to the end


class Making:
    """`found`: the blocks up to now, without `Progress`.  An exception that is no sentence for the reader is raised
    where it is watched."""

    def __init__(self, blocks: Generator[Block, None, None], asker: Hashable) -> None:
        self.found: list[Block] = []
        self.far = Progress(0.0)
        self.left = False
        self.error: BaseException | None = None
        self.askers, self.stoppers = {asker}, set[Hashable]()
        self._ended, self._blocks, self._began = threading.Event(), blocks, time.monotonic()
        self._person, context = person(), copy_context()
        work = threading.Thread(target=context.run, args=(self._work,), name="making", daemon=True)
        work.start()

    def _work(self) -> None:
        try:
            with act_as(self._person):
                while not self.left and self._step():
                    pass
        except BaseException as error:  # it is raised where it is watched
            self.error = error
        finally:
            self._blocks.close()
            self._ended.set()

    def _step(self) -> bool:
        with ExitStack() as turn:
            if time.monotonic() - self._began > PATIENCE and AT_ONCE.acquire(timeout=PATIENCE):
                turn.callback(AT_ONCE.release)
            block = next(self._blocks, None)
        if isinstance(block, Progress):
            self.far = block
        elif block is not None:
            self.found.append(block)
        return block is not None

    @property
    def ended(self) -> bool:
        return self._ended.is_set()

    @property
    def lasting(self) -> bool:
        """Whether it can be shown again as it is: of what is made in the background there is more to say next time."""
        return not self.error and not any(isinstance(block, Awaited) for block in self.found)

    def leave(self, asker: Hashable) -> None:
        """This one asks for it no more."""
        if asker in self.askers:
            self.askers.discard(asker)
            self.left = not self.askers

    def _stop(self, asker: Hashable) -> None:
        self.stoppers.add(asker)
        self.leave(asker)

    def watch(self, asker: Hashable) -> Iterator[Block]:
        """What is made, `Progress` among it."""
        if asker in self.stoppers:
            yield from (*self.found, Stopped())
            return
        self.askers.add(asker)
        told, shown = self.far, 0
        until = time.monotonic() + PATIENCE
        while True:
            ended = self._ended.wait(LOOK)
            new = self.found[shown:]
            shown += len(new)
            yield from new
            if self.error:
                raise self.error
            if ended:
                return
            if self.far is not told:
                yield (told := self.far)
            if time.monotonic() > until:
                yield Awaited(lambda: self.far.words, self._share, lambda: self._stop(asker))
                return

    def _share(self) -> float | None:
        return None if self.ended else min(1.0, max(0.0, self.far.share))


class _Told(Generic[T]):
    """One of what takes long; whoever asks for it makes the next step, unless another one does."""

    def __init__(self, making: Taking[T]) -> None:
        self.far = Progress(0.0)
        self.ended = False
        self._making, self._turn = making, threading.Lock()
        self._found: T
        self._error: Exception | None = None

    def wait(self) -> Taking[T]:
        while not self.ended:
            if self._turn.acquire(timeout=LOOK):
                with ExitStack() as turn:
                    turn.callback(self._turn.release)
                    self._step()
            if not self.ended:
                yield self.far
        if self._error:
            raise self._error
        return self._found

    def _step(self) -> None:
        if self.ended:
            return
        try:
            self.far = next(self._making)
        except StopIteration as end:
            self._found, self.ended = end.value, True
        except Exception as error:  # raised by `wait`, for all that ask
            self._error, self.ended = error, True


def once_told(make: Callable[P, Taking[T]]) -> Callable[P, Taking[T]]:
    """`once` for what tells how far it is, known by its named arguments:
    `found = yield from trained("Training", rate=0.1)`."""
    known: OrderedDict[Any, _Told[T]] = OrderedDict()
    lock = threading.Lock()

    @wraps(make)
    def look_up(*given: P.args, **more: P.kwargs) -> Taking[T]:
        key = tuple(sorted(more.items()))
        with lock:
            if key not in known:
                known[key] = _Told(make(*given, **more))
                half = [key for key, one in known.items() if not one.ended]
                for old in half[:-HALF]:
                    del known[old]
                while len(known) > SUMS:
                    known.popitem(last=False)
            one = known[key]
        try:
            return (yield from one.wait())
        except Exception:
            with lock:
                known.pop(key, None)
            raise

    return look_up
