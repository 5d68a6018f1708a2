"""Measuring: what the heads of a large model do, measured by a process of its own, behind whatever
answers a person.

    python -m engine.lessons.heads.measuring    through its pipes (engine/jobs/worker.py)
"""

from __future__ import annotations

import json
from pathlib import Path

from engine.jobs.worker import Report, serve
from engine.lessons.heads import measured, tags
from engine.pretrained import checkpoint
from engine.runs.store import Run, RunStore
from engine.storage.run_folder import NOTE, read_note


def measure(request: bytes, report: Report) -> bytes:
    """Of the run in a folder, at a step or at its end; reports which share is done."""
    place, step = json.loads(request)
    folder = Path(place)
    whole = (folder / NOTE).is_file()
    run = Run(folder, read_note(folder) if whole else checkpoint.note(folder)).at(step)
    model = RunStore().load(run)
    found = tags.measure(run, model, lambda share: report(f"{share}".encode()))
    return json.dumps(measured.row(found)).encode()


if __name__ == "__main__":
    serve(measure)
