"""Fit: a training from its first step, or from where it stopped, into the folder of a run.

What      After each step it looks what is asked of it; it keeps the numbers of every step, a
          checkpoint twice a minute, the best model so far and, at steps evenly on a logarithmic
          scale, snapshots and what can be seen of the model
Differs   `run.json` comes last, so a folder without one is not done.  A killed training goes on
          from its checkpoint and takes the same steps as one that was never stopped.
"""

from __future__ import annotations

import contextlib
import math
import re
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec.structs import replace

from engine.core.registry import models
from engine.jobs import control, process
from engine.language.message import refusal
from engine.nn.plan import Patient, Training
from engine.runs.store import VERSION, Recipe, versions
from engine.storage import quantised
from engine.storage.arrays import read_arrays, write_arrays
from engine.storage.files import explain_error as disk_said
from engine.storage.files import write_bytes
from engine.storage.run_folder import (
    BEST,
    CHECKPOINT,
    HISTORY,
    NOTE,
    ON_THE_WAY,
    PACE,
    SNAPSHOTS,
    WEIGHTS,
    snapshot,
    write_note,
)
from engine.training import probes, status
from engine.training.diagnosis import DivergenceMonitor
from engine.training.history import History, read

if TYPE_CHECKING:
    from engine.models.base import Model

SHORT = (
    "there is not enough memory for this training; choose a smaller batch, span, vocabulary or"
    " model, or use gradient checkpointing"
)
CHECKPOINT_SECONDS, TELL_SECONDS = 30.0, 1.0
ABOUT = ("recipe", "seconds", "best")  # what stands beside the arrays of a model on the way
PACE_ROW = re.compile(r"([0-9]{1,15}),[0-9]+\.[0-9]")


def fit(
    folder: Path,
    recipe: Recipe,
    text: str,
    *,
    device: str = "cpu",
    resume: bool = False,
    start: Mapping[str, np.ndarray] | None = None,
    numbers: str = "float32",
    snapshots: int = 0,
    probes: int = 0,
    prompts: Sequence[str] = (),
    facts: Mapping[str, Any] | None = None,
) -> Iterator[Any]:
    """Train into `folder`, reporting each step.  A stopped one goes on with `resume`.

    start      what `model.opened()` gave of a finished run, whose key is in the recipe: its steps
               are counted on, and its history is in `folder`, unless they begin at 0 again.  Where
               not all weights learn, only those that do are stored
    numbers    how they are stored, see engine/storage/quantised.py
    snapshots  about how many steps on the way shall be kept, evenly on a logarithmic scale
    probes     the same for what can be seen of the model: samples, histograms
               (engine/training/probes.py)
    prompts    what it shall write on from when it is probed
    facts      what else run.json shall say: title, texts, licence

    Ends without a run.json when it was asked to pause, or to stop before there was a model.  Asked
    to stop, or after `patience` measurements without a better one, it ends with the best model so
    far.
    ValueError with a sentence: the text, the settings or the checkpoint can't be used, or the loss
    is no number any more.
    """
    model = models.get(recipe.model)
    folder.mkdir(parents=True, exist_ok=True)
    training = TrainingRun(folder, recipe, numbers, start)
    patience = recipe.config.patience if isinstance(recipe.config, Patient) else 0
    asked = control.ControlFile(folder)
    asked.forget_older()
    wish = ""
    try:
        kept = training.resumed() if resume else None
        if kept is None and start is not None:
            training.first = int(start["step"][0])
        done, fresh = None, True
        for progress in model.fit(
            text,
            recipe.config,
            seed=recipe.seed,
            device=device,
            resume=start if kept is None else {**(start or {}), **kept},
        ):
            if fresh:  # the model takes the text: only now may a finished run in this folder go
                training.begin(progress, snapshots, probes, kept is None)
                fresh = False
            training.note(progress, prompts, text)
            done = progress.model
            if progress.passed:  # nothing can be asked of it; one of the next has what is wished
                yield progress
                continue
            wish = asked() if done is None else ""
            if wish == control.PAUSE and progress.checkpoint is not None:
                training.checkpoint(progress)
                training.tell(status.PAUSED)
            if done is None and patience and training.waited >= patience:
                wish = control.STOP
            if wish == control.STOP and training.best is None and progress.now is not None:
                done = progress.now()
            yield progress
            if wish:
                break
        if wish == control.PAUSE or (done is None and training.best is None):
            training.tell(status.PAUSED if wish == control.PAUSE else status.STOPPED)
            if not wish:
                raise ValueError("training ended without a model")
            return
        training.finish(done, model, text, device, wish, bool(patience), facts or {})
    except (ValueError, MemoryError, RuntimeError, OSError) as error:
        short = (
            isinstance(error, MemoryError)
            or "out of memory" in str(error)
            or "allocate memory" in str(error)
        )
        if short:
            said = SHORT
        elif isinstance(error, OSError):
            said = disk_said(error)
        else:
            said = training.monitor.said(error, recipe.config, training.best)
        training.failed(said)
        if said != str(error):
            raise (MemoryError if short else ValueError)(said) from error
        raise
    finally:
        if wish:
            asked.obeyed()
        if training.status.alive:  # Ctrl-C, or nobody asks for the next step
            training.tell(status.BROKEN)


class TrainingRun:
    """What is kept of a training between its first step and its last."""

    def __init__(
        self,
        folder: Path,
        recipe: Recipe,
        numbers: str,
        start: Mapping[str, np.ndarray] | None = None,
    ) -> None:
        self.folder, self.recipe, self.numbers = folder, recipe, numbers
        self.base: dict[str, np.ndarray] = {}  # weights of the run below that do not learn
        if start and isinstance(recipe.config, Training) and recipe.config.tune != "whole":
            self.base = {k.removeprefix("net."): v for k, v in start.items() if k != "step"}
        self.started, self.before, self.first = time.monotonic(), 0.0, 0
        self.best: tuple[int, float] | None = None
        self.waited = 0  # measurements on held-out text since the best one
        self.notes: Mapping[str, str] = {}
        self.monitor = DivergenceMonitor({})
        self.begun = False  # until the first step, when there is a history
        pid, born = process.name_own()
        self.status = status.TrainingStatus(status.STARTING, pid=pid, born=born)
        self.tell(status.STARTING)

    @property
    def seconds(self) -> float:
        return self.before + time.monotonic() - self.started

    def tell(self, state: str, error: str = "") -> None:
        self.status = replace(
            self.status, state=state, seconds=round(self.seconds, 1), error=error, best=self.best
        )
        status.write(self.folder, self.status)

    def resumed(self) -> dict[str, np.ndarray] | None:
        """The checkpoint, for the model to go on from; None where there is none."""
        if not (self.folder / CHECKPOINT).is_file():
            return None
        kept = read_arrays(self.folder / CHECKPOINT)
        self.check(kept)
        self.before, self.first = float(kept.pop("seconds")[0]), int(kept["step"][0])
        self.waited = int(kept.pop("waited", np.zeros(1))[0])
        self.status = replace(self.status, step=self.first, first_seconds=self.before)
        step, nats = kept.pop("best", np.zeros(2))
        self.best = (int(step), float(nats)) if step and (self.folder / BEST).is_file() else None
        return kept

    def check(self, kept: dict[str, np.ndarray]) -> None:
        if bytes(kept.pop("recipe")) != self.recipe.key.encode():
            raise refusal(
                "the checkpoint in {self.folder} was made with other settings or another text;"
                " give them again, or another --out"
            )

    def begin(self, progress: Any, snapshots: int, probed: int, anew: bool) -> None:
        (self.folder / NOTE).unlink(missing_ok=True)
        if anew:
            shutil.rmtree(self.folder / SNAPSHOTS, ignore_errors=True)
            (self.folder / BEST).unlink(missing_ok=True)
            (self.folder / PACE).unlink(missing_ok=True)
        _cut_pace(self.folder / PACE, self.first)
        self.history, self.begun = History(self.folder / HISTORY, self.first), True
        self.monitor = DivergenceMonitor(read(self.folder / HISTORY))
        probes.forget_after(self.folder, self.first)
        self.status = replace(self.status, first=self.first)
        self.kept, self.seen = (
            LogSchedule(progress.total, count, progress.step) for count in (snapshots, probed)
        )
        self.checkpointed = self.said = time.monotonic()

    def note(self, progress: Any, prompts: Sequence[str], text: str) -> None:
        now = time.monotonic()
        metrics, self.notes = dict(progress.metrics), progress.notes
        # depends on the machine: it is told, and no part of the history
        tokens = metrics.pop("tokens_per_second", None)
        self.history.add(progress.step, metrics)
        self.status = replace(
            self.status,
            step=progress.step,
            total=progress.total,
            metrics={**self.status.metrics, **metrics},
            tokens_per_second=self.status.tokens_per_second if tokens is None else tokens,
        )
        self.monitor(progress.step, metrics)
        self._judge(progress, metrics.get("held_out_nats", math.nan))
        if progress.now is not None:
            self._keep(progress, prompts, text)
        last = progress.model is not None
        if last or now - self.said > TELL_SECONDS:
            self.said = now
            self.history.flush()
            _pace(self.folder, progress.step, self.seconds)
            self.status = replace(self.status, memory_bytes=_memory())
            self.tell(status.RUNNING)
        if (
            not last
            and progress.checkpoint is not None
            and now - self.checkpointed > CHECKPOINT_SECONDS
        ):
            self.checkpoint(progress)

    def _judge(self, progress: Any, nats: float) -> None:
        if math.isnan(nats):
            return
        if self.best is None or nats < self.best[1]:
            self.waited = 0
            if progress.now is not None:
                self.best = progress.step, nats
                own = self.own(progress.now().weights())
                write_arrays(self.folder / BEST, own | self._about())
        else:
            self.waited += 1

    def own(self, weights: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """What the run below does not have."""
        return {
            name: values
            for name, values in weights.items()
            if name not in self.base or not np.array_equal(values, self.base[name])
        }

    def _keep(self, progress: Any, prompts: Sequence[str], text: str) -> None:
        kept, seen = self.kept(progress.step), self.seen(progress.step)
        if not kept and not seen:
            return
        model = progress.now()
        if kept:
            (self.folder / SNAPSHOTS).mkdir(exist_ok=True)
            # words and counts stay as they are
            weights = self.own(model.weights())
            learned = {name: v for name, v in weights.items() if v.dtype.kind == "f"}
            write_arrays(
                snapshot(self.folder, progress.step), quantised.stored(learned, self.numbers)
            )
        if seen:
            probes.measure(self.folder, model, text)
            probes.append_probe(self.folder, probes.take_probe(model, progress.step, prompts, text))

    def checkpoint(self, progress: Any) -> None:
        self.history.flush()
        write_arrays(
            self.folder / CHECKPOINT,
            {**progress.checkpoint(), **self._about(), "waited": np.array([self.waited])},
        )
        self.checkpointed = time.monotonic()

    def _about(self) -> dict[str, np.ndarray]:
        key, best = (
            np.frombuffer(self.recipe.key.encode(), np.uint8),
            np.array(self.best or (0, 0), np.float64),
        )
        return dict(zip(ABOUT, (key, np.array([self.seconds]), best), strict=True))

    def failed(self, said: str) -> None:
        if self.begun:
            with contextlib.suppress(OSError):
                self.history.flush()
        self.tell(status.FAILED, said)

    def finish(
        self,
        done: Any,
        model: type[Model[Any]],
        text: str,
        device: str,
        wish: str,
        patient: bool,
        facts: Mapping[str, Any],
    ) -> None:
        """With `wish` or `patient` the best model is kept, else the last one."""
        best = (
            read_arrays(self.folder / BEST)
            if self.best and (wish or patient or done is None)
            else None
        )
        for name in ABOUT if best is not None else ():
            best.pop(name, None)  # type: ignore[union-attr]
        weights = quantised.stored(
            best if best is not None else self.own(done.to("cpu").weights()), self.numbers
        )
        write_arrays(self.folder / WEIGHTS, weights)
        self.history.flush()
        steps = self.best[0] if best is not None and self.best else self.status.step
        note = {
            "version": VERSION,
            "model": self.recipe.model,
            "recipe": self.recipe.key,
            "config": asdict(self.recipe.config),
            "seed": self.recipe.seed,
            **facts,
            "corpus": {
                "digest": self.recipe.corpus,
                "characters": len(text),
                **facts.get("corpus", {}),
            },
            "steps": steps,
            "seconds": round(self.seconds, 1),
            "device": device,
            **({"stopped": self.status.step} if wish else {}),
            **self.notes,
            "held_out": held_out(
                model.from_weights(self.recipe.config, {**self.base, **quantised.unpack(weights)}),
                text,
                self.recipe.seed,
            ),
            "made_with": versions(),
        }
        write_note(self.folder, note)
        self.status = replace(self.status, state=status.FINISHED)
        for name in ON_THE_WAY:
            (self.folder / name).unlink(missing_ok=True)


class LogSchedule:
    """Which steps are kept: about `count`, each later than the one before by the same factor, none
    of them up to `first` - 1."""

    def __init__(self, total: int, count: int, first: int) -> None:
        marks = np.geomspace(1, total, count) if count > 0 else np.zeros(0)
        self._left = [int(mark) for mark in np.unique(marks.round()) if mark >= first]

    def __call__(self, step: int) -> bool:
        passed = [mark for mark in self._left if mark <= step]
        self._left = self._left[len(passed) :]
        return bool(passed)


def held_out(model: Model[Any], text: str, seed: int) -> dict[str, float]:
    """How good a model is on the part of its text that it did not learn from; nothing where that
    has no meaning."""
    from engine.analysis.measure import score
    from engine.models.abilities import Judges
    from engine.text.tokenizers.base import passages, split

    if isinstance(model, Judges):  # a model with labels of its own says how many it gets right
        _, kept = split(passages(text), seed)
        return {k: round(float(v), 4) for k, v in model.judge(kept).items()} if kept else {}
    if model.promise("probability") is None:
        return {}
    if model.as_it_stands:  # nothing was held out
        return {}
    _, kept = split(passages(text), seed, most_characters=100_000)
    return (
        {
            k: round(v, 4)
            for k, v in score(model, "\n".join(kept)).as_dict().items()
            if np.isfinite(v)
        }
        if kept
        else {}
    )


def _pace(folder: Path, step: int, seconds: float) -> None:
    new = not (folder / PACE).exists()
    with (folder / PACE).open("a", encoding="utf-8") as file:
        file.write(("step,seconds\n" if new else "") + f"{step},{seconds:.1f}\n")


def _cut_pace(path: Path, last: int) -> None:
    """What it says of steps after `last` goes: they will be taken again."""
    if path.is_file():
        rows = [
            row
            for row in path.read_text(encoding="utf-8", errors="replace").splitlines()
            if (found := PACE_ROW.fullmatch(row)) and int(found[1]) <= last
        ]
        write_bytes(path, "\n".join(["step,seconds", *rows, ""]).encode())


def _memory() -> int:
    import psutil

    return int(psutil.Process().memory_info().rss)
