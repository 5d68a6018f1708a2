"""Changed: a model before and after it was trained further, and by how much each of its matrices was
changed.

What      dW = W' - W of every matrix; of rank r the best is sum_{i<=r} s_i u_i v_i^T, which holds
          sum_{i<=r} s_i^2 of |dW|^2
Source    Eckart & Young, The Approximation of One Matrix by Another of Lower Rank, 1936
Shapes    dW (out, in); s its singular values, the largest first
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from engine.core.cache import once
from engine.core.registry import models
from engine.core.trace import Trace
from engine.lessons.finetuning import results
from engine.live import cache
from engine.models.neural import NeuralLanguageModel
from engine.nn.tuning import lora
from engine.runs.store import RunStore
from engine.storage import quantised
from engine.training import going_on

BASE = "transformer_rope"
RECURRENT = re.compile(r"layers\.(\d+)\..*weight_(ih|hh)(?:_l\d+)?")
STEPS = {"ih": "input", "hh": "state"}
WAYS: Mapping[str, Mapping[str, Any]] = {
    "whole": {"tune": "whole", "rate": 1e-3},
    "last layer": {"tune": "layers", "unfrozen": 1, "rate": 2e-3},
    "output": {"tune": "layers", "unfrozen": 0, "rate": 2e-3},
    "adapters": {"tune": "adapters", "adapter_width": 16, "rate": 5e-3},
    "lora": {"tune": "lora", "lora_rank": 8, "lora_targets": "all", "rate": 5e-3},
}
"""What differs from the usual in the trainings of build.py."""


@dataclass(frozen=True, eq=False)
class Pair:
    before: NeuralLanguageModel[Any]
    after: NeuralLanguageModel[Any]
    title: str
    _read: dict[tuple[str, ...], tuple[Trace, Trace]] = field(default_factory=dict)

    def read(self, text: str, *names: str) -> tuple[Trace, Trace]:
        """These fields before and after; both models go on from what they read last, where this text
        begins as that one did."""
        last = self._read.get(names, (None, None))
        before, after = (
            model.trace(text, fields=(*names, *model.carries), after=of)
            for model, of in zip((self.before, self.after), last, strict=True)
        )
        self._read[names] = before, after
        return before, after

    @once
    def matrices(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """W and dW (out, in) of every matrix that both have, by its name; rows of query, key and value
        apart."""
        parts: dict[str, list[lora.Part]] = {}
        for part in lora.parts(self.before.net):
            parts.setdefault(f"{part.module}.weight", []).append(part)
        new, found = self.after.net.state_dict(), {}
        for name, w in self.before.net.state_dict().items():
            if w.ndim != 2 or name not in new:
                continue
            old_EI, delta_EI = w.numpy(), (new[name] - w).numpy()
            for part in parts.get(name, []):
                rows = slice(part.start, part.start + part.rows)
                layer = next(n for n in part.module.split(".") if n.isdecimal())
                found[f"{part.name} {int(layer) + 1}"] = old_EI[rows], delta_EI[rows]
            if step := RECURRENT.fullmatch(name):
                found[f"{STEPS[step[2]]} {int(step[1]) + 1}"] = old_EI, delta_EI
            elif name not in parts:
                found[name.removesuffix(".weight")] = old_EI, delta_EI
        return found


@lru_cache(8)
def example(way: str) -> Pair:
    """The shipped run, tuned in one of WAYS.  ValueError where what that learned is not there."""
    start = going_on.open_start(BASE)
    before = start.model
    assert isinstance(before, NeuralLanguageModel)
    learned = quantised.read(results.SHIPPED / results.file(way))
    old = before.weights()
    new = {k: v + old[k] if k in old else v for k, v in learned.items()}
    config = going_on.config_of(start.run, WAYS[way])
    return Pair(before, type(before).from_weights(config, {**old, **new}), way)


def tuned() -> dict[str, str]:
    """{id: title} of the reader's runs that go on from another."""
    return {
        run.id: run.title
        for run in RunStore().all()
        if run.note.get("base") and issubclass(models.get(run.model), NeuralLanguageModel)
    }


def own(name: str) -> Pair:
    """A run of the reader's.  ValueError where it or the run below is gone."""
    try:
        return _own(name, RunStore().find(name).key)
    except LookupError as error:
        raise ValueError(str(error.args[0])) from error


def is_open(name: str) -> bool:
    """Whether a run of the reader's, and the one that it goes on from, can answer at once."""
    try:
        run = RunStore().find(name)
        return cache.is_open(run, RunStore().find(str(run.note["base"]["run"])))
    except LookupError:
        return False


@lru_cache(2)  # they may be large
def _own(name: str, _key: tuple[str, str]) -> Pair:
    run = RunStore().find(name)
    before = cache.model(RunStore().find(str(run.note["base"]["run"])), NeuralLanguageModel)
    return Pair(before, cache.model(run, NeuralLanguageModel), run.title)


def turned(before: Trace, after: Trace) -> np.ndarray:
    """How much of what a head's tokens take from each other comes from elsewhere after (L, N): half the
    sum of |A' - A| over the keys, the mean over all tokens that have a choice."""
    a, b = (trace.field("attention").values for trace in (before, after))
    found: np.ndarray = np.abs(b - a)[..., 1:, :].sum(-1).mean(-1) / 2
    return found


def spectrum(delta_EI: np.ndarray) -> np.ndarray:
    """Its singular values, the largest first."""
    found: np.ndarray = np.linalg.svd(delta_EI, compute_uv=False)
    return found


def held(value_R: np.ndarray) -> np.ndarray:
    """The share of |dW|^2 that the best matrix of rank 1, 2 ... holds."""
    total = np.cumsum(value_R**2)
    found: np.ndarray = total / total[-1] if total[-1] else np.ones(len(total))
    return found


def blocks(size: int, most: int = 48) -> np.ndarray:
    """Where at most so many blocks of rows begin, and the last one ends."""
    return np.linspace(0, size, min(size, most) + 1).astype(int)


def shrunk(delta_EI: np.ndarray, most: int = 48) -> np.ndarray:
    """At most so many rows and columns: each cell the mean of a block."""
    for axis in (0, 1):
        edges = blocks(delta_EI.shape[axis], most)
        counts = np.diff(edges)
        sums = np.add.reduceat(delta_EI, edges[:-1], axis=axis)
        delta_EI = sums / (counts[:, None] if axis == 0 else counts)
    return delta_EI
