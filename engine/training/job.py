"""Job: what was asked for when a training was started, and the command that starts it, or lets it go on, in a process of its own.

    <folder>/job.json   written before the training begins; with it a training that was broken off can go on
            /log.txt    what the process wrote, where it was started from a page
"""

from __future__ import annotations

import contextlib
import json
import secrets
import shlex
import shutil
import subprocess
import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from engine import child
from engine.arrays import write_bytes
from engine.runs import NOTE
from engine.training import told

JOB, LOG = "job.json", "log.txt"
KINDS: dict[str, Any] = {"str": str, "int": int, "float": int | float, "bool": bool, "tuple[str, ...]": tuple}
_starting = threading.Lock()  # two windows may start the same training at once
_children: list[subprocess.Popen[bytes]] = []  # asked now and then how they are, so that none is left over as a zombie


@dataclass(frozen=True, slots=True)
class Job:
    """The arguments of `python -m engine train`; `texts` are files or ids of texts, `settings` "key=value"."""

    model: str
    texts: tuple[str, ...]
    settings: tuple[str, ...] = ()
    seed: int = 0
    device: str = "auto"
    snapshots: int = 0
    looks: int = 0
    prompts: tuple[str, ...] = ()
    title: str = ""
    memory: float = 0.0  # GB; 0: no limit
    tensorboard: bool = False
    queue: bool = False

    def arguments(self, folder: Path) -> list[str]:
        """Behind `python -m engine`.  With --resume, which starts from the beginning where nothing was begun."""
        found = ["train", self.model]
        for flag, values in (("--text", self.texts), ("--set", self.settings), ("--prompt", self.prompts)):
            found += [part for value in values for part in ((flag, value) if not value.startswith("-") else (f"{flag}={value}",))]
        for flag, number, usual in (("--seed", self.seed, 0), ("--snapshots", self.snapshots, 0), ("--looks", self.looks, 0), ("--memory", self.memory, 0)):
            found += [flag, f"{number:g}" if flag == "--memory" else str(number)] if number != usual else []
        found += ["--device", self.device] if self.device != "auto" else []
        found += [f"--title={self.title}"] if self.title else []
        found += [flag for flag, on in (("--tensorboard", self.tensorboard), ("--queue", self.queue)) if on]
        return [*found, "--out", str(folder), "--resume"]

    def command(self, folder: Path) -> str:
        """As a person would type it."""
        return shlex.join(["python", "-m", "engine", *self.arguments(folder)])

    def write(self, folder: Path) -> None:
        write_bytes(folder / JOB, json.dumps(asdict(self), ensure_ascii=False, indent=1).encode())


def read(folder: Path) -> Job | None:
    """None where there is none, or it can't be read."""
    try:
        found = json.loads((folder / JOB).read_text(encoding="utf-8"))
        values = {f.name: found[f.name] for f in fields(Job) if f.name in found}
        kept: dict[str, Any] = {k: tuple(map(str, v)) if isinstance(v, list) else v for k, v in values.items()}
        made = Job(**kept)
        if not all(isinstance(getattr(made, f.name), KINDS[str(f.type)]) for f in fields(Job)) or not made.texts:
            return None
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return None
    return made


def start(job: Job, folder: Path, best: bool = False) -> None:
    """Begin, or go on, in a process that lives on when this one ends; with `best` only to keep the best model so far as the run.

    ValueError when the folder holds a training that is alive or done.
    """
    with _starting:
        _start(job, folder, best)


def _start(job: Job, folder: Path, best: bool) -> None:
    told_last = told.read(folder)
    if (folder / NOTE).is_file() or (told_last and told_last.alive):
        raise ValueError(f"the training in {folder.name} is {'finished' if (folder / NOTE).is_file() else 'going on'} already")
    folder.mkdir(parents=True, exist_ok=True)
    job.write(folder)
    (folder / told.ASKED).unlink(missing_ok=True)
    with (folder / LOG).open("ab") as log:
        begun = child.start("engine", *job.arguments(folder.resolve()), *(["--best"] if best else []), errors=log)
    _children[:] = [one for one in _children if one.poll() is None] + [begun]
    pid, born = begun.pid, told.born(begun.pid)
    told.tell(folder, replace(told_last or told.Told(told.STARTING), state=told.STARTING, ahead=0, pid=pid, born=born, problem=""))


def last_words(folder: Path) -> str:
    """The last line that the process wrote to its log: why it ended, where it ended at once."""
    for one in _children:
        one.poll()
    try:
        lines = (folder / LOG).read_bytes()[-4000:].decode("utf-8", "replace").replace("\r", "\n").split("\n")
    except OSError:
        return ""
    return next((line.removeprefix("error: ").strip() for line in reversed(lines) if line.strip()), "")


def unfinished(roots: Sequence[Path]) -> list[Path]:
    """Folders of trainings that are not done, the newest first."""
    return [folder for folder in _newest(roots, JOB) if not (folder / NOTE).is_file()]


def finished(roots: Sequence[Path], most: int) -> list[Path]:
    """Folders of the trainings that were done last, the newest first."""
    return [folder for folder in _newest(roots, NOTE) if (folder / JOB).is_file()][:most]


def _newest(roots: Sequence[Path], name: str) -> list[Path]:
    found: dict[Path, float] = {}
    for path in (path for root in roots for path in root.glob(f"*/{name}")):
        with contextlib.suppress(OSError):  # thrown away meanwhile
            found[path.parent] = path.stat().st_mtime
    return sorted(found, key=lambda folder: -found[folder])


def drop(folder: Path) -> None:
    """Throw a training away that is not done, with its process.  ValueError with one sentence."""
    import psutil

    if (folder / NOTE).is_file() or folder.is_symlink():
        raise ValueError(f"the training in {folder.name} is finished; delete the run instead")
    last = told.read(folder)
    if last and last.alive:
        with contextlib.suppress(psutil.Error):
            process = psutil.Process(last.pid)
            process.kill()
            process.wait(5)
    gone = folder.parent / ".gone" / secrets.token_hex(8)  # nothing looks for trainings that deep
    try:
        gone.parent.mkdir(exist_ok=True)
        folder.rename(gone)  # out of sight at once, whatever happens on the way
    except OSError as error:
        raise ValueError(f"{folder.name} can't be thrown away: {(error.strerror or 'unknown reason').lower()}") from error
    shutil.rmtree(gone, ignore_errors=True)
