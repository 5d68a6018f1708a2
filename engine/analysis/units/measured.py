"""What units of shipped recurrent models respond to, measured beforehand: assets/units.json, made by
`python -m engine.analysis.units.measured`.

What      of each hypothesis the unit whose memory tells it best, where AUC or 1 - AUC is at least CLEAR
          and the false discovery rate at most RATE; of the first shipped run of each recurrent language
          model that reads characters, over the little stories
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from engine import ROOT
from engine.analysis.units import features, probe, reading
from engine.analysis.units.features import HYPOTHESES, Hypothesis
from engine.core.cell_card import listed
from engine.models.base import Model
from engine.runs import store as runs
from engine.storage.files import write_bytes
from engine.text.corpora.stories import CORPUS

SHIPPED = ROOT / "assets" / "units.json"
CLEAR, RATE = 0.85, 0.05
POSITIONS, MOST_BYTES = 24_576, 2**26


@dataclass(frozen=True, slots=True)
class Role:
    """What a unit of a layer (both from 0) responds to; `auc` under 0.5: it is lower there."""

    layer: int
    unit: int
    about: Hypothesis
    auc: float


def find(recipe: str) -> tuple[Role, ...]:
    """The roles measured in a run by its recipe; none where nothing was measured, or the file is
    damaged."""
    by_id = {h.id: h for h in HYPOTHESES}
    try:
        return tuple(
            Role(int(layer), int(unit), by_id[id], float(auc))
            for layer, unit, id, auc in _rows().get(recipe, ())
        )
    except (KeyError, TypeError, ValueError):
        return ()


@lru_cache(1)
def _rows() -> dict[str, Any]:
    try:
        rows = json.loads(SHIPPED.read_text(encoding="utf-8"))["units"]
        return rows if isinstance(rows, dict) else {}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def measure(model: Model[Any]) -> tuple[Role, ...]:
    """In the order of the hypotheses; a unit that tells several is named for the one it tells
    best."""
    found = reading.read(model, CORPUS.text(), memory(model), POSITIONS, MOST_BYTES)
    numbers = (features.counts(h, found.text, found.span_N2) for h in HYPOTHESES)
    holds = [features.truths(h, n) for h, n in zip(HYPOTHESES, numbers, strict=True)]
    made = probe.probe(found.state_UN, np.stack(holds))
    best: dict[int, Role] = {}
    for about, hypothesis in enumerate(HYPOTHESES):
        if (at := made.best(about, RATE)) is None:
            continue
        auc = float(made.auc[at])
        role = Role(*found.place(at[0]), hypothesis, auc)
        if max(auc, 1 - auc) >= CLEAR and _far(role) > _far(best.get(at[0])):
            best[at[0]] = role
    return tuple(sorted(best.values(), key=lambda role: HYPOTHESES.index(role.about)))


def memory(model: Model[Any]) -> str:
    """The field that holds what a unit keeps."""
    return reading.signals(model)[0]


def _far(role: Role | None) -> float:
    return abs(role.auc - 0.5) if role else 0.0


def write() -> None:
    store, rows = runs.RunStore(runs.SHIPPED), {}
    for run in (run for model in listed() for run in store.all(model)[:1]):
        model = store.load(run)
        if len(model.tokens(CORPUS.text()[:100])) < 100:
            continue  # the hypotheses are about characters
        rows[str(run.note["recipe"])] = [
            [role.layer, role.unit, role.about.id, round(role.auc, 4)] for role in measure(model)
        ]
    lines = ",\n".join(f"{json.dumps(recipe)}: {json.dumps(row)}" for recipe, row in rows.items())
    made_by = '"made_by": "python -m engine.analysis.units.measured"'
    write_bytes(SHIPPED, f'{{{made_by}, "units": {{\n{lines}\n}}}}\n'.encode())


if __name__ == "__main__":
    write()
