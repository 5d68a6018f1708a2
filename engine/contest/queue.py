"""Queue: entries trained one after the other in one niced child process, while pages look on.

What      a pure-Python loop in the server would make everybody's typing slower, a child does not; it is given one entry a line
          and answers with one report a line, both JSON; results go to the shelf, so they outlive the child
Differs   Unlike engine/renderer.py nobody waits for an answer: a thread reads the reports, a page asks what is known.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from engine.contest import shelf
from engine.contest.entry import Entry

MOST = 60  # entries that may wait


@dataclass(frozen=True, slots=True)
class State:
    """Where an entry stands: steps done of all, or the sentence why it ended."""

    step: int = 0
    total: int = 0
    problem: str = ""


class Queue:
    """From any thread.  Asking twice for the same entry trains it once."""

    def __init__(self) -> None:
        self._lock, self._waiting = threading.Lock(), OrderedDict[Entry, State]()
        self._ended: dict[Entry, State] = {}
        self._child: subprocess.Popen[str] | None = None
        self._now: Entry | None = None

    def ask(self, entries: Iterable[Entry]) -> None:
        """ValueError when too much waits already."""
        with self._lock:
            fresh = [entry for entry in entries if entry not in self._waiting and shelf.find(entry) is None]
            if len(self._waiting) + len(fresh) > MOST:
                raise ValueError(f"{len(self._waiting)} trainings wait already. Try again when they are done.")
            begin = not self._waiting
            for entry in fresh:
                self._ended.pop(entry, None)
                self._waiting[entry] = State(0, entry.steps)
            if begin and fresh:
                threading.Thread(target=self._work, name="contest", daemon=True).start()

    def state(self, entry: Entry) -> State | None:
        """None for an entry that nobody asked for, or that is done."""
        with self._lock:
            return self._waiting.get(entry) or self._ended.get(entry)

    def drop(self, entries: Iterable[Entry]) -> None:
        """Take these out; one that is being trained stops."""
        with self._lock:
            for entry in entries:
                self._waiting.pop(entry, None)
                self._ended.pop(entry, None)
                if entry == self._now and self._child is not None:
                    self._child.kill()

    def _work(self) -> None:
        while True:
            with self._lock:
                entry = next(iter(self._waiting), None)
                self._now = entry
                if entry is None:
                    self._end()
                    return
                child = self._running()
            problem = self._train(child, entry)
            with self._lock:
                dropped = self._waiting.pop(entry, None) is None
                if problem and not dropped:
                    self._ended[entry] = State(problem=problem)
                if child.poll() is not None:
                    self._end()

    def _train(self, child: subprocess.Popen[str], entry: Entry) -> str:
        """Follow one training to its end; returns what went wrong, or nothing."""
        assert child.stdin is not None and child.stdout is not None
        try:
            child.stdin.write(json.dumps(asdict(entry)) + "\n")
            child.stdin.flush()
        except OSError:
            return "The process that trains has ended. Try again."
        for line in child.stdout:
            report: dict[str, Any] = json.loads(line)
            if "problem" in report:
                return str(report["problem"])
            with self._lock:
                if entry in self._waiting:
                    self._waiting[entry] = State(report["step"], report["total"])
            if report["done"]:
                return ""
        return "The process that trains has ended. Try again."

    def _running(self) -> subprocess.Popen[str]:
        if self._child is None:
            root = str(Path(__file__).parents[2])  # not `multiprocessing`, which would import the page again
            path = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
            self._child = subprocess.Popen(
                [sys.executable, "-m", "engine.contest.queue"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                text=True, env={**os.environ, "PYTHONPATH": path}, cwd=root,
            )  # fmt: skip
        return self._child

    def _end(self) -> None:
        if self._child is not None:
            self._child.kill()
            self._child.communicate()
            self._child = None


def _serve(asked: IO[str], answers: IO[str]) -> None:
    """The child: one entry after another until its parent closes the pipe."""
    if hasattr(os, "nice"):
        os.nice(10)
    from engine.contest.train import train

    for line in asked:
        try:
            for report in train(Entry(**json.loads(line))):
                if report.result is not None:
                    shelf.keep(report.result)
                answers.write(json.dumps({"step": report.step, "total": report.total, "done": report.result is not None}) + "\n")
                answers.flush()
        except Exception as error:  # whatever went wrong goes back as a sentence; the child lives on
            answers.write(json.dumps({"problem": str(error)[:300] or type(error).__name__}) + "\n")
            answers.flush()


if __name__ == "__main__":
    _serve(sys.stdin, sys.stdout)
