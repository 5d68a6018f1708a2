"""The panels of the page on recurrent networks: the loop unrolled over the text, one step with its
numbers, what it expects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from engine.core.trace import Table
from engine.lessons import looked
from engine.lessons.rnn.weights import Weights
from engine.live import cache
from engine.live.drawing import Drawing, Look, Traces, picked, with_entries
from engine.live.reader import Reader, describe_field
from engine.live.stage import Panel, Stage
from engine.runs.store import Run

if TYPE_CHECKING:
    from engine.models.recurrent import RecurrentModel

FEW = 8  # terms drawn one by one; the others as one


def stage(run: Run, model: RecurrentModel[Any]) -> Stage:
    """ValueError, with a sentence for the reader, where the network can't be shown."""
    weights = Weights(model)
    scale, activation = describe_field(weights.spec)["scale"], model.config.activation
    more = {"weights": {**weights.packed(), "scale": scale, "activation": activation}}
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
        more=more,
    )
    last = model.config.layers - 1
    panels = (
        Panel(
            "unroll",
            "unroll",
            "The loop, unfolded",
            "The small pictures on the arrows are the weight matrices: they are the same at every"
            " step.",
            {"reader": "rnn"},
            picked("rnn", "heatmap", ["hidden"], ["layer"]),
        ),
        Panel(
            "steps",
            "steps",
            "One step, number by number",
            "",
            {"column": "left", "reader": "rnn", "most": FEW},
            terms(weights),
        ),
        Panel(
            "activation",
            "activation",
            "What the activation function does",
            "",
            {"column": "left", "reader": "rnn"},
        ),
        Panel(
            "next",
            "bars",
            "Next token",
            options={"column": "right", "reader": "rnn", "most": 12},
            figure=picked("rnn", "bars", ["probability"], ["token"], top=12),
        ),
    )
    look = {"layer": last, "unit": 0, **run.note.get("look", {})}
    vertical = {"name": "unit", "size": model.config.units}
    return Stage(((reader, run),), panels, most=256, selection=look, vertical=vertical)


def terms(weights: Weights) -> Any:
    """A `Panel.figure`: what adds up to the pre-activation of one unit, largest first, as a running
    total."""

    def make(traces: Traces, look: Look) -> Drawing:
        trace = traces["rnn"]
        hidden_LTH = trace.field("hidden").values
        layer = min(int(look.get("layer", 0)), len(weights.layers) - 1)
        t = looked.token(trace, look)
        unit = min(int(look.get("unit", 0)), hidden_LTH.shape[2] - 1)
        of = weights.layers[layer]
        x_D = hidden_LTH[layer - 1, t] if layer else weights.embed_VD[trace.ids[t]]
        from_h = of.u_HH[unit] * (hidden_LTH[layer, t - 1] if t else 0)
        # the state before is not among what is shown: all of it as one term
        if not t and trace.offset:
            whole = trace.field("preactivation").values[layer, t, unit]
            from_h = np.array([whole - of.w_HD[unit] @ x_D - of.b_H[unit]])
        steps = [
            *_largest(from_h, "state", "unit"),
            *_largest(of.w_HD[unit] * x_D, "input", "number"),
            ("bias", float(of.b_H[unit])),
        ]
        after = np.cumsum([value for _, value in steps])
        names = [name for name, _ in steps]
        columns = {"step": names, "before": np.r_[0.0, after[:-1]], "after": after}
        says = f"The terms of the pre-activation of unit {unit} at “{trace.tokens[t]}”."
        drawn = with_entries(trace, Table.of("terms", says, columns))
        picks, options = {"layer": layer, "token": t, "unit": unit}, {"axis": "sum so far"}
        return Drawing("rnn", "waterfall", drawn, ("terms",), picks, options)

    return make


def _largest(value_N: np.ndarray, of: str, each: str) -> list[tuple[str, float]]:
    """The largest terms by themselves, the others as one."""
    order = np.argsort(-np.abs(value_N), kind="stable")
    first = [(f"{of}, {each} {i}", float(value_N[i])) for i in order[:FEW]]
    left = order[FEW:]
    return (
        [*first, (f"{of}, {len(left)} others", float(value_N[left].sum(dtype=float)))]
        if len(left)
        else first
    )


def opened(run: Run) -> Stage:
    from engine.models.recurrent import RecurrentModel

    return stage(run, cache.model(run, RecurrentModel))
