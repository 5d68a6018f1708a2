"""Transformer: the whole forward pass as a row of stops, what each layer would answer, and what it
costs."""

from engine.lessons.transformer import panels
from engine.live import cache
from engine.models.abilities import Attends
from pages.ui import closer, live, shell
from pages.ui.transformer import (
    alike,
    behind,
    costs,
    gradient,
    mixing,
    output,
    parameters,
    paths,
    precision,
)

lesson, run = shell.enter("transformer", ("bert",))
live.show(
    shell.opening(lesson, run),
    lambda: panels.stage(run, cache.model(run, Attends)),
    cache.is_open(run),
)
closer.show(
    run,
    Attends,
    {
        "Norm and depth": lambda model: gradient.show(),
        "Time and memory": lambda model: costs.show(run, model),
        "Paths": lambda model: paths.show(),
        "Who mixes tokens": lambda model: mixing.show(run, model, lesson.example),
        "Behind the heads": lambda model: behind.show(run, model, lesson.example),
        "Similar tokens": lambda model: alike.show(run, model, lesson.example),
        "Parameters": lambda model: parameters.show(run, model),
        "Output layer": lambda model: output.show(run, model, lesson.example),
        "Half the digits": lambda model: precision.show(run, lesson.example),
    },
    key="flow_part",
)
shell.sources(lesson, run)
