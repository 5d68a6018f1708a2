"""Sparse attention: patterns of who looks at whom, what they cost a trained model on the typed text,
and heads that share keys and values."""

from functools import partial

from engine.lessons.sparse import panels
from engine.live import cache
from pages.ui import fold, live, shell
from pages.ui.sparse import loss, shared

lesson, run = shell.enter("sparse")
live.show(
    shell.opening(lesson, run),
    lambda: panels.stage(run, partial(loss.show, run)),
    cache.is_open(run),
)
fold.show("What do heads save that share keys and values?", partial(shared.show, run), "shared")
shell.sources(lesson, run)
