"""Transformer: the whole forward pass as a row of stops, what each layer would answer, and what it costs."""

from pages.ui import cache, closer, live, shell
from pages.ui.attention import flow, flow_costs, flow_gradient, flow_mixing, flow_parameters, flow_paths, precision

lesson, run = shell.enter("transformer", ("bert",))
live.show(shell.opening(lesson, run), lambda: flow.stage(run, cache.model(run)), cache.is_open(run))
closer.show(run, {
    "Norm and depth": lambda model: flow_gradient.show(),
    "Time and memory": lambda model: flow_costs.show(run, model),
    "Paths": lambda model: flow_paths.show(),
    "Who mixes tokens": lambda model: flow_mixing.show(run, model, lesson.example),
    "Parameters": lambda model: flow_parameters.show(run, model),
    "Half the digits": lambda model: precision.show(run, lesson.example),
}, key="flow_part")  # fmt: skip
shell.sources(lesson, run)
