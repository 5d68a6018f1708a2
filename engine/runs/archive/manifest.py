"""Manifest: which files of a run travel in an archive, and the list of them that it begins with."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection
from pathlib import Path
from typing import IO

from msgspec import Struct, field

from engine.pretrained.stored import CONFIG, GGUF, GGUF_INDEX, TEMPLATE, TOKENIZER_STATE
from engine.storage.run_folder import (
    EVALUATION,
    HISTORY,
    NOTE,
    PACE,
    PROBES,
    SNAPSHOTS,
    WEIGHTS,
    Bounded,
    CorpusFacts,
    RunRecord,
)

MANIFEST, FORMAT, VERSION = "manifest.json", "unrolled run", 1
SNAPSHOT = rf"{SNAPSHOTS}/[0-9]{{8,12}}\.safetensors"
TOKENIZER = (
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    TEMPLATE,
    TOKENIZER_STATE,
)
CAME = (GGUF, GGUF_INDEX, CONFIG, *TOKENIZER)  # of a run that is kept as the file it came in
MEMBER = re.compile(
    "|".join([*map(re.escape, (NOTE, HISTORY, PACE, PROBES, WEIGHTS, EVALUATION, *CAME)), SNAPSHOT])
)
ID = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,78}[A-Za-z0-9_-])?")
CHUNK = 1 << 20
DELETED = ".deleted"  # in the root of the runs: of each run that was deleted, {file: digest}


class Refused(ValueError):
    """Why it can't be packed or unpacked, in one sentence."""


class Member(Struct, frozen=True):
    size_bytes: int = field(name="bytes")
    sha256: str


class Manifest(Struct, frozen=True):
    """manifest.json; `id`: what the run was called where it comes from."""

    format: str
    version: int
    id: str
    members: dict[str, Member]


class ArchivedRecord(RunRecord, frozen=True, kw_only=True):
    """run.json of an archive, which has to say what it is, with numbers that are numbers."""

    corpus: CorpusFacts
    held_out: dict[str, Bounded] = {}


def needed(members: Collection[str]) -> set[str]:
    """What no run goes without, of one that has these files."""
    return {NOTE, *((GGUF, GGUF_INDEX, CONFIG, TOKENIZER[0]) if GGUF in members else (WEIGHTS,))}


def files(folder: Path) -> list[str]:
    """The files of a run's folder that travel, run.json first."""
    found = [
        p.relative_to(folder).as_posix()
        for p in (*folder.glob("*"), *(folder / SNAPSHOTS).glob("*"))
        if p.is_file()
    ]
    return sorted(
        (name for name in found if MEMBER.fullmatch(name)), key=lambda name: (name != NOTE, name)
    )


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
