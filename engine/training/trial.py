"""Trial: whether a folder holds a run that works, tried in a process that may take only so much
more memory.

    python -m engine.training.trial     a worker: {"folder", "room_bytes"} -> an error, or nothing

What      settings are of the kinds that the model's have, weights and snapshots fit them, and the
          model reads a few words
Differs   The limit holds on Linux, where the kernel counts what a process has reserved; elsewhere
          only the time is limited.
"""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

from engine.core.registry import models
from engine.jobs import process
from engine.jobs.worker import Report, serve
from engine.language.message import Message, _, without
from engine.runs.store import RunStore
from engine.storage import quantised
from engine.storage.run_folder import HISTORY, PROBES, WEIGHTS
from engine.training import history, probes

WORDS = "A few words."
MOST_SAID = 500  # characters of an error that is kept as a message
HEAD = 200  # bytes: a file as short may be a head alone


def problem(folder: Path, room_bytes: int = 0) -> str:
    """What keeps the run from working, in one sentence; empty where nothing does.

    room_bytes  how much memory it may take, beyond what the libraries of its model take; 0: any
    """
    store = RunStore(folder.parent)
    run = store.find(folder.name)
    try:
        kind = models.get(run.model)
    except KeyError:
        return _(
            "the run is of the model {model}, which this Unrolled does not have; a newer one may",
            model=ascii(run.model)[:40],
        )
    if room_bytes:
        process.limit_memory(room_bytes, more=True)
    if wrong := _odd_setting(kind.config_type(), run.note["config"]):
        return _(
            "the setting {wrong} in run.json is not of the kind that the model {model} has",
            wrong=wrong,
            model=run.model,
        )
    try:
        came = run.weights.name != WEIGHTS  # in a file of another kind, which is opened below
        weights = {} if came else quantised.read(run.weights)
        if (layers := int(run.note["config"].get("layers", 0))) > len(weights) and not came:
            return _(
                "it asks for {layers:,} layers, and has {weights:,} weights",
                layers=layers,
                weights=len(weights),
            )
        for step, path in run.snapshots.items():
            if wrong := next(
                (
                    name
                    for name, v in quantised.read(path).items()
                    if name not in weights or weights[name].shape != v.shape
                ),
                "",
            ):
                return _(
                    "{wrong} in the snapshot of step {step} matches none of the weights",
                    wrong=wrong[:60],
                    step=step,
                )
        record = folder / HISTORY
        if not history.read(record) and record.is_file() and record.stat().st_size > HEAD:
            return _("{history} in the zip holds no number of a training", history=HISTORY)
        if not all(_is_probe(row) for row in probes.read(folder)):
            return _(
                "{probes} in the zip holds something else than what a training writes",
                probes=PROBES,
            )
        for at in (None, *list(run.snapshots)[:1]):
            store.load(run.at(at)).trace(WORDS)
    except Exception as error:  # whatever a stranger's numbers make a model do
        said = without(str(error), str(folder), "the zip") or type(error).__name__
        if isinstance(error, MemoryError) or "allocate memory" in said:
            return "the model asks for far more memory than its weights need"
        if not isinstance(said, Message) or len(said) > MOST_SAID:
            said = _(" ".join(said.split())[:200])
        return _("the model in the zip does not work: {said}", said=said)
    return ""


def _odd_setting(default: Any, given: dict[str, Any]) -> str:
    """The first setting whose value is of another kind than the usual one: 3 is no text, though 3
    is a rate."""
    for field in fields(default):
        usual = type(getattr(default, field.name))
        if field.name in given and type(given[field.name]) not in (
            (int, float) if usual is float else (usual,)
        ):
            return field.name
    return ""


def _is_probe(row: dict[str, Any]) -> bool:
    samples, parts = row.get("samples", []), [row.get("weights", {}), row.get("activations", {})]
    written = isinstance(samples, list) and all(
        isinstance(s, list) and len(s) == 2 and all(isinstance(t, str) for t in s) for s in samples
    )
    return written and all(
        isinstance(part, dict)
        and all(isinstance(h, dict) and isinstance(h.get("counts"), list) for h in part.values())
        for part in parts
    )


def answer(request: bytes, report: Report) -> bytes:
    asked = json.loads(request)
    if said := problem(Path(asked["folder"]), int(asked["room_bytes"])):
        raise ValueError(said)
    return b""


if __name__ == "__main__":
    serve(answer)
