"""Runs: trained models on disk, one folder each; engine/training/fit.py writes them.

    <root>/<id>/    what lies in it: engine/storage/run_folder.py

A run's id is the name of its folder: the model's id for shipped ones, model and recipe key for
stored ones.
With a step behind it, as in `lstm@120`, it is the run as it was at one of its snapshots.
"""

from __future__ import annotations

import hashlib
import json
import os.path
import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine import ROOT
from engine.core.registry import models
from engine.language.message import _, refusal
from engine.pretrained import checkpoint
from engine.pretrained.stored import GGUF, TEMPLATE
from engine.storage import files, quantised, run_folder
from engine.storage.home import base, home, person
from engine.storage.run_folder import CHECKPOINT, NOTE, WEIGHTS, read_note

if TYPE_CHECKING:
    from engine.models.base import Model

VERSION = 1
SHIPPED = ROOT / "assets" / "runs"


@dataclass(frozen=True, slots=True)
class Recipe:
    """All that decides a trained model.  Same recipe, same key, same weights."""

    model: str
    config: Any
    corpus: str  # digest of the training text
    seed: int = 0
    start: str = ""  # key of the run whose weights it goes on with

    @property
    def key(self) -> str:
        usual = {
            f.name
            for f in fields(self.config)
            if f.metadata.get("later")
            and getattr(self.config, f.name) == f.metadata.get("before", f.default)
        }
        # older recipes did not name them
        config = {name: value for name, value in asdict(self.config).items() if name not in usual}
        body = {
            "v": VERSION,
            "model": self.model,
            "config": config,
            "corpus": self.corpus,
            "seed": self.seed,
            **({"start": self.start} if self.start else {}),
        }
        return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()[:12]


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Run:
    """A finished run: its folder and what its run.json says; with `step` as it was at one of its
    snapshots."""

    folder: Path
    note: Mapping[str, Any]
    step: int | None = None

    @property
    def id(self) -> str:
        if self.is_checkpoint:
            return str(self.note["checkpoint"]["name"])
        return self.folder.name if self.step is None else f"{self.folder.name}@{self.step}"

    def at(self, step: int | None) -> Run:
        """The run as it was at one of `snapshots`; None: as it is at the end.  LookupError where
        that step was not kept."""
        if step is None or step == self.step:
            return _open(self.folder) if step is None and self.step is not None else self
        if step not in self.snapshots:
            kept = ", ".join(map(str, self.snapshots)) or "none"
            raise LookupError(
                _(
                    "the run {name} has no snapshot of step {step}; kept are {kept}",
                    name=repr(self.folder.name),
                    step=step,
                    kept=kept,
                )
            )
        end = _open(self.folder).note if self.step is not None else self.note
        # its own recipe, so that nothing that is kept of the finished run is taken for it; what was
        # measured is of the end
        note = {
            **end,
            "recipe": f"{end.get('recipe')}@{step}",
            "title": _(
                "{value}, step {step:,}", value=end.get("title") or self.folder.name, step=step
            ),
            "steps": step,
            "held_out": {},
        }
        return Run(self.folder, note, step)

    def read_as(self, way: str) -> Run:
        """The run as it reads a text "behind" its start mark, "alone", or as a "conversation"; itself
        where its tokenizer does so anyway."""
        if way == ("behind" if self.note["checkpoint"]["opens"] else "alone"):
            return self
        recipe = f"{self.note.get('recipe')}+{way}"
        return replace(self, note={**self.note, "recipe": recipe, "way": way})

    @property
    def as_kept(self) -> Run:
        """As it was before `read_as`."""
        return _open(self.folder) if "way" in self.note else self

    @property
    def talks(self) -> bool:
        """Whether it came with a chat template that can be used.  Where its import did not look,
        whether one lies in its folder."""
        about = self.note.get("checkpoint", {})
        return bool(about.get("chat", "opens" in about and (self.folder / TEMPLATE).is_file()))

    @property
    def is_checkpoint(self) -> bool:
        """Whether this is a folder of the `transformers` library, not one that `fit` or `import`
        wrote."""
        return "checkpoint" in self.note and not (self.folder / NOTE).is_file()

    @property
    def weights(self) -> Path:
        """The file of its numbers: as `fit` or `import` wrote it, or the GGUF file that it came in."""
        return find_weights(self.folder)

    @property
    def model(self) -> str:
        return str(self.note["model"])

    @property
    def title(self) -> str:
        return str(self.note.get("title") or self.id)

    @property
    def key(self) -> tuple[str, str]:
        """What tells it from any other run, and from itself at another step."""
        return str(self.folder), str(self.note.get("recipe"))

    @property
    def snapshots(self) -> dict[int, Path]:
        """The steps on the way that were kept, in order."""
        return run_folder.snapshots(self.folder)


class RunStore:
    """Finds, opens and writes runs.  Roots are searched in order; the last one is written to, and
    its runs go before others of the same id that are not shipped."""

    def __init__(self, *roots: Path) -> None:
        shared = () if person() is None else (base() / "runs",)
        self.roots = roots or (SHIPPED, *shared, home() / "runs")

    def all(self, model: str | None = None) -> list[Run]:
        found = []
        for root in self.roots:
            for place in files.find_all(root, f"*/{NOTE}"):
                if root in self.roots[1:-1] and os.path.isfile(
                    self.roots[-1] / place.relative_to(root)
                ):
                    continue  # a shared one that is one's own too
                try:
                    run = _open(place.parent)
                except ValueError:
                    # one damaged folder must not hide the others; `find` says what is wrong with it
                    continue
                if model is None or run.model == model:
                    found.append(run)
        return found

    def find(self, name: str) -> Run:
        """A run by the id of a shipped or stored run, or by its folder; or a pretrained checkpoint
        by its folder or hub name.

        LookupError that says what there is; ValueError when its run.json is damaged or it is a
        checkpoint we can't show.
        """
        if (folder := self._folder(name)) is not None:
            return _open(folder)
        whole, __, step = name.rpartition("@")
        if step.isdecimal() and len(step) < 10 and (folder := self._folder(whole)) is not None:
            return _open(folder).at(int(step))
        if os.path.isfile(Path(name) / CHECKPOINT):
            raise LookupError(
                _(
                    "the run in {name} is not finished; resume it with `python -m engine train ..."
                    " --out {name} --resume`",
                    name=_(name),
                )
            )
        if person() is None and (found := checkpoint.find(name)) is not None:
            return Run(*found)
        ids = ", ".join(run.id for run in self.all()) or "none yet"
        raise LookupError(
            _("no run {name}; give a run folder or one of: {ids}", name=repr(name), ids=ids)
        )

    def _folder(self, name: str) -> Path | None:
        first, *others = self.roots
        places = [root / name for root in (first, *reversed(others))] * (Path(name).name == name)
        if person() is None:  # else a path would be a way to what belongs to others
            places.append(Path(name))
        # a folder that nobody may look into holds none; `Path.is_file` would raise
        return next((f.resolve() for f in places if os.path.isfile(f / NOTE)), None)

    def load(self, run: Run) -> Model[Any]:
        """The trained model.  ValueError when the folder is damaged."""
        model = models.get(run.model)
        if run.is_checkpoint:
            return checkpoint.load(run.folder)
        if os.path.isfile(run.folder / GGUF):
            return checkpoint.reopen(run.folder, lambda: read_config(model, run.note["config"]))
        try:
            weights = quantised.read(run.folder / WEIGHTS)
            if run.step is not None:
                weights |= quantised.read(run.snapshots[run.step])
            config = read_config(model, run.note["config"])
            return model.from_weights(config, {**self._below(run), **weights})
        except (OSError, KeyError, RuntimeError, TypeError, ValueError) as error:
            said = (
                _("{error} is missing", error=error) if isinstance(error, KeyError) else str(error)
            )
            if "loading state_dict" in said or "Storage size" in said:
                said = "its weights do not fit its settings"
            raise refusal(
                "the run in {run.folder} can't be opened; train it again or use a copy: {said}"
            ) from error

    def _below(self, run: Run) -> Mapping[str, Any]:
        """The weights of the run that this one stands on, where it holds only what it changed of it.
        ValueError where that is gone or was made anew."""
        if run.note["config"].get("tune", "whole") == "whole":
            return {}
        about = run.note.get("base") or {}
        name = str(about.get("run"))
        try:
            below = next(r for r in (_found(s, name) for s in (self, RunStore())) if r is not None)
        except StopIteration:
            raise refusal(
                "it holds only what it changed of the run {name}, and that is not here"
            ) from None
        if str(below.note.get("recipe")) != about.get("recipe") or below.key == run.key:
            raise refusal(
                "it holds only what it changed of the run {name}, and what is here under that name is another"
            )
        return self.load(below).weights()


def _found(store: RunStore, name: str) -> Run | None:
    try:
        return store.find(name)
    except LookupError:
        return None


def find_weights(folder: Path) -> Path:
    return folder / (GGUF if os.path.isfile(folder / GGUF) else WEIGHTS)


def _open(folder: Path) -> Run:
    """ValueError when run.json is not what `fit` wrote."""
    try:
        stat = (folder / NOTE).stat()
    except OSError:  # `read_note` says what is wrong
        return Run(folder, read_note(folder))
    return Run(folder, dict(_note(folder, stat.st_mtime_ns, stat.st_size, stat.st_ino)))


@lru_cache(2000)
def _note(folder: Path, *_version: int) -> dict[str, Any]:
    """Every page lists all runs whenever it is opened: a file is read again where it was changed."""
    return read_note(folder)


def read_config(model: type[Model[Any]], values: Mapping[str, Any]) -> Any:
    """A config from a run.json; settings that this version does not know are left out, those that
    it was made before are as they were then."""
    every = fields(model.config_type)
    names, before = (
        {f.name for f in every},
        {f.name: f.metadata["before"] for f in every if "before" in f.metadata},
    )
    return model.config_type(**before | {k: v for k, v in values.items() if k in names})


def versions() -> dict[str, str]:
    from importlib.metadata import version

    return {"python": platform.python_version()} | {
        name: version(name) for name in ("numpy", "torch", "tokenizers")
    }
