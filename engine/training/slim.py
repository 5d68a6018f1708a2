"""Slim: a finished run as it is shipped, with all that is looked at and nothing that only its training needed.

What      curves of a few hundred points, without the times of single steps; no snapshot of the last step, which is the run itself;
          run.json names the text that it learned from
Differs   The weights are as they were.  Done twice, it changes nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.arrays import write_bytes
from engine.runs import HISTORY, NOTE, SNAPSHOTS
from engine.training import history
from engine.training.fit import PACE

POINTS = 400  # of a curve


def slim(folder: Path, facts: Mapping[str, Any]) -> None:
    """`facts` as for `fit`: what run.json shall say of the text, where it does not yet."""
    history.shorten(folder / HISTORY, POINTS)
    (folder / PACE).unlink(missing_ok=True)
    old = json.loads((folder / NOTE).read_text(encoding="utf-8"))
    (folder / SNAPSHOTS / f"{old['steps']:08d}.safetensors").unlink(missing_ok=True)
    new = {**old, **facts, "corpus": {**old.get("corpus", {}), **facts.get("corpus", {})}}
    if "texts" not in facts:
        new.pop("texts", None)  # names of files on the computer that it was made on
    if new != old:
        write_bytes(folder / NOTE, json.dumps(new, indent=1, ensure_ascii=False).encode())
