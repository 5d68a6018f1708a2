"""Heads: all heads of all layers as pictures, what each of them does, and whether its weights explain the answer."""

from engine.heads.tags import MODELS
from pages.ui import cache, live, shell
from pages.ui.attention import heads

lesson, run = shell.enter("heads", MODELS)
live.show(shell.opening(lesson, run), lambda: heads.stage(run, cache.model(run)), cache.is_open(run))
shell.sources(lesson, run)
