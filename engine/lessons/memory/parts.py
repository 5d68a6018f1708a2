"""Below the ledger: a forget gate that never moves, and how long the units of a run remember."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine import frame as fr
from engine.analysis import ledger
from engine.core.cache import Cache, held_bytes
from engine.language.message import _
from engine.language.numbers import figures
from engine.models.abilities import Remembers
from engine.models.recurrent import RecurrentModel
from engine.runs.store import Run
from engine.text.corpora.stories import CORPUS as stories

TEXTS, STORIES = 2, 4  # so many texts of so many stories each are read
REACH = 256  # tokens that have to follow one whose half-life counts for the median
MEASURED: Cache[Any, dict[str, Any]] = Cache("half-lives", held_bytes)
KEEPS = (0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 0.999)


@fr.part("A constant forget gate", always=True, was=("keep",))
def constant(keep: float = fr.pick("Forget gate", KEEPS, 0.9, slide=True, width=420)) -> fr.Blocks:
    yield _(
        "A forget gate fixed at **{keep:g}** halves the memory in **{lasts:,.1f} tokens**; of 1 it leaves {ten} after"
        " 10, {hundred} after 100, {thousand} after 1,000 tokens. To keep a tenth over 1,000 tokens it has to stay at"
        " {need:.4f}.",
        keep=keep,
        lasts=ledger.constant(keep),
        need=math.exp(math.log(0.1) / 1000),
        **{n: figures(keep**x) for n, x in (("ten", 10), ("hundred", 100), ("thousand", 1000))},
    )
    yield (
        "Gates multiply: after steps of 0.9, 0.8 and 0.7 there is 0.9, then 0.72, then 0.504"
        " left. The sum of what is added has no bound: with f = i = g = 1 the memory is 10"
        " after 10 tokens, though tanh keeps each g between −1 and 1. The gradient along the"
        " memory is the product of the same forget gates: it survives where f is close to 1,"
        " whether i is small or not. A small i only keeps new content out."
    )


def measured(run: Run, model: Remembers) -> dict[str, Any]:
    """By memory the half-lives of all units (L, U) over stories, and how many tokens these have."""

    def measure() -> dict[str, Any]:
        pieces = stories.generate(TEXTS * STORIES)
        read = ["\n".join(pieces[i : i + STORIES]) for i in range(0, len(pieces), STORIES)]
        names = {n for m in model.memories for n in (m.keep, *m.write, m.state) if n}
        traces = [model.trace(text, fields=tuple(names)) for text in read]
        found: dict[str, Any] = {"tokens": sum(len(trace.tokens) for trace in traces)}
        for memory in model.memories:
            keeps_TLU = [np.moveaxis(ledger.numbers(trace, memory)[0], 1, 0) for trace in traces]
            acted_TLU = np.concatenate([keep[1:] for keep in keeps_TLU])
            reach = min(REACH, min(map(len, keeps_TLU)) // 2)
            found[memory.state] = ledger.average(acted_TLU), ledger.median(keeps_TLU, reach)
        return found

    return MEASURED.made(run.key, measure)


@fr.part("How long its units remember", always=True, was=("half", "halflife"))
def half_lives(
    run: Run,
    model: RecurrentModel[Any],
    layer: int = fr.pick(
        "Layer",
        lambda given: {
            n: _("layer {n}", n=n + 1) for n in reversed(range(given["model"].config.layers))
        },
        width=120,
    ),
) -> fr.Blocks:
    yield (
        "After how many tokens half of a memory is gone, unit by unit: by the mean of the logarithm of its forget"
        " gate, where one token that empties the memory weighs as much as a hundred that keep it; and the median of"
        " what happened to single tokens, which does not see how deep it fell."
    )
    if not model.memories:
        raise ValueError("This network has no memory apart from its state. Choose a gated model.")
    found = measured(run, model)
    for memory in model.memories:
        if not memory.keep:
            yield "This memory has no forget gate: nothing fades, and every written value stays."
            continue
        mean_U, median_U = (one.tokens[layer] for one in found[memory.state])
        order_U = np.argsort(mean_U, kind="stable")
        places = range(1, len(order_U) + 1)
        yield fr.curves(
            f"half-{memory.state}",
            "Half-lives of the units, from the shortest",
            {"by the mean gate": (places, mean_U[order_U]), "median": (places, median_U[order_U])},
            "place of the unit",
            "tokens",
            _(
                "{name} of layer {layer}, over {n:,} tokens of “Little stories”",
                name=memory.state,
                layer=layer + 1,
                n=found["tokens"],
            ),
            log_y=True,
            whole=True,
        )
        ends = [*order_U[:3], *order_U[-5:]]
        heads = ("unit", "half-life by the mean gate", "median half-life")
        rows = ((int(u), *(one.say(layer, u) for one in found[memory.state])) for u in ends)
        yield fr.table(heads, rows)


PARTS = (constant, half_lives)
