"""Contents: which files of a run travel in a parcel, and the list of them that the parcel begins with."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from engine.runs import HISTORY, NOTE, SNAPSHOTS, WEIGHTS
from engine.training.fit import PACE
from engine.training.watch import WATCH

MANIFEST, FORMAT, VERSION = "manifest.json", "unrolled run", 1
EVALUATION = "evaluation.json"  # how good a table of word vectors is, where that was measured
SNAPSHOT = rf"{SNAPSHOTS}/[0-9]{{8,12}}\.safetensors"
MEMBER = re.compile("|".join([*map(re.escape, (NOTE, HISTORY, PACE, WATCH, WEIGHTS, EVALUATION)), SNAPSHOT]))
ID = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,78}[A-Za-z0-9_-])?")
CHUNK = 1 << 20
DELETED = ".deleted"  # in the root of the runs: of each run that was deleted, {file: digest}


class Refused(ValueError):
    """Why it can't be packed or unpacked, in one sentence."""


@dataclass(frozen=True, slots=True)
class Member:
    size_bytes: int
    sha256: str


def files(folder: Path) -> list[str]:
    """The files of a run's folder that travel, run.json first."""
    found = [p.relative_to(folder).as_posix() for p in (*folder.glob("*"), *(folder / SNAPSHOTS).glob("*")) if p.is_file()]
    return sorted((name for name in found if MEMBER.fullmatch(name)), key=lambda name: (name != NOTE, name))


def member(path: Path) -> Member:
    with path.open("rb") as file:
        return Member(path.stat().st_size, hashlib.file_digest(file, "sha256").hexdigest())


def copy(source: IO[bytes], size_bytes: int, sink: IO[bytes]) -> str:
    """The digest of what was copied, `size_bytes` at most."""
    found = hashlib.sha256()
    while size_bytes and (part := source.read(min(CHUNK, size_bytes))):
        found.update(part)
        sink.write(part)
        size_bytes -= len(part)
    return found.hexdigest()


def digests(folder: Path) -> dict[str, str]:
    return {name: member(folder / name).sha256 for name in files(folder)}
