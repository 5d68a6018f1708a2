"""Results: what the tests of a run's word vectors came to, kept beside the run.

What      evaluation.json: analogies by section, likeness by test, each with its coverage
Source    our own
Shapes    none
Differs   The tests themselves are not kept: their words belong to their makers.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

NAME = "evaluation.json"


def keep(folder: Path, found: Mapping[str, Any]) -> None:
    """Add to what is there: analogies replace analogies, a test of likeness the one of its name."""
    before = kept(folder) or {"similarity": []}
    pairs = {test["name"]: test for test in (*before["similarity"], *found["similarity"])}
    both = {**found, "analogies": found["analogies"] or before.get("analogies"), "similarity": list(pairs.values())}
    part = folder / f".{NAME}.{os.getpid()}.part"
    part.write_text(json.dumps(both, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    part.replace(folder / NAME)


def kept(folder: Path) -> dict[str, Any] | None:
    """What was kept; None where nothing was, or it is damaged."""
    try:
        found = json.loads((folder / NAME).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    sound = isinstance(found, dict) and isinstance(found.get("similarity"), list) and isinstance(found.get("analogies"), dict | None)
    return found if sound else None
