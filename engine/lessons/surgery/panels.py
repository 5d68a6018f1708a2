"""The Surgery page: what is drawn of a run as it is and edited."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from engine.analysis import surgery
from engine.lessons import looked
from engine.lessons.recurrent import words
from engine.lessons.surgery.operation import LONGEST, MOVES, Operation, change, going_on, written_on
from engine.live import cache
from engine.live.drawing import Drawing, Look, Traces
from engine.live.reader import Reader
from engine.live.stage import Panel, Stage
from engine.models.base import Model
from engine.runs.store import Run

if TYPE_CHECKING:
    from engine.models.recurrent import RecurrentModel


def drawn(
    run: Run,
    model: Model[Any],
    sizes: Mapping[str, tuple[int, int]],
    view: str,
    names: tuple[str, ...],
    axes: tuple[str, ...] = (),
    **options: Any,
) -> Any:
    """A `Panel.figure` of the two runs compared; "*" in a name stands for the field looked at."""

    def make(traces: Traces, look: Look) -> Drawing:
        plain = traces["plain"]
        asked = str(look.get("edits") or "") if len(plain.text) <= LONGEST else ""
        edits, _ = surgery.read(asked, sizes)
        both = surgery.compare(plain, surgery.operate(model, plain, edits))
        chosen = str(look.get("field")) if look.get("field") in sizes else next(iter(sizes))
        layers, each = sizes[chosen]
        most = {"layer": layers, "unit": each, "head": each}
        picks = {
            a: looked.token(plain, look) if a == "token" else looked.position(look, a, most[a])
            for a in axes
        }
        entries = tuple(n.replace("*", chosen) for n in names)
        return Drawing("plain", view, both, entries, picks, options, surgery.write(edits))

    return make


def stage(run: Run, model: RecurrentModel[Any]) -> Stage:
    sizes = surgery.operable(model)
    names = tuple(sizes)
    hint = "Point at a picture to read a change; click to choose gate, layer and unit."
    plain = Reader("plain", run.title, model, run.id, "tokens", names, most=4, colour=7)
    edited = replace(plain, id="edited", title=f"{run.title}, edited", colour=1)
    grid = {"fields": names, "x": "token", "y": "unit", "reader": "change"}
    figure = partial(drawn, run, model, sizes)
    panels = (
        Panel(
            "surgery",
            "surgery",
            "One unit, original and edited",
            "Drag in a row: up and down sets the value, starting at the token where you begin."
            " Release on the same token to hold the value to the end of the text, or on"
            " another token to hold it up to there.",
            {
                "column": "left",
                "reader": "edited",
                "fields": words.group(names, True) + words.group(names, False),
            },
            figure("lines", ("plain.*", "edited.*"), ("layer", "unit")),
        ),
        Panel(
            "change",
            "change",
            "What changed",
            "",
            {**grid, "column": "left"},
            figure("heatmap", ("change.*",), ("layer",)),
        ),
        Panel(
            "writing",
            "writing",
            "How the text would continue",
            "",
            {"column": "right", "reader": "edited"},
        ),
        Panel(
            "moves",
            "moves",
            "Next token",
            "",
            {"column": "right", "reader": "edited"},
            figure("", ("plain.probability", "edited.probability"), ("token",), top=MOVES),
        ),
        Panel(
            "surprisal",
            "surprisal",
            "Surprisal of the text",
            "",
            {"column": "right", "reader": "edited"},
            figure("lines", ("plain.surprisal", "edited.surprisal")),
        ),
        Panel(
            "everywhere",
            "multiples",
            "The change in all units",
            "Edited minus original, unit by unit: all gates and states of all layers. Click a"
            " picture to enlarge it.",
            {**grid, "hint": hint},
        ),
    )
    look = {"layer": model.config.layers - 1, "unit": 0, "seed": 1, **run.note.get("look", {})}
    look["field"] = "gate.forget" if "gate.forget" in names else names[1 % len(names)]
    vertical = {"name": "unit", "size": sizes[names[0]][1]}
    return Stage(
        ((plain, run), (edited, run)),
        panels,
        most=256,
        selection=look,
        vertical=vertical,
        read=Operation(sizes, going_on, written_on).read,
        described=(change(plain),),
    )


def opened(run: Run) -> Stage:
    from engine.models.recurrent import RecurrentModel

    return stage(run, cache.model(run, RecurrentModel))
