"""Best: the best model of a training that failed, or was broken off, becomes its finished run without another step.

What      the best model so far lies beside the checkpoint from the first measurement on held-out text on; here it is taken as if
          the training had been asked to stop behind it
Differs   A training that diverged takes the same steps into the same abyss when it goes on from its checkpoint; its best model is
          what is left of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.arrays import read_arrays
from engine.registry import models
from engine.runs import HISTORY, Recipe
from engine.training import told
from engine.training.fit import BEST, Way
from engine.training.history import History


def keep(folder: Path, recipe: Recipe, text: str, *, device: str = "cpu", numbers: str = "float32", facts: Mapping[str, Any] | None = None) -> None:
    """ValueError with a sentence where there is no such model, or where it was made with other settings or another text."""
    if not (folder / BEST).is_file():
        raise ValueError(f"there is no model to keep in {folder}: the training ended before its first measurement on held-out text")
    kept, last = read_arrays(folder / BEST), told.read(folder) or told.Told(told.BROKEN)
    way = Way(folder, recipe, numbers)
    try:
        way.check(kept)
        step, nats = kept["best"]
        way.best, way.before = (int(step), float(nats)), max(last.seconds, float(kept["seconds"][0]))
        way.told = replace(way.told, step=max(int(step), last.step))
        way.history = History(folder / HISTORY, way.told.step)
        way.finish(None, models.get(recipe.model), text, device, told.STOP, True, facts or {})
    finally:
        if way.told.alive:  # it could not be finished: all is as it was
            told.tell(folder, last)
