"""Corpus: a file of pairs, measured: scores with intervals, tests between two systems, and each line by itself.

<home>/measured/<key>/given, request.json    the file, and what it is called
                     /found.safetensors      what came of it; written last, so it means done
                     /status.json, control   as of any job (engine/jobs)

python -m engine.lessons.measures.corpus FOLDER    the process that works

Differs   100,000 lines of 13 words, two systems, took 366 s of processor time and 0.65 GB.
Shapes    S = systems, L = lines, M = measures, K = numbers that the measures count of a line
"""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from engine import ROOT
from engine import frame as fr
from engine.analysis.measures import pairs as files
from engine.analysis.measures import resampling
from engine.analysis.measures.pairs import Pairs
from engine.analysis.measures.resampling import Paired
from engine.analysis.measures.table import MEASURES
from engine.jobs import control, detached, status
from engine.jobs.status import FINISHED, Status
from engine.language.message import _, refusal
from engine.storage.arrays import read_arrays, write_arrays
from engine.storage.files import write_bytes
from engine.storage.home import home
from engine.storage.run_folder import STATUS

EXAMPLES = {
    "french": "English to French: without attention, and with dot attention",
    "spanish": "English to Spanish: word by word, and a beam of four",
}
OWN = "own"
ASSETS = ROOT / "assets" / "measures"
FOLDER, GIVEN, REQUEST, FOUND = "measured", "given", "request.json", "found.safetensors"
MOST = 8  # of one person; the oldest ones go
AT_ONCE = 300  # outputs that are measured while one waits; more are a job


@dataclass(frozen=True, eq=False)
class Measured:
    """Points of 100.

    alone     (S, L, M) of each line by itself
    score     (S, M) of all, `ends` (S, M, 2) of its interval
    paired    of each measure, the second system against the first; none of one system
    """

    pairs: Pairs
    alone: np.ndarray
    score: np.ndarray
    ends: np.ndarray
    paired: tuple[Paired, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.pairs.systems)


@lru_cache(4)
def example(id: str) -> Measured:
    """Measured before it was shipped (build.py)."""
    return unpack(read_example(id), read_arrays(ASSETS / f"{id}.safetensors"))


@lru_cache(4)
def read_example(id: str) -> Pairs:
    return files.read((ASSETS / f"{id}.tsv").read_bytes())


Arrays = dict[str, np.ndarray]


def compute(of: Pairs) -> Iterator[tuple[str, Arrays]]:
    """("lines", {"share"}) on the way, and ("done", all that `unpack` reads)."""
    count, rows = len(of), []
    for n, (_name, said) in enumerate(of.systems):
        row_LK = np.zeros((count, sum(one.columns for one in MEASURES)), np.float32)
        for i, (line, references) in enumerate(zip(said, of.references, strict=True)):
            row_LK[i] = [x for one in MEASURES for x in one.row(line, references)]
            if i % 50 == 0:
                share = (n + i / count) / len(of.systems)
                yield "lines", {"share": np.array([0.97 * share])}
        rows.append(row_LK)
    drawn = [resampling.bootstrap(MEASURES, row_LK) for row_LK in rows]
    found: Arrays = {
        "alone": np.stack([resampling.alone(MEASURES, row_LK) for row_LK in rows]).astype("f4"),
        "score": np.stack(
            [
                resampling.scores(MEASURES, row_LK.sum(0, keepdims=True, dtype=float))[0]
                for row_LK in rows
            ]
        ),
        "ends": np.stack(
            [[resampling.interval(score_D) for score_D in score_DM.T] for score_DM in drawn]
        ),
    }
    if len(rows) == 2:
        paired = resampling.compare(MEASURES, rows[0], rows[1], drawn)
        found["paired"] = np.array(
            [(p.difference, *p.interval, p.bootstrap, p.randomisation) for p in paired]
        )
    yield "done", found


def unpack(of: Pairs, found: Arrays) -> Measured:
    paired = tuple(
        Paired(difference, (low, high), bootstrap, randomisation)
        for difference, low, high, bootstrap, randomisation in found.get(
            "paired", np.zeros((0, 5))
        ).tolist()
    )
    return Measured(of, found["alone"], found["score"], found["ends"], paired)


# ------------------------------------------------------------------ a file of one's own


def place(raw: bytes) -> Path:
    return home() / FOLDER / hashlib.sha256(raw).hexdigest()[:16]


@fr.once
def read(raw: bytes, name: str) -> Pairs:
    return files.read(raw, name)


@fr.once
def _kept(folder: Path, raw: bytes, name: str) -> Measured:
    return unpack(read(raw, name), read_arrays(folder / FOUND))


@fr.once_told
def _at_once(*, raw: bytes, name: str) -> fr.Taking[Measured]:
    of = read(raw, name)
    for step, found in compute(of):
        if step == "done":
            return unpack(of, found)
        yield fr.Progress(float(found["share"][0]), "Measuring the lines")
    raise AssertionError


def state(folder: Path) -> str:
    if (folder / FOUND).is_file():
        return FINISHED
    said = status.read(folder, Status)
    return said.state if said else ""


def share(folder: Path) -> float | None:
    """Which share is done; None where nothing is at work."""
    said = status.read(folder, Status)
    alive = said is not None and said.state in status.ALIVE and state(folder) != FINISHED
    return said.share if said is not None and alive else None


def resumed(folder: Path) -> int:
    """How often somebody had asked for it again when it last began."""
    try:
        return int(json.loads((folder / REQUEST).read_bytes())["again"])
    except (OSError, ValueError, KeyError):
        return 0


def begin(raw: bytes, name: str, again: int) -> None:
    folder = place(raw)
    folder.mkdir(parents=True, exist_ok=True)
    write_bytes(folder / GIVEN, raw)
    write_bytes(folder / REQUEST, json.dumps({"name": name, "again": again}).encode())
    (folder / STATUS).unlink(missing_ok=True)
    every = sorted((home() / FOLDER).iterdir(), key=lambda path: -path.stat().st_mtime)
    for old in every[MOST:]:
        if state(old) not in status.ALIVE:
            shutil.rmtree(old, ignore_errors=True)
    try:
        detached.start(folder, "engine.lessons.measures.corpus", str(folder))
    except OSError as error:
        raise refusal("The measuring could not begin: {error}.", error=error) from error


def measured(
    which: str, file: tuple[str, bytes] | None, again: int
) -> Generator[fr.Block, None, Measured | None]:
    """None where it is made in the background, or was stopped, which the blocks say.  ValueError for a file that is
    none."""
    if which != OWN:
        return example(which)
    if file is None:
        raise ValueError(
            "Choose a file above: a line has a reference, a tab, what a system said, and perhaps another tab and what"
            " a second system said."
        )
    name, raw = file
    of, folder = read(raw, name), place(raw)
    if len(of) * len(of.systems) <= AT_ONCE:
        return (yield from _at_once(raw=raw, name=name))
    if state(folder) == FINISHED:
        return _kept(folder, raw, name)
    if not state(folder) or again > resumed(folder):
        begin(raw, name, again)
    if (now := state(folder)) in status.ALIVE:
        yield fr.Awaited(
            _("Measuring {n:,} lines", n=len(of)), lambda: share(folder), lambda: stop(folder)
        )
    elif now == FINISHED:
        return _kept(folder, raw, name)
    else:
        said = status.read(folder, Status)
        yield (said and said.error) or "It was stopped."
        yield fr.Controls(["again"])
    return None


def work(folder: Path) -> None:
    with detached.working(folder) as tell:
        name = str(json.loads((folder / REQUEST).read_bytes())["name"])
        of = files.read((folder / GIVEN).read_bytes(), name)
        for step, found in compute(of):
            if step == "done":
                write_arrays(folder / FOUND, found)
            else:
                tell(float(found["share"][0]), "")


def stop(folder: Path) -> None:
    control.write(folder, control.STOP)


if __name__ == "__main__":
    work(Path(sys.argv[1]))
