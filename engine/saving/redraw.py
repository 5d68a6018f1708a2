"""Redraw: a short program that runs a model as it is and with edits, for the numbers of a saved
figure.

What      the text of a Python script: it reads the edits back, traces the same tokens twice, writes
          the numbers as a table and draws them
Source    our own; its twin without edits is `engine.saving.export.script`
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.core.trace import Trace
from engine.saving.export import drawn


def script(drawing: Any, options: Mapping[str, Any], stamp: Mapping[str, str]) -> str:
    """A short program that runs the model as it is and with the edits, writes the numbers as a table
    and draws them where there is a view for them.

    drawing  names, picks and view of the figure, the `compare` trace it is of, and the text of the
             edits
    """
    trace: Trace = drawing.trace
    fields = tuple(
        name.removeprefix("edited.")
        for name in trace
        if name.startswith("edited.") and name != "edited.surprisal"
    )
    return f'''"""The numbers of a figure of Unrolled again: the model is run as it is and with the edits.  \
Python finds `engine` in Unrolled's own folder."""

from pathlib import Path

from engine.saving.export import frame, render
from engine.core.registry import views
from engine.runs.store import RunStore
from engine.analysis.surgery import changeable, compare, read

HERE = Path(__file__).parent
STAMP = {dict(stamp)!a}
EDITS = {drawing.edits!a}
PICKS = {dict(drawing.picks)!a}
OPTIONS = {dict(options)!a}

store = RunStore()
model = store.load(store.find(STAMP["run"]))
edits, problems = read(EDITS, changeable(model))
cut = {{"fields": {fields!a}, "window": ({trace.offset}, {trace.offset + len(trace.tokens)})}}
plain = model.trace(STAMP["text"], **cut)
trace = compare(plain, model.trace(STAMP["text"], edits, **cut) if edits else plain)
inputs = [trace[name].pick(**{{a: p for a, p in PICKS.items() if a in trace[name].axis_names}}) \
for name in {list(drawing.names)!a}]
frame(inputs).to_csv(HERE / "figure.csv", index=False)
{drawn(drawing.drawer)}'''
