"""The live part of the page on sparse attention: the gallery of patterns, and a Transformer under the
chosen one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from engine.analysis.masks.imposed import Mask
from engine.analysis.masks.patterns import PATTERNS, SPARSE
from engine.core.trace import FieldSpec, Kind
from engine.lessons.masks import panels
from engine.live.drawing import Look, Traces
from engine.live.reader import describe_field
from engine.live.stage import Panel, Stage
from engine.runs.store import Run

SHOWN = ("causal", *SPARSE, "top")
FIRST = Mask("window", 4)
DRAWN = 24  # tokens of a picture in the gallery
LAYERS = FieldSpec("reach", Kind.ATTENTION, ("query", "key"), "Layers that a way takes.")
SAYS = (
    "Grey is forbidden. The model was trained without this pattern: what each next token costs under it,"
    " beside its own mask."
)


def stage(run: Run, settled: Callable[[Traces, Look], None]) -> Stage:
    """`settled` draws what all patterns cost, in a moment of rest."""
    found = panels.stage(run, SHOWN, FIRST, SAYS)
    (lab,) = found.panels
    gallery = Panel(
        "gallery",
        "maskgallery",
        "Eight patterns",
        "Strong: looked at directly. Weaker: reached through more layers, for what a token has read it hands"
        " on. Click a pattern to put it on the model below.",
        {
            "reader": panels.READER,
            "patterns": {id: [PATTERNS[id].title, PATTERNS[id].says] for id in SHOWN},
            "first": lab.options["first"],
            "drawn": DRAWN,
            "scale": describe_field(LAYERS)["scale"],
        },
    )
    selection = {**found.selection, "times": 3}
    return replace(
        found, panels=(gallery, lab), settled=settled, settled_for_text=True, selection=selection
    )
