"""Best: the best model of a training that failed, or was broken off, becomes its finished run
without another step.

What      the best model so far lies beside the checkpoint from the first measurement on held-out
          text on; here it is taken as if the training had been asked to stop behind it
Differs   A training that diverged takes the same steps into the same abyss when it goes on from its
          checkpoint; its best model is what is left of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from msgspec.structs import replace

from engine.core.registry import models
from engine.jobs import control
from engine.language.message import refusal
from engine.runs.store import Recipe
from engine.storage.arrays import read_arrays
from engine.storage.run_folder import BEST, HISTORY
from engine.training import status
from engine.training.fit import TrainingRun
from engine.training.history import History


def keep_best(
    folder: Path,
    recipe: Recipe,
    text: str,
    *,
    device: str = "cpu",
    numbers: str = "float32",
    start: Mapping[str, np.ndarray] | None = None,
    facts: Mapping[str, Any] | None = None,
) -> None:
    """ValueError with a sentence where there is no such model, or where it was made with other
    settings or another text."""
    if not (folder / BEST).is_file():
        raise refusal(
            "there is no model to keep in {folder}: the training ended before its first"
            " measurement on held-out text"
        )
    kept, last = (
        read_arrays(folder / BEST),
        status.read(folder) or status.TrainingStatus(status.BROKEN),
    )
    training = TrainingRun(folder, recipe, numbers, start)
    try:
        training.check(kept)
        step, nats = kept["best"]
        training.best, training.before = (
            (int(step), float(nats)),
            max(last.seconds, float(kept["seconds"][0])),
        )
        training.status = replace(training.status, step=max(int(step), int(last.step)))
        training.history = History(folder / HISTORY, int(training.status.step))
        training.finish(
            None, models.get(recipe.model), text, device, control.STOP, True, facts or {}
        )
    finally:
        if training.status.alive:  # it could not be finished: all is as it was
            status.write(folder, last)
