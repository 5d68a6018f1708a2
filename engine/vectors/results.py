"""Results: what the tests of a run's word vectors came to, kept beside the run.

What      evaluation.json: analogies by section, likeness by test, each with its coverage, and of which training they are
Source    our own
Shapes    none
Differs   The tests themselves are not kept: their words belong to their makers.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

NAME = "evaluation.json"
TRAINING = ("recipe", "steps", "seconds", "held_out")  # what run.json says of the training; another one has other results


def keep(folder: Path, found: Mapping[str, Any]) -> None:
    """Add to what is there: analogies replace analogies, a test of likeness the one of its name."""
    before = kept(folder) or {"similarity": []}
    pairs = {test["name"]: test for test in (*before["similarity"], *found["similarity"])}
    both = {"training": _training(folder), **found, "analogies": found["analogies"] or before.get("analogies"), "similarity": list(pairs.values())}
    part = folder / f".{NAME}.{os.getpid()}.part"
    part.write_text(json.dumps(both, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    part.replace(folder / NAME)


def kept(folder: Path) -> dict[str, Any] | None:
    """What was kept; None where nothing was, it is damaged, or the run was trained anew since."""
    try:
        found = json.loads((folder / NAME).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    sound = isinstance(found, dict) and isinstance(found.get("similarity"), list) and isinstance(found.get("analogies"), dict | None)
    return found if sound and found.get("training") == _training(folder) else None


def _training(folder: Path) -> str:
    try:
        note = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return ""
    return hashlib.sha256(json.dumps([note.get(name) for name in TRAINING]).encode()).hexdigest()[:12]
