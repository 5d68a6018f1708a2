"""Slim: a finished run as it is shipped, with all that is looked at and nothing that only its
training needed.

What      curves of a few hundred points, without the times of single steps; no snapshot of the last
          step, which is the run itself;
          run.json names the text that it learned from
Differs   The weights are as they were.  Done twice, it changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.storage import record
from engine.storage.run_folder import HISTORY, NOTE, PACE, snapshot, write_note
from engine.training import history

POINTS = 400  # of a curve


def slim(folder: Path, facts: Mapping[str, Any]) -> None:
    """`facts` as for `fit`: what run.json shall say of the text, where it does not yet."""
    history.shorten(folder / HISTORY, POINTS)
    (folder / PACE).unlink(missing_ok=True)
    old = record.load(folder / NOTE)
    snapshot(folder, old["steps"]).unlink(missing_ok=True)
    new = {**old, **facts, "corpus": {**old.get("corpus", {}), **facts.get("corpus", {})}}
    if "texts" not in facts:
        new.pop("texts", None)  # names of files on the computer that it was made on
    if new != old:
        write_note(folder, new)
