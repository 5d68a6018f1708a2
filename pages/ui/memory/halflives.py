"""Half-lives of the units of a run: over a corpus, and in the text that is shown."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from engine.analysis import ledger
from engine.analysis.ledger import HalfLives
from engine.core.trace import Field, Kind, Trace
from engine.language.numbers import figures
from engine.live import cache
from engine.live.drawing import Drawing, Look, Traces, with_entries
from engine.models.abilities import Remembers
from engine.runs.store import Run
from engine.text import collection
from pages.ui import kept, texts

READER = "lstm"
# so many texts of so many stories each, or pieces of so many characters, are read
CORPUS, TEXTS, STORIES, LONG = "stories", 2, 4, 280
REACH = 256  # tokens that have to follow one whose half-life counts for the median
_known: set[tuple[str, str, str]] = set()


def choose(box: Any, run: Run) -> str:
    """The id of the text over which half-lives are measured; the control stands in `box`."""
    return texts.pick(
        "Text for half-lives over the corpus",
        {texts.first(run, "memory.text", CORPUS): "", **texts.listed()},
        "memory.text",
        box=box,
        width=420,
    )


def is_known(run: Run, id: str = CORPUS) -> bool:
    """Whether the half-lives of this run over this text have been measured."""
    return (*run.key, id) in _known


def corpus(run: Run, id: str = CORPUS) -> dict[str, Any]:
    """Half-lives of every unit of a run over a text, as the browser reads them; over the stories
    where it is gone or too short."""
    try:
        return _corpus(run, id)
    except LookupError:
        return corpus(run)


@kept.resource(max_entries=24)
def _corpus(run: Run, id: str) -> dict[str, Any]:
    model, source = cache.model(run, Remembers), collection.find(id)
    pieces = texts.stretches(id, TEXTS * STORIES, LONG)
    read = ["\n".join(pieces[i : i + STORIES]) for i in range(0, len(pieces), STORIES)]
    names = tuple({name for m in model.memories for name in (m.keep, *m.write, m.state) if name})
    traces = [trace for text in read if len((trace := model.trace(text, fields=names)).tokens) > 3]
    if not traces:
        raise LookupError(f"the text {id} is too short to measure half-lives")
    count = sum(len(trace.tokens) for trace in traces)
    memories = {}
    for memory in model.memories:
        keeps_TLU = [np.moveaxis(ledger.numbers(trace, memory)[0], 1, 0) for trace in traces]
        reach = min(REACH, min(map(len, keeps_TLU)) // 2)
        acted_TLU = np.concatenate([keep[ledger.first(0, len(keep)) :] for keep in keeps_TLU])
        mean, median = ledger.average(acted_TLU), ledger.median(keeps_TLU, reach)
        memories[memory.state] = {**plain("mean", mean), **plain("median", median)}
    _known.add((*run.key, id))
    taken = (
        f"its first {len(pieces)}, with seed 0"
        if id == "stories"
        else f"{len(pieces)} stretches of about {LONG} characters, evenly spaced"
    )
    says = f"Corpus: {count:,} tokens of “{source.title}”: {taken}, read {STORIES} at a time."
    return {"memories": memories, "says": says}


def plain(name: str, found: HalfLives) -> dict[str, Any]:
    tokens = [[float(f"{n:.4g}") for n in row] for row in found.tokens]
    return {name: tokens, f"{name}_longer": found.longer.tolist()}


def place(trace: Trace, look: Look, memories: Sequence[Any]) -> tuple[Any, dict[str, int]]:
    """The memory looked at, and layer, unit and token (in the window)."""
    memory = next((m for m in memories if m.state == look.get("field")), memories[0])
    layers, count, units = trace.field(memory.state).values.shape
    sizes = {"layer": layers, "unit": units, "token": count}
    token = int(look.get("token", 10**9)) - trace.offset
    at = {"layer": look.get("layer", 0), "unit": look.get("unit", 0), "token": token}
    return memory, {name: max(0, min(int(n), sizes[name] - 1)) for name, n in at.items()}


def ranking(memories: Sequence[Any], found: dict[str, Any]) -> Any:
    """A `Panel.figure`: the half-lives of a layer's units, from the shortest here to the
    longest."""

    def make(traces: Traces, look: Look) -> Drawing:
        trace = traces[READER]
        memory, at = place(trace, look, memories)
        keep_TU = ledger.numbers(trace, memory)[0][at["layer"]]
        keep_TU = keep_TU[ledger.first(trace.offset, len(keep_TU)) :]
        here = ledger.average(keep_TU)
        order_U = np.argsort(np.log(np.maximum(keep_TU, ledger.SHUT)).sum(0), kind="stable")
        axes = {"unit": [f"unit {u}{', longer' if here.longer[u] else ''}" for u in order_U]}
        over, layer = found["memories"][memory.state], at["layer"]
        entries = [
            Field.of(name, Kind.STATE, axes, np.array(row)[order_U], says, unit="tokens")
            for name, row, says in (
                ("half_life.here", here.tokens, "In this text"),
                (
                    "half_life.corpus",
                    over["mean"][layer],
                    "Over the corpus, from the mean of ln f",
                ),
                (
                    "half_life.median",
                    over["median"][layer],
                    "Over the corpus, median of the actual half-lives",
                ),
            )
        ]
        names = tuple(entry.spec.name for entry in entries)
        return Drawing(READER, "lines", with_entries(trace, *entries), names, {"layer": layer})

    return make


def constant(keep: float) -> str:
    """What a gate that never moves does, in a sentence."""
    left = ", ".join(f"{figures(keep**n)} after {n:,}" for n in (10, 100, 1000))
    lasts = ledger.constant(keep)
    need = math.exp(math.log(0.1) / 1000)
    return (
        f"A forget gate fixed at **{keep:g}** halves the memory in **{lasts:,.1f} tokens**; of"
        f" 1 it leaves {left} tokens. To keep a tenth over 1,000 tokens it has to stay at"
        f" {need:.4f}."
    )
