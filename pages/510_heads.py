"""Heads: all heads of all layers as pictures, what each of them does, and whether its weights
explain the answer."""

from engine.analysis.heads.tags import MODELS
from engine.live import cache
from engine.models.abilities import Attends
from pages.ui import live, shell
from pages.ui.heads import panels

lesson, run = shell.enter("heads", MODELS)
live.show(
    shell.opening(lesson, run),
    lambda: panels.stage(run, cache.model(run, Attends)),
    cache.is_open(run),
)
shell.sources(lesson, run)
