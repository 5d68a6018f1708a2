"""LSTM gates: every gate of every unit over the typed characters, and what the model expects next."""

from engine.reading import Reader
from pages.ui import cache, live, shell
from pages.ui.drawing import picked
from pages.ui.stage import Panel, Stage

FIELDS = ("gate.input", "gate.forget", "candidate", "gate.output", "cell", "hidden")
lesson, run = shell.enter("lstm")


def stage() -> Stage:
    model = cache.model(run)
    reader = Reader("lstm", run.title, model, run.id, "tokens", FIELDS, most=12)
    reach = next(spec.domain[1] for spec in model.spec() if spec.name == "cell")
    grid = {"fields": FIELDS, "x": "token", "y": "unit", "reader": "lstm", "column": "left"}
    panels = (
        Panel(
            "gates", "multiples", "All gates and states, unit by unit",
            "Rows are units, columns are the tokens you typed. Strong green: the gate is open. Click a picture to open it below.",
            {**grid, "hint": "Point at a picture to read a number; click to open it."}, picked("lstm", "gates", FIELDS),
        ),
        Panel("next", "bars", "Next character", options={"column": "right", "reader": "lstm", "most": 12}, figure=picked("lstm", "bars", ["probability"], ["token"], top=12)),
        Panel("open", "matrix", "Opened", options=grid, figure=picked("lstm", "heatmap", ["*"], ["layer"])),
        Panel(
            "unit", "lines", "One unit",
            "Gates above, between 0 and 1; candidate, memory and output below. Click in the picture at the left to choose a unit.",
            {"column": "right", "reader": "lstm", "groups": [
                {"fields": ("gate.input", "gate.forget", "gate.output"), "low": 0, "high": 1},
                {"fields": ("candidate", "cell", "hidden"), "low": -reach, "high": reach},
            ]},
            picked("lstm", "lines", FIELDS, ["layer", "unit"]),
        ),
        Panel(
            "formula", "formula", "The step, with this moment's numbers", "Layer, unit and token are the ones you look at.",
            {"column": "right", "reader": "lstm", "lines": (
                "layer {#layer}, unit {#unit}, at “{#token}”",
                "c_t = f_t · c_before + i_t · g_t",
                "    = {gate.forget} · {cell@-1} + {gate.input} · {candidate} = {cell}",
                "h_t = o_t · tanh(c_t) = {gate.output} · tanh({cell}) = {hidden}",
            )},
        ),
    )  # fmt: skip
    look = {"layer": model.config.layers - 1, "unit": 0, "field": "cell", **run.note.get("look", {})}
    return Stage(((reader, run),), panels, most=256, selection=look, vertical={"name": "unit", "size": model.config.units})


live.show(shell.opening(lesson), stage, cache.is_open(run))
shell.sources(lesson, run)
