"""Queue: entries trained one after the other by one worker, while pages look on.

What      a pure-Python loop in the server would make everybody's typing slower, a worker does not;
          results are kept on disk, so they outlive it
Differs   Nobody waits for an answer: a thread asks the worker, a page asks what is known.  Where
          several servers run on one computer, each has a worker, and these take turns: one trains
"""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import asdict

from engine.analysis.contest import results
from engine.analysis.contest.entry import Entry
from engine.jobs.status import FAILED, RUNNING, WAITING, Status
from engine.jobs.worker import Ended, Failed, Report, Worker, serve

MOST = 60  # entries that may wait
MOST_SECONDS = 3600.0  # of one training


class Queue:
    """From any thread.  Asking twice for the same entry trains it once."""

    def __init__(self) -> None:
        self._lock, self._waiting = threading.Lock(), OrderedDict[Entry, Status]()
        self._ended: dict[Entry, Status] = {}
        self._worker: Worker | None = None
        self._working = False
        self._now: Entry | None = None

    def ask(self, entries: Iterable[Entry]) -> None:
        """ValueError when too much waits already."""
        with self._lock:
            fresh = [
                entry
                for entry in entries
                if entry not in self._waiting and results.find(entry) is None
            ]
            if len(self._waiting) + len(fresh) > MOST:
                raise ValueError(
                    f"{len(self._waiting)} trainings wait already. Try again when they are done."
                )
            for entry in fresh:
                self._ended.pop(entry, None)
                self._waiting[entry] = Status(WAITING, 0, entry.steps)
            if fresh and not self._working:
                self._working = True
                threading.Thread(target=self._work, name="contest", daemon=True).start()

    def state(self, entry: Entry) -> Status | None:
        """None for an entry that nobody asked for, or that is done."""
        with self._lock:
            return self._waiting.get(entry) or self._ended.get(entry)

    def drop(self, entries: Iterable[Entry]) -> None:
        """Take these out; one that is being trained stops."""
        with self._lock:
            for entry in entries:
                self._waiting.pop(entry, None)
                self._ended.pop(entry, None)
                if entry == self._now and self._worker is not None:
                    self._worker.kill()

    def _work(self) -> None:
        with Worker("engine.lessons.cells.queue") as self._worker:
            while True:
                with self._lock:
                    entry = self._now = next(iter(self._waiting), None)
                    if entry is None:
                        self._working = False
                        return
                error = self._train(self._worker, entry)
                with self._lock:
                    dropped = self._waiting.pop(entry, None) is None
                    if error and not dropped:
                        self._ended[entry] = Status(FAILED, error=error)

    def _train(self, worker: Worker, entry: Entry) -> str:
        """Follow one training to its end; returns what went wrong, or nothing."""

        def report(part: bytes) -> None:
            step, total = json.loads(part)
            with self._lock:
                if entry in self._waiting:
                    self._waiting[entry] = Status(RUNNING, step, total)

        try:
            worker.ask(json.dumps(asdict(entry)).encode(), MOST_SECONDS, report)
        except Failed as error:
            return str(error)
        except (Ended, OSError):
            return "The process that trains has ended. Try again."
        return ""


def answer(request: bytes, report: Report) -> bytes:
    """One entry -> nothing, its result is kept on disk; reports [step, total]."""
    from filelock import FileLock

    from engine.analysis.contest.train import train

    entry = Entry(**json.loads(request))
    with FileLock(results.place(entry).with_name("training.lock")):
        if results.find(entry) is None:  # else another worker has trained it meanwhile
            for made in train(entry):
                if made.result is not None:
                    results.keep(made.result)
                report(json.dumps([made.step, made.total]).encode())
    return b""


if __name__ == "__main__":
    serve(answer)
