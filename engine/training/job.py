"""Job: what was asked for when a training was started, and the command that starts it, or lets it
go on, in a process of its own.

<folder>/job.json   written before the training begins; with it a training that was broken off can
                    go on
        /log.txt    what the process wrote, where it was started from a page
<root>/.starting    locked while one is started
"""

from __future__ import annotations

import contextlib
import secrets
import shlex
from collections.abc import Sequence
from pathlib import Path

from filelock import FileLock
from msgspec import Struct
from msgspec.structs import replace

from engine.jobs import detached, process
from engine.language.message import _, refusal
from engine.people import limits
from engine.storage import files, record
from engine.storage.files import discard
from engine.storage.home import person
from engine.storage.run_folder import JOB, LOG, NOTE, Bounded, Whole
from engine.text import collection
from engine.training import status

STARTING = ".starting"


class Job(Struct, frozen=True):
    """job.json: the arguments of `python -m engine train`; `texts` are files or ids of texts, `settings`
    "key=value"."""

    model: str
    texts: tuple[str, ...]
    settings: tuple[str, ...] = ()
    seed: Whole = 0
    device: str = "auto"
    snapshots: Whole = 0
    probes: Whole = 0
    prompts: tuple[str, ...] = ()
    title: str = ""
    memory: Bounded = 0.0  # GB; 0: no limit
    tensorboard: bool = False
    queue: bool = False
    start: str = ""  # a run that it goes on from

    def arguments(self, folder: Path) -> list[str]:
        """Behind `python -m engine`.  With --resume, which starts from the beginning where nothing
        was begun."""
        found = ["train", self.model]
        for flag, values in (
            ("--text", self.texts),
            ("--set", self.settings),
            ("--prompt", self.prompts),
        ):
            found += [
                part
                for value in values
                for part in ((flag, value) if not value.startswith("-") else (f"{flag}={value}",))
            ]
        for flag, number, usual in (
            ("--seed", self.seed, 0),
            ("--snapshots", self.snapshots, 0),
            ("--probes", self.probes, 0),
            ("--memory", self.memory, 0),
        ):
            found += (
                [flag, f"{number:g}" if flag == "--memory" else str(number)]
                if number != usual
                else []
            )
        found += ["--device", self.device] if self.device != "auto" else []
        found += [f"--title={self.title}"] if self.title else []
        found += ["--start", self.start] if self.start else []
        found += [
            flag
            for flag, on in (("--tensorboard", self.tensorboard), ("--queue", self.queue))
            if on
        ]
        return [*found, "--out", str(folder), "--resume"]

    def command(self, folder: Path) -> str:
        """As a person would type it."""
        return shlex.join(["python", "-m", "engine", *self.arguments(folder)])

    def write(self, folder: Path) -> None:
        record.save(folder / JOB, self)


def read(folder: Path) -> Job | None:
    """None where there is none, or it can't be read."""
    try:
        found = record.load(folder / JOB)
        made = record.convert({"probes": found.get("looks", 0), **found}, Job)  # its old name
    except (OSError, ValueError):
        return None
    return made if made.texts else None


def start(job: Job, folder: Path, best: bool = False) -> None:
    """Begin, or go on, in a process that lives on when this one ends; with `best` only to keep the
    best model so far as the run.

    ValueError when the folder holds a training that is alive or done.
    """
    # two windows may start the same training at once, of two servers on this computer too
    with FileLock(folder.parent / STARTING):
        _start(job, folder, best)


def _start(job: Job, folder: Path, best: bool) -> None:
    last = status.read(folder)
    if (folder / NOTE).is_file() or (last and last.alive):
        raise refusal(
            "the training in {name} is {value} already",
            name=_(folder.name),
            value=_("finished") if (folder / NOTE).is_file() else _("going on"),
        )
    if person() is not None:  # a file of this computer may belong to anybody
        for text in job.texts:
            try:
                collection.find(text)
            except LookupError as error:
                raise ValueError(str(error)) from error
    limits.check_room()
    limits.check_trainings(sum(is_alive(one) for one in unfinished((folder.parent,))))
    with files.kept_whole(folder), (folder / LOG).open("ab") as log:
        job.write(folder)
        detached.start(
            folder,
            "engine",
            *job.arguments(folder.resolve()),
            *(["--best"] if best else []),
            first=replace(last or status.TrainingStatus(), state=status.STARTING, ahead=0),
            errors=log,
        )


def is_alive(folder: Path) -> bool:
    """Whether its training waits, starts or runs."""
    last = status.read(folder)
    return last is not None and last.alive


def last_words(folder: Path) -> str:
    """The last line that the process wrote to its log: why it ended, where it ended at once."""
    process.reap()
    try:
        lines = (
            (folder / LOG)
            .read_bytes()[-4000:]
            .decode("utf-8", "replace")
            .replace("\r", "\n")
            .split("\n")
        )
    except OSError:
        return ""
    return next(
        (line.removeprefix("error: ").strip() for line in reversed(lines) if line.strip()), ""
    )


def unfinished(roots: Sequence[Path]) -> list[Path]:
    """Folders of trainings that are not done, the newest first."""
    return [folder for folder in _newest(roots, JOB) if not (folder / NOTE).is_file()]


def finished(roots: Sequence[Path], most: int) -> list[Path]:
    """Folders of the trainings that were done last, the newest first."""
    return [folder for folder in _newest(roots, NOTE) if (folder / JOB).is_file()][:most]


def _newest(roots: Sequence[Path], name: str) -> list[Path]:
    found: dict[Path, float] = {}
    for path in (path for root in roots for path in files.find_all(root, f"*/{name}")):
        with contextlib.suppress(OSError):  # thrown away meanwhile
            found[path.parent] = path.stat().st_mtime
    return sorted(found, key=lambda folder: -found[folder])


def drop(folder: Path) -> None:
    """Throw a training away that is not done, with its process.  ValueError with one sentence."""
    if (folder / NOTE).is_file() or folder.is_symlink():
        raise refusal(
            "the training in {name} is finished; delete the run instead", name=_(folder.name)
        )
    if (last := status.read(folder)) and last.alive:
        process.kill(last.pid, last.born)
    try:  # nothing looks for trainings that deep
        discard(folder, folder.parent / ".gone" / secrets.token_hex(8))
    except OSError as error:
        raise refusal(
            "{name} can't be discarded: {value}",
            name=_(folder.name),
            value=(error.strerror or "unknown reason").lower(),
        ) from error
