"""The live pictures of the page on recurrent networks: the loop unrolled over the text, one step with its numbers, what
it expects."""

from __future__ import annotations

from engine.lessons.rnn.weights import Weights
from engine.live import cache
from engine.live.drawing import picked
from engine.live.reader import Reader, describe_field
from engine.live.stage import Panel, Stage
from engine.models.recurrent import RecurrentModel
from engine.runs.store import Run

FEW = 8  # terms drawn one by one; the others as one


def stage(run: Run) -> Stage:
    """ValueError, with a sentence for the reader, where the network can't be shown."""
    model = cache.model(run, RecurrentModel)
    weights = Weights(model)
    scale, activation = describe_field(weights.spec)["scale"], model.config.activation
    reader = Reader(
        "rnn",
        run.title,
        model,
        run.id,
        "tokens",
        ("preactivation", "hidden"),
        most=12,
        derive=weights.inputs,
        derived=(weights.input,),
        more={"weights": {**weights.packed(), "scale": scale, "activation": activation}},
    )
    panels = (
        Panel(
            "unroll",
            "unroll",
            "The loop, unfolded",
            "The small pictures on the arrows are the weight matrices: they are the same at every"
            " step. Orange is above 0, blue below. Before the first token there is no state to read, so it begins"
            " with zeros; it could begin with any other, where another text ended, or with one that is learned.",
            {"reader": "rnn"},
            picked("rnn", "heatmap", ["hidden"], ["layer"]),
        ),
        Panel(
            "steps",
            "steps",
            "One step, number by number",
            options={"column": "left", "reader": "rnn", "most": FEW},
        ),
        Panel(
            "next",
            "bars",
            "Next token",
            options={"column": "right", "reader": "rnn", "most": 12},
            figure=picked("rnn", "bars", ["probability"], ["token"], top=12),
        ),
    )
    look = {"layer": model.config.layers - 1, "unit": 0, **run.note.get("look", {})}
    vertical = {"name": "unit", "size": model.config.units}
    return Stage(((reader, run),), panels, most=256, selection=look, vertical=vertical)


LIVE = stage
