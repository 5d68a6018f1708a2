"""Adapters: what a run learned beside the one that it stands on, as a file of the `peft` library, and
such a file as a run."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from engine.core.registry import models
from engine.language.message import _, refusal
from engine.models.abilities import HasNet
from engine.pretrained import lora_file
from engine.runs.store import VERSION, Run, RunStore, read_config, versions
from engine.storage import quantised
from engine.storage.arrays import write_arrays
from engine.storage.files import disk_errors, kept_whole
from engine.storage.run_folder import NOTE, WEIGHTS, write_note


def write(run: Run, folder: Path) -> dict[str, int]:
    """Its LoRA; the rank and how many numbers it is.  ValueError where it has none."""
    config = read_config(models.get(run.model), run.note["config"])
    if run.note["config"].get("tune") != "lora":
        raise refusal("{name} has no LoRA: it was not trained with tune=lora", name=run.title)
    arrays = _learned(quantised.read(run.folder / WEIGHTS))
    store = RunStore()
    base = store.find(str(run.note["base"]["run"]))
    with disk_errors(str(folder)), kept_whole(folder):
        lora_file.save(folder, _net(store, base), config, arrays, _called(base), _family(base))
    return {"rank": config.lora_rank, "parameters": _count(arrays)}


def take(base: Run, folder: Path, out: Path) -> dict[str, int]:
    """A run with the LoRA of a folder.  ValueError with a sentence where it belongs to another model,
    and nothing is left of the run."""
    if not base.note.get("recipe"):
        raise refusal("{name} has no recipe that a run could stand on", name=base.title)
    config = read_config(models.get(base.model), base.note["config"])
    made, arrays = lora_file.load(folder, _net(RunStore(), base), config, base.title, _family(base))
    note = {
        "version": VERSION,
        "model": base.model,
        "recipe": f"{base.note['recipe']}+{out.name}"[:40],
        "config": asdict(made),
        "title": _("{title} + LoRA", title=base.title),
        "corpus": {},
        "steps": 0,
        "seconds": 0.0,
        "device": "cpu",
        "base": {"run": base.id, "recipe": base.note["recipe"]},
        "held_out": {},
        "made_with": versions(),
    }
    with disk_errors(str(out)), kept_whole(out):
        write_arrays(out / WEIGHTS, arrays)
        write_note(out, note)
        assert (out / NOTE).is_file()
        store = RunStore(out.parent)
        store.load(store.find(out.name))
    return {"rank": made.lora_rank, "parameters": _count(arrays)}


def _learned(weights: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {name: np.asarray(v) for name, v in weights.items() if ".lora_" in name}


def _count(arrays: Mapping[str, np.ndarray]) -> int:
    return sum(math.prod(values.shape) for values in arrays.values())


def _net(store: RunStore, run: Run) -> Any:
    model = store.load(run)
    if not isinstance(model, HasNet):
        raise refusal("{name} has no network that an adapter could change", name=run.title)
    return model.net


def _called(run: Run) -> str:
    return str(run.note.get("checkpoint", {}).get("name") or run.id)


def _family(run: Run) -> str:
    return str(run.note.get("checkpoint", {}).get("family") or "")
