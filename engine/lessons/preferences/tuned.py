"""Tuned: a tuning as a job that goes on while nobody looks, what it came to, and what is shipped.

<home>/tuned/<key>/request.json          which run, who prefers, and how it is tuned
                  /rows.json             what was measured so far
                  /checkpoint.safetensors    all that is needed to go on
                  /tuned.safetensors     the difference; written last, so it means done
                  /status.json, control  as of any job (engine/jobs)

python -m engine.lessons.preferences.tuned FOLDER    the process that works
"""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from engine.jobs import control, detached, status
from engine.jobs.status import FINISHED, Status
from engine.language.message import _, refusal
from engine.lessons.preferences import study as studies
from engine.lessons.preferences import tuning
from engine.lessons.preferences.judges import By, Pair
from engine.lessons.preferences.study import ASSETS, Asked, Study
from engine.lessons.preferences.tuning import Settings
from engine.models.base import Model
from engine.models.transformer import Transformer
from engine.runs.store import Run, RunStore
from engine.storage.arrays import read_arrays, write_arrays
from engine.storage.files import write_bytes
from engine.storage.home import home
from engine.storage.run_folder import CHECKPOINT, STATUS, read_note

FOLDER, REQUEST, ROWS, TUNED = "tuned", "request.json", "rows.json", "tuned.safetensors"
MOST = 12  # of one person; the oldest ones go
CURVES = ASSETS / "curves.json"
NAMES = {"dpo": "DPO", "ppo": "PPO"}
CALLED: dict[By, str] = {"words": "she over he", "shorter": "shorter", "clicks": "my choices"}
Measured = Sequence[dict[str, Any]]


@cache
def shipped() -> dict[str, Any]:
    """By name: settings, and what was measured on the way."""
    found: dict[str, Any] = json.loads(CURVES.read_text(encoding="utf-8"))
    return found


def is_shipped(run: Run) -> bool:
    """Whether it is the run that the shipped replies and tunings are of."""
    return bool(json.loads(studies.POOL.read_bytes())["recipe"] == run.note.get("recipe"))


def find_shipped(of: Study, settings: Settings) -> Measured | None:
    """What was measured of the same tuning before, where that is shipped."""
    if not is_shipped(of.run) or of.asked != Asked(of.asked.by):
        return None
    for row in shipped().values():
        if row["by"] == of.asked.by and Settings(**row["settings"]) == settings:
            rows: Measured = row["rows"]
            return rows
    return None


def place(of: Study, settings: Settings) -> Path:
    body = json.dumps([of.run.key, of.asked.key, asdict(settings)], default=asdict, sort_keys=True)
    return home() / FOLDER / hashlib.sha256(body.encode()).hexdigest()[:12]


@dataclass(frozen=True)
class State:
    """Of one tuning; `name` is that of its folder."""

    name: str
    state: str
    share: float = 0.0
    error: str = ""

    @property
    def alive(self) -> bool:
        return self.state in status.ALIVE

    @property
    def done(self) -> bool:
        return self.state == FINISHED


def find(folder: Path) -> State:
    said = status.read(folder, Status)
    if (folder / TUNED).is_file():
        return State(folder.name, FINISHED, 1.0)
    return (
        State(folder.name, said.state, said.share, said.error) if said else State(folder.name, "")
    )


def all_folders() -> list[Path]:
    """Those that are there, the newest first."""
    found = (home() / FOLDER).glob(f"*/{REQUEST}")
    return [path.parent for path in sorted(found, key=lambda path: -path.stat().st_mtime)]


def states() -> tuple[tuple[str, str], ...]:
    """The name of each, and how it is: what a page looks like depends on it."""
    return tuple((one.name, one.state) for one in map(find, all_folders()))


def resumed(folder: Path) -> int:
    """How often somebody had asked it to go on when it last began."""
    try:
        return int(json.loads((folder / REQUEST).read_bytes())["again"])
    except (OSError, ValueError, KeyError):
        return 0


def begin(of: Study, settings: Settings, again: int = 0) -> None:
    """Or go on, where it was stopped.  ValueError while another one is at work."""
    if of.problem:
        raise ValueError(of.problem)
    if any(find(folder).alive for folder in all_folders()):
        raise ValueError("Another tuning is at work; wait for its end, or stop it.")
    folder = place(of, settings)
    folder.mkdir(parents=True, exist_ok=True)
    request = {
        "run": str(of.run.folder),
        "step": of.run.step,
        "asked": asdict(of.asked),
        "settings": asdict(settings),
        "again": again,
    }
    write_bytes(folder / REQUEST, json.dumps(request, ensure_ascii=False).encode())
    (folder / STATUS).unlink(missing_ok=True)
    for old in all_folders()[MOST:]:
        shutil.rmtree(old, ignore_errors=True)
    try:
        detached.start(folder, "engine.lessons.preferences.tuned", str(folder))
    except OSError as error:
        raise refusal("The tuning could not begin: {error}.", error=error) from error


def stop(folder: Path) -> None:
    control.write(folder, control.STOP)


def share(folder: Path) -> float | None:
    """Which share is done; None where nothing is at work."""
    found = find(folder)
    return found.share if found.alive else None


def rows(folder: Path) -> Measured:
    try:
        found: Measured = json.loads((folder / ROWS).read_bytes())
    except (OSError, ValueError):
        return ()
    return found


def finished(run: Run) -> Iterator[tuple[str, Path]]:
    """The tunings of a run that can be looked at, own and shipped: words, and where the difference lies."""
    if is_shipped(run):
        for name, row in shipped().items():
            if (path := ASSETS / f"{name}.safetensors").is_file():
                yield _name(row["by"], Settings(**row["settings"]), False), path
    for folder in all_folders():
        request = json.loads((folder / REQUEST).read_bytes())
        if (folder / TUNED).is_file() and request["run"] == str(run.folder):
            by, settings = request["asked"]["by"], Settings(**request["settings"])
            yield _name(by, settings, True), folder / TUNED


def _name(by: By, settings: Settings, own: bool) -> str:
    words = "my words" if own and by == "words" else CALLED[by]
    return _(
        "{way}: {words}, β = {beta:g}, {steps} steps",
        way=NAMES[settings.way],
        words=_(words),
        beta=settings.beta,
        steps=settings.steps,
    )


def read(model: Transformer, path: Path) -> Transformer:
    """The model with a difference.  ValueError where the file is damaged."""
    return tuning.changed(model, read_arrays(path))


def work(folder: Path) -> None:
    with detached.working(folder) as tell:
        request = json.loads((folder / REQUEST).read_bytes())
        asked = request["asked"]
        asked["clicks"] = tuple(Pair(**one) for one in asked["clicks"])
        there = Path(request["run"])
        run = Run(there, read_note(there)).at(request["step"])
        model: Model[Any] = RunStore().load(run)
        of, settings = studies.make(run, model, Asked(**asked)), Settings(**request["settings"])
        tuner, before = tuning.Tuner(of.task(), settings), list(rows(folder))
        if before and (folder / CHECKPOINT).is_file():
            tuner.go_on(read_arrays(folder / CHECKPOINT))
            before = [row for row in before if row["step"] <= tuner.step]
        for step, measured in tuning.run(tuner, before):
            tell(step / settings.steps, "")
            if measured[-1]["step"] == step:
                write_arrays(folder / CHECKPOINT, tuner.state())
                write_bytes(folder / ROWS, json.dumps(measured).encode())
        write_arrays(folder / TUNED, tuner.difference())
        (folder / CHECKPOINT).unlink(missing_ok=True)


if __name__ == "__main__":
    work(Path(sys.argv[1]))
