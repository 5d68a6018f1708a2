"""Redraw: a short program that runs a model as it is and with edits, and draws a saved figure again.

What      the text of a Python script: it reads the edits back, traces the same tokens twice and draws the same view
Source    our own; its twin without edits is `engine.export.script`
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.trace import Trace


def script(drawing: Any, options: Mapping[str, Any], stamp: Mapping[str, str]) -> str:
    """A short program that runs the model as it is and with the edits, and draws the figure again.

    drawing  names, picks and view of the figure, the `compare` trace it is of, and the text of the edits
    """
    trace: Trace = drawing.trace
    fields = tuple(name.removeprefix("edited.") for name in trace if name.startswith("edited.") and name != "edited.surprisal")
    return f'''"""Draws a figure of Unrolled again: the model is run as it is and with the edits.  Python finds `engine` in Unrolled's own folder."""

from pathlib import Path

from engine.export import render
from engine.registry import views
from engine.runs import RunStore
from engine.surgery import compare, operable, read

HERE = Path(__file__).parent
STAMP = {dict(stamp)!a}
EDITS = {drawing.edits!a}
PICKS = {dict(drawing.picks)!a}
OPTIONS = {dict(options)!a}

store = RunStore()
model = store.load(store.find(STAMP["run"]))
edits, problems = read(EDITS, operable(model))
cut = {{"fields": {fields!a}, "window": ({trace.offset}, {trace.offset + len(trace.tokens)})}}
plain = model.trace(STAMP["text"], **cut)
trace = compare(plain, model.trace(STAMP["text"], edits, **cut) if edits else plain)
inputs = [trace[name].pick(**{{a: p for a, p in PICKS.items() if a in trace[name].axis_names}}) for name in {list(drawing.names)!a}]
figure = views.get({drawing.view!a}).draw(*inputs, **OPTIONS)
for format in ("html", "svg"):
    (HERE / f"figure.{{format}}").write_bytes(render(figure, format, STAMP))
'''
