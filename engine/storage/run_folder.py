"""Run folder: the files that lie in the folder of a run, or of a training that will be one.

    run.json               what made it and how good it is; written last, so it means done
    weights.safetensors    arrays only, no pickle; in how many bits: engine/storage/quantised.py
    history.csv            step, metric, value
    pace.csv               step, seconds: once a second
    watch.jsonl            what the model wrote, and how its weights lay, on the way
    evaluation.json        how good its word vectors are, where that was measured
    heads.json             what its heads do, where that was measured
    snapshots/00000120.safetensors    what the model had learned at that step
    job.json, log.txt      what was asked for, and what the process wrote
    status.json, control, checkpoint.safetensors, best.safetensors    only while it is trained

What      The names, and what run.json says.  Under the names in OLD earlier versions wrote the
          same; they are still read.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta, Struct

from engine.language.message import refusal
from engine.storage import record
from engine.storage.files import reason

NOTE, WEIGHTS, HISTORY = "run.json", "weights.safetensors", "history.csv"
PACE, PROBES, EVALUATION = "pace.csv", "watch.jsonl", "evaluation.json"
HEADS = "heads.json"
SNAPSHOTS = "snapshots"
JOB, LOG = "job.json", "log.txt"
STATUS, CONTROL = "status.json", "control"
CHECKPOINT, BEST = "checkpoint.safetensors", "best.safetensors"
TENSORBOARD = "tensorboard"
OLD_STATUS, OLD_CONTROL = "told.json", "asked"
ON_THE_WAY = (BEST, CHECKPOINT, STATUS, CONTROL, OLD_STATUS, OLD_CONTROL)  # gone when it is done
UNBEGUN = frozenset({JOB, LOG, STATUS, OLD_STATUS})  # there before its first step
# what a training that never came to its first checkpoint may leave
UNKEPT = UNBEGUN | {
    HISTORY,
    WEIGHTS,
    SNAPSHOTS,
    CONTROL,
    OLD_CONTROL,
    PROBES,
    PACE,
    BEST,
    TENSORBOARD,
}

MOST = 10**15  # no number of a run is larger
Whole = Annotated[int, Meta(gt=-MOST, lt=MOST)]
Bounded = Annotated[float, Meta(gt=-MOST, lt=MOST)]


class CorpusFacts(Struct, frozen=True):
    """What run.json says of the text: its name, its digest, how long it is."""

    name: str = ""
    digest: str = ""
    characters: Bounded = 0
    passages: Bounded = 0
    licence: str = ""
    link: str = ""


class RunRecord(Struct, frozen=True, kw_only=True):
    """run.json.  `held_out`: how good the model is on what it did not learn from."""

    model: str
    config: dict[str, Any]
    corpus: CorpusFacts = CorpusFacts()
    held_out: dict[str, Whole | float] = {}
    version: Whole = 1
    title: str = ""
    recipe: str = ""
    seed: Whole = 0
    steps: Bounded = 0
    seconds: Bounded = 0
    device: str = ""
    made_with: dict[str, str] = {}


def read_note(folder: Path) -> dict[str, Any]:
    """What run.json says, unknown keys too.  Somebody may have changed it by hand: what is of the
    wrong kind counts as not said.  ValueError with a sentence where it can't be read, or does not
    even say which model and settings."""
    try:
        found = record.load(folder / NOTE)
    except OSError as error:
        raise refusal(
            "{path} can't be read: {said}", path=folder / NOTE, said=reason(error).lower()
        ) from error
    if not {"model", "config"} <= found.keys() or not isinstance(found["model"], str):
        raise refusal(
            "{path} is damaged: it does not say which model and config", path=folder / NOTE
        )
    return {"config": {}, "corpus": {}, "held_out": {}} | record.keep_sound(found, RunRecord)


def write_note(folder: Path, note: Mapping[str, Any]) -> None:
    record.save(folder / NOTE, note)


def snapshot(folder: Path, step: int) -> Path:
    return folder / SNAPSHOTS / f"{step:08d}.safetensors"


def snapshots(folder: Path) -> dict[int, Path]:
    """The steps on the way that were kept, in order."""
    return {
        int(path.stem): path
        for path in sorted((folder / SNAPSHOTS).glob("*.safetensors"))
        if path.stem.isdecimal()
    }
