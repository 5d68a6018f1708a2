"""Runs: trained models on disk, one folder each.

    <root>/<id>/weights.safetensors   arrays only, no pickle
               /history.csv           step, metric, value
               /run.json              what made it and how good it is; written last, so it means done
               /snapshots/            what the model had learned on the way, one file a step
               /checkpoint.safetensors  only while it is being trained

A run's id is the name of its folder: the model's id for shipped ones, model and recipe key for stored ones.
"""

from __future__ import annotations

import csv
import hashlib
import json
import os
import platform
import shutil
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from engine.arrays import read_arrays, write_arrays, write_bytes
from engine.pretrained import checkpoint
from engine.registry import models

VERSION = 1
SHIPPED = Path(__file__).parents[1] / "assets" / "runs"
WEIGHTS, NOTE, HISTORY, CHECKPOINT = "weights.safetensors", "run.json", "history.csv", "checkpoint.safetensors"
SNAPSHOTS = "snapshots"
CHECKPOINT_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Recipe:
    """All that decides a trained model.  Same recipe, same key, same weights."""

    model: str
    config: Any
    corpus: str  # digest of the training text
    seed: int = 0

    @property
    def key(self) -> str:
        body = {"v": VERSION, "model": self.model, "config": asdict(self.config), "corpus": self.corpus, "seed": self.seed}
        return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()[:12]


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Run:
    """A finished run: its folder and what its run.json says."""

    folder: Path
    note: Mapping[str, Any]

    @property
    def id(self) -> str:
        return str(self.note["checkpoint"]["name"]) if self.is_checkpoint else self.folder.name

    @property
    def is_checkpoint(self) -> bool:
        """Whether this is a folder of the `transformers` library, not one that `fit` or `import` wrote."""
        return "checkpoint" in self.note and not (self.folder / NOTE).is_file()

    @property
    def model(self) -> str:
        return str(self.note["model"])

    @property
    def title(self) -> str:
        return str(self.note.get("title") or self.id)

    @property
    def snapshots(self) -> dict[int, Path]:
        """The steps on the way that were kept, in order."""
        return {int(p.stem): p for p in sorted((self.folder / SNAPSHOTS).glob("*.safetensors")) if p.stem.isdecimal()}


def home() -> Path:
    """Where this person's own runs live: UNROLLED_HOME, else the system's place for user data."""
    if "UNROLLED_HOME" in os.environ:
        return Path(os.environ["UNROLLED_HOME"])
    import platformdirs

    return Path(platformdirs.user_data_dir("unrolled", appauthor=False))


class RunStore:
    """Finds, opens and writes runs.  Roots are searched in order; the last one is written to."""

    def __init__(self, *roots: Path) -> None:
        self.roots = roots or (SHIPPED, home() / "runs")

    def all(self, model: str | None = None) -> list[Run]:
        found = []
        for root in self.roots:
            for place in sorted(root.glob(f"*/{NOTE}")):
                try:
                    run = _open(place.parent)
                except ValueError:  # one damaged folder must not hide the others; `find` says what is wrong with it
                    continue
                if model is None or run.model == model:
                    found.append(run)
        return found

    def find(self, name: str) -> Run:
        """A run by the id of a shipped or stored run, or by its folder; or a pretrained checkpoint by its folder or hub name.

        LookupError that says what there is; ValueError when its run.json is damaged or it is a checkpoint we can't show.
        """
        places = [root / name for root in self.roots] if Path(name).name == name else []
        for folder in [*places, Path(name)]:
            if (folder / NOTE).is_file():
                return _open(folder.resolve())
        if (Path(name) / CHECKPOINT).is_file():
            raise LookupError(f"the run in {name} is not finished; go on with `python -m engine train ... --out {name} --resume`")
        if (found := checkpoint.find(name)) is not None:
            return Run(*found)
        ids = ", ".join(run.id for run in self.all()) or "none yet"
        raise LookupError(f"no run {name!r}; give a run folder or one of: {ids}")

    def load(self, run: Run, step: int | None = None) -> Any:
        """The trained model, or with `step` as it was at one of `run.snapshots`.  ValueError when the folder is damaged."""
        if run.is_checkpoint:
            return checkpoint.load(run.folder)
        model = models.get(run.model)
        try:
            weights = read_arrays(run.folder / WEIGHTS)
            if step is not None:
                weights |= read_arrays(run.snapshots[step])
            return model.from_weights(read_config(model, run.note["config"]), weights)
        except (OSError, KeyError, RuntimeError, TypeError, ValueError) as error:
            said = f"{error} is missing" if isinstance(error, KeyError) else error
            raise ValueError(f"the run in {run.folder} can't be opened, train it again or take a copy: {said}") from error


def _open(folder: Path) -> Run:
    """ValueError when run.json is not what `fit` wrote."""
    try:
        note = json.loads((folder / NOTE).read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{folder / NOTE} is damaged: {error}") from error
    if not isinstance(note, dict) or not {"model", "config"} <= set(note):
        raise ValueError(f"{folder / NOTE} is damaged: it does not say which model and config")
    return Run(folder, note)


def read_config(model: Any, values: Mapping[str, Any]) -> Any:
    """A config from a run.json; settings that this version does not know are left out."""
    names = {f.name for f in fields(model.config_type)}
    return model.config_type(**{k: v for k, v in values.items() if k in names})


def fit(
    folder: Path,
    recipe: Recipe,
    text: str,
    *,
    device: str = "cpu",
    resume: bool = False,
    half: bool = False,
    snapshots: int = 0,
    facts: Mapping[str, Any] | None = None,
) -> Iterator[Any]:
    """Train into `folder`, reporting each step; `run.json` comes last.  A stopped one goes on with `resume`.

    half       store numbers as float16
    snapshots  about how many steps on the way shall be kept, evenly on a logarithmic scale
    facts      what else run.json shall say: title, corpus, licence
    """
    model = models.get(recipe.model)
    folder.mkdir(parents=True, exist_ok=True)
    started, state = time.monotonic(), folder / CHECKPOINT
    kept, before, history = None, 0.0, []
    if resume and state.is_file():
        kept = read_arrays(state)
        if bytes(kept.pop("recipe")) != recipe.key.encode():
            raise ValueError(f"the checkpoint in {folder} was made with other settings or another text; give them again, or another --out")
        before = float(kept.pop("seconds")[0])
        history = _read_history(folder / HISTORY, int(kept["step"][0]))
    done, fresh, due = None, True, None
    last_write = time.monotonic()
    for progress in model.fit(text, recipe.config, seed=recipe.seed, device=device, resume=kept):
        if fresh:  # the model takes the text: only now may a finished run in this folder go
            (folder / NOTE).unlink(missing_ok=True)
            fresh, due = False, Due(progress.total, snapshots, progress.step)
            if kept is None:
                shutil.rmtree(folder / SNAPSHOTS, ignore_errors=True)
        history += [(progress.step, name, value) for name, value in progress.metrics.items()]
        seconds = before + time.monotonic() - started
        if progress.checkpoint is not None and progress.model is None and time.monotonic() - last_write > CHECKPOINT_SECONDS:
            _write_history(folder / HISTORY, history)
            extra = {"recipe": np.frombuffer(recipe.key.encode(), np.uint8), "seconds": np.array([seconds])}
            write_arrays(state, {**progress.checkpoint, **extra})
            last_write = time.monotonic()
        if progress.now is not None and due is not None and due(progress.step):
            (folder / SNAPSHOTS).mkdir(exist_ok=True)
            write_arrays(folder / SNAPSHOTS / f"{progress.step:08d}.safetensors", _stored(progress.now(), half))
        done = progress.model or done
        yield progress
    if done is None:
        raise ValueError("training ended without a model")
    weights = _stored(done.to("cpu").weights(), half)
    write_arrays(folder / WEIGHTS, weights)
    _write_history(folder / HISTORY, history)
    note = {
        "version": VERSION, "model": recipe.model, "recipe": recipe.key, "config": asdict(recipe.config), "seed": recipe.seed,
        "corpus": {"digest": recipe.corpus, "characters": len(text)}, **(facts or {}),
        "steps": progress.step, "seconds": round(before + time.monotonic() - started, 1), "device": device,
        "held_out": _held_out(model.from_weights(recipe.config, weights), text, recipe.seed),
        "made_with": versions(),
    }  # fmt: skip
    write_bytes(folder / NOTE, json.dumps(note, indent=1, ensure_ascii=False).encode())
    state.unlink(missing_ok=True)


class Due:
    """Which steps are kept: about `count`, each later than the one before by the same factor, none of them up to `first` - 1."""

    def __init__(self, total: int, count: int, first: int) -> None:
        marks = np.geomspace(1, total, count) if count > 0 else np.zeros(0)
        self._left = [int(mark) for mark in np.unique(marks.round()) if mark >= first]

    def __call__(self, step: int) -> bool:
        passed = [mark for mark in self._left if mark <= step]
        self._left = self._left[len(passed) :]
        return bool(passed)


def _stored(weights: Mapping[str, np.ndarray], half: bool) -> dict[str, np.ndarray]:
    return {k: v.astype(np.float16) if half and v.dtype == np.float32 else v for k, v in weights.items()}


def _held_out(model: Any, text: str, seed: int) -> dict[str, float]:
    from engine.measure import score
    from engine.text.base import passages, split

    if hasattr(model, "judge"):  # a model with labels of its own says how many it gets right
        _, held_out = split(passages(text), seed)
        return {k: round(float(v), 4) for k, v in model.judge(held_out).items()} if held_out else {}
    if not any(spec.name == "probability" for spec in model.spec()):
        return {}
    if getattr(model.config, "as_it_stands", False):  # nothing was held out
        return {}
    _, held_out = split(passages(text), seed, most_characters=100_000)
    return {k: round(v, 4) for k, v in score(model, "\n".join(held_out)).as_dict().items() if np.isfinite(v)} if held_out else {}


def versions() -> dict[str, str]:
    from importlib.metadata import version

    return {"python": platform.python_version()} | {name: version(name) for name in ("numpy", "torch", "tokenizers")}


def _write_history(path: Path, rows: list[tuple[int, str, float]]) -> None:
    lines = ["step,metric,value", *(f"{step},{name},{value:.6g}" for step, name, value in rows)]
    write_bytes(path, ("\n".join(lines) + "\n").encode())


def _read_history(path: Path, last: int) -> list[tuple[int, str, float]]:
    if not path.is_file():
        return []
    with path.open(newline="") as file:
        rows = [(int(r["step"]), r["metric"], float(r["value"])) for r in csv.DictReader(file)]
    return [row for row in rows if row[0] <= last]
