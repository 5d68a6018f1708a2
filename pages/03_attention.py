"""Attention: every head of every layer over the typed words, one opened with its numbers, and what comes next."""

from engine.reading import Reader
from pages.ui import cache, live, shell
from pages.ui.drawing import picked
from pages.ui.stage import Panel, Stage

lesson, run = shell.enter("attention")


def stage() -> Stage:
    model = cache.model(run)
    reader = Reader("transformer", run.title, model, run.id, "tokens", ("attention", "score"), most=14)
    grid = {"x": "key", "y": "query", "reader": "transformer", "fields": ("attention",)}
    panels = (
        Panel(
            "wall", "multiples", "All heads of all layers",
            "In each picture a row is a word that looks, a column a word looked at. Click one to open it.",
            {**grid, "column": "left", "hint": "Point at a head to read a weight; click to open it."},
            picked("transformer", "multiples", ["attention"]),
        ),
        Panel(
            "open", "matrix", "Opened", options={**grid, "column": "right"},
            figure=picked("transformer", "heatmap", ["attention"], ["layer", "head"]),
        ),
        Panel(
            "next", "bars", "Next token", options={"column": "left", "words": True, "reader": "transformer", "most": 14},
            figure=picked("transformer", "bars", ["probability"], ["token"], top=14),
        ),
        Panel(
            "formula", "formula", "One weight, with this moment's numbers", "Point at a cell of the opened head.",
            {"column": "right", "reader": "transformer", "lines": (
                "layer {#layer}, head {#head}: “{#token}” looks at “{#key}”",
                "score = q · k / √d = {score}",
                "weight = exp(score) / Σ exp(scores of the row) = {attention}",
            )},
        ),
    )  # fmt: skip
    look = {"layer": model.config.layers - 1, "head": 0, "field": "attention"}
    vertical = {"name": "head", "size": model.config.heads}
    return Stage(((reader, run),), panels, most=900, selection=look, vertical=vertical, columns=(1, 1))


live.show(shell.opening(lesson), stage, cache.is_open(run))
shell.sources(lesson, run)
