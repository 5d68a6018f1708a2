"""How far learning reaches: for each word, which words before it its loss could still change, in
recurrent nets, gated cells and a Transformer."""

from engine.core.registry import cells, models
from engine.frame.part import Compared
from engine.lessons.reach import panels
from engine.live import cache, compared
from engine.runs.store import Run
from pages.ui import live, several, shell
from pages.ui.reach import bound

FIRST = ("rnn_large", "lstm", "transformer")
PRESETS = {
    "Plain net and gated cells": ("rnn_large", "gru_large", "lstm"),
    "Early and late in training": (
        "lstm_agreement@",
        "lstm_agreement",
        "transformer_agreement@",
        "transformer_agreement",
    ),
}


def learns(run: Run) -> bool:
    if run.model in cells.ids():
        return True
    return run.model in models.heirs("NeuralLanguageModel") and models.get(run.model).foretells


lesson = shell.head("reach")
runs = several.choose("reach", Compared(FIRST, learns, PRESETS))
live.show(
    shell.opening(lesson, None, *(run.id for run in runs)),
    lambda: panels.stage(runs, compared.kinds(runs)),
    cache.is_open(*runs),
)
bound.show(runs)
shell.sources(lesson)
