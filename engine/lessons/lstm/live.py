"""The panels of the Gates page for whatever cell the run has: which numbers it shows, it says
itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from engine.core.cache import remembered
from engine.core.trace import FieldSpec
from engine.frame import picture as pic
from engine.language.message import _
from engine.lessons.lstm import order
from engine.lessons.recurrent import equations, words
from engine.live import cache, declared
from engine.live.drawing import picked
from engine.live.reader import Reader
from engine.live.stage import Panel, Stage
from engine.runs.store import Run

if TYPE_CHECKING:
    from engine.models.recurrent import RecurrentModel

UNITS = ("layer", "token", "unit")
FIRST_SHOWN = 64  # units of the opened picture; the others are a click away


def fields(model: RecurrentModel[Any]) -> dict[str, FieldSpec]:
    """What the cells of a model show, by name."""
    return {
        spec.name: spec
        for spec in model.spec()
        if isinstance(spec, FieldSpec) and spec.axes == UNITS
    }


@remembered(64)
def sizes(model: RecurrentModel[Any], names: tuple[str, ...]) -> Mapping[str, int]:
    """How many units each of these fields has: so says a run on no text, of which one is enough."""
    empty = model.trace("", fields=names)
    return {name: len(empty.field(name).axis("unit")) for name in names}


def stage(run: Run, model: RecurrentModel[Any]) -> Stage:
    specs = fields(model)
    names = tuple(specs)
    memories = tuple(model.memories)
    keeps = {part.keep: part.complement for part in memories if part.keep}
    units = sizes(model, names)
    # these can stand in one order
    alike = tuple(name for name in names if units[name] == units[names[0]])
    cell = model.anatomy
    says = any(spec.name == "probability" for spec in model.spec())
    layers = model.config.layers
    gates, others = words.group(names, True), words.group(names, False)
    lines = pic.Live(
        names,
        tuple(
            course(id, title, [specs[name] for name in part])
            for id, title, part in (
                ("unit-gates", "Gates of one unit", gates),
                ("unit", "One unit", others),
            )
            if part
        ),
        places={"layer": pic.Place("layer", first=layers - 1), "unit": pic.Place("unit")},
    )
    axes = {
        "layer": [str(n + 1) for n in range(layers)],
        "unit": [str(n) for n in range(max(units.values()))],
    }
    more = {"units": {"names": alike, "keeps": keeps}, **declared.pack_once(lines, pic.Once(axes))}
    reader = Reader(
        "lstm",
        run.title,
        model,
        run.id,
        "tokens",
        names,
        top="probability" if says else "",
        most=12,
        more=more,
    )
    grid = {"fields": names, "x": "token", "y": "unit", "reader": "lstm"}
    tops = Panel(
        "next",
        "bars",
        "Next token",
        options={"column": "right", "reader": "lstm", "most": 12},
        figure=picked("lstm", "bars", ["probability"], ["token"], top=12),
    )
    # the left column before the right: the browser then lays the page out once for a key
    panels = [
        Panel(
            "gates",
            "multiples",
            "All gates and states, unit by unit",
            "Rows are units, columns are the tokens you typed. Strong green: the gate is open."
            " Click a picture to enlarge it below.",
            {
                **grid,
                "sorts": True,
                "column": "left",
                "hint": "Point at a picture to read a number; click to enlarge it.",
            },
            picked("lstm", "", names),
        ),
        Panel(
            "open",
            "matrix",
            "Enlarged",
            options={**grid, "column": "left"},
            figure=order.in_order("lstm", "heatmap", ["*"], ["layer"], keeps, alike),
        ),
        *(declared.panel(picture, "lstm", model) for picture in lines.pictures),
        *([tops] if says else []),
        Panel(
            "cell",
            "cell",
            "The cell, one step",
            "",
            {
                "column": "right",
                "reader": "lstm",
                "memories": [words.memory(part) for part in memories],
                **cell.describe(),
            },
        ),
        Panel(
            "formula",
            "formula",
            "The equations at this step",
            equations.SUM if gates else "",
            {"column": "right", "reader": "lstm", "lines": equations.lines(names, memories, cell)},
        ),
    ]
    field = memories[0].state if memories else "hidden"
    look = {"layer": layers - 1, "unit": 0, "field": field}
    look |= run.note.get("look", {})
    # the units that move most over this text first: of hundreds most say little about it
    look |= {"order": "range", "by": look["field"] if look["field"] in alike else alike[0]}
    look["shown"] = min(FIRST_SHOWN, units[names[0]])
    vertical = {"name": "unit", "size": units[names[0]]}
    return Stage(((reader, run),), tuple(panels), most=256, selection=look, vertical=vertical)


def course(id: str, title: str, specs: Sequence[FieldSpec]) -> pic.Picture:
    """These numbers of the unit looked at as lines through the text."""
    named = [(spec.name, spec.symbol.replace("_t", "")) for spec in specs]
    said = ", ".join(f"{symbol} = {{{name}}}" for name, symbol in named)
    heads = "".join(f" | {symbol}: {{{name}}}" for name, symbol in named)
    lines = tuple(
        pic.Line(name, f"line-{n}", f"{symbol} {name.rpartition('.')[2]}", dots=2)
        for n, (name, symbol) in enumerate(named)
    )
    return pic.Picture(
        id,
        pic.Over(lines, high=104, scale="number", now="rule"),
        title,
        _("{title}: unit {{unit}} of layer {{layer}}", title=_(title)),
        "Click in a picture above to choose a unit." if id == "unit" else "",
        _("Numbers of the unit at “{{token}}”: {said}.", said=said),
        side="left",
        table=pic.table("token", "token: {token}" + heads),
        saves=pic.Saves(tuple(name for name, __ in named), ("layer", "unit"), "lines"),
    )


def open_stage(run: Run) -> Stage:
    from engine.models.recurrent import RecurrentModel

    return stage(run, cache.model(run, RecurrentModel))


LIVE = open_stage
