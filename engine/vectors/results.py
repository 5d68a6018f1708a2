"""Results: what the tests of a run's word vectors came to, kept beside the run.

What      evaluation.json: analogies by section, likeness by test, each with its coverage, and of
          which training they are
Source    our own
Shapes    none
Differs   The tests themselves are not kept: their words belong to their makers.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from engine.storage import record
from engine.storage.run_folder import EVALUATION, NOTE

# what run.json says of the training; another one has other results
TRAINING = ("recipe", "steps", "seconds", "held_out")


class Results(Struct, frozen=True):
    """evaluation.json: `analogies` by section, `similarity` a row a test, each with its coverage;
    `training`: a digest of what run.json said then."""

    similarity: list[dict[str, Any]]
    analogies: dict[str, Any] | None = None
    training: str = ""


def keep_results(folder: Path, found: Mapping[str, Any]) -> None:
    """Add to what is there: analogies replace analogies, a test of likeness the one of its name."""
    before = read_results(folder) or {"similarity": []}
    pairs = {test["name"]: test for test in (*before["similarity"], *found["similarity"])}
    both = {
        "training": _training(folder),
        **found,
        "analogies": found["analogies"] or before.get("analogies"),
        "similarity": list(pairs.values()),
    }
    record.save(folder / EVALUATION, both)


def read_results(folder: Path) -> dict[str, Any] | None:
    """What was kept; None where nothing was, it is damaged, or the run was trained anew since."""
    try:
        found = record.load(folder / EVALUATION)
        results = record.convert(found, Results)
    except (OSError, ValueError):
        return None
    return found if results.training == _training(folder) else None


def _training(folder: Path) -> str:
    try:
        note = record.load(folder / NOTE)
    except (OSError, ValueError):
        return ""
    return hashlib.sha256(json.dumps([note.get(name) for name in TRAINING]).encode()).hexdigest()[
        :12
    ]
