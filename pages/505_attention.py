"""Attention step by step: one head's matrices for the typed words, every cell opened to its sum;
then what lies behind each step."""

from engine.live import cache
from pages.ui import live, shell
from pages.ui.attention import folds, panels

lesson, run = shell.enter("attention", ("bert",))
live.show(shell.opening(lesson, run), lambda: panels.stage(run), cache.is_open(run))
folds.show(run)
shell.sources(lesson, run)
