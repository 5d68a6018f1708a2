"""Backpropagation through time: the gradient of every loss on its way back over the typed text."""

from engine.core.registry import cells
from engine.lessons.bptt import triangle
from engine.live import cache
from engine.models.recurrent import RecurrentModel
from pages.ui import closer, live, shell
from pages.ui.bptt import begin, beside, cost, hand

lesson, run = shell.enter("bptt", cells.ids())
live.show(shell.opening(lesson, run), lambda: triangle.opened(run), cache.is_open(run))
closer.show(
    run,
    RecurrentModel,
    {
        "By hand": hand.show,
        "What it costs": lambda model: cost.show(run, model),
        "Through a Transformer": lambda model: beside.show(run, model),
        "Where it begins": lambda model: begin.show(run, model),
    },
    key="part",
)
shell.sources(lesson, run)
