"""Trainer: entries trained one after the other in a process of its own, as a pure-Python loop in the server would make
everybody's typing slower.  Results are kept on disk, so they outlive it; of several processes on one computer one
trains at a time."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from concurrent.futures import wait
from dataclasses import asdict

from engine.analysis.contest import results
from engine.analysis.contest.entry import Entry
from engine.jobs.worker import Ended, Report, Worker, serve

MOST_SECONDS = 3600.0  # of one training
WAIT = 0.3  # seconds between two looks at it


def train(entries: Sequence[Entry]) -> Iterator[tuple[int, float]]:
    """Which of them trains, and how far it is, from 0 to 1.  RuntimeError with a sentence where one fails.  Who stops
    listening ends it."""
    with Worker("engine.lessons.cells.trainer") as worker:
        for n, entry in enumerate(entries):
            shares = [0.0]

            def report(part: bytes, shares: list[float] = shares) -> None:
                step, total = json.loads(part)
                shares.append(step / total)

            answer = worker.ask_later(json.dumps(asdict(entry)).encode(), MOST_SECONDS, report)
            while not answer.done():
                yield n, shares[-1]
                wait([answer], WAIT)
            try:
                answer.result()
            except (Ended, OSError) as problem:
                raise RuntimeError("The process that trains has ended. Try again.") from problem


def answer(request: bytes, report: Report) -> bytes:
    """One entry -> nothing, its result is kept on disk; reports [step, total]."""
    from filelock import FileLock

    entry = Entry(**json.loads(request))
    with FileLock(results.place(entry).with_name("training.lock")):
        if results.find(entry) is None:  # else another process has trained it meanwhile
            from engine.analysis.contest.train import train as train_entry

            for made in train_entry(entry):
                if made.result is not None:
                    results.keep_result(made.result)
                report(json.dumps([made.step, made.total]).encode())
    return b""


if __name__ == "__main__":
    serve(answer)
