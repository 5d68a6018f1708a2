"""The live part of the Memory ledger, for whatever memories the cells of a run have: the ledger of the unit looked at,
and half-lives of all units, in the text that is shown and over stories.

Shapes    T = tokens, L = layers, U = units
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from engine.analysis import ledger
from engine.analysis.ledger import Account, HalfLives
from engine.core.cache import Cache, held_bytes
from engine.core.trace import Field, Kind, Table, Trace
from engine.lessons.recurrent import equations, words
from engine.live import cache
from engine.live.drawing import Drawing, Look, Traces, with_entries
from engine.live.reader import Reader
from engine.live.stage import Panel, Stage
from engine.models.abilities import Remembers
from engine.models.recurrent import RecurrentModel
from engine.runs.store import Run
from engine.text.corpora.stories import CORPUS as stories

READER = "lstm"
TEXTS, STORIES = 2, 4  # so many texts of so many stories each are read
REACH = 256  # tokens that have to follow one whose half-life counts for the median
MEASURED: Cache[Any, dict[str, Any]] = Cache("half-lives", held_bytes)


def corpus(run: Run) -> dict[str, Any]:
    """Half-lives of every unit of a run over stories, as the browser reads them."""
    return MEASURED.made(run.key, lambda: _corpus(cache.model(run, Remembers)))


def _corpus(model: Remembers) -> dict[str, Any]:
    pieces = stories.generate(TEXTS * STORIES)
    read = ["\n".join(pieces[i : i + STORIES]) for i in range(0, len(pieces), STORIES)]
    names = tuple({name for m in model.memories for name in (m.keep, *m.write, m.state) if name})
    traces = [model.trace(text, fields=names) for text in read]
    count = sum(len(trace.tokens) for trace in traces)
    memories = {}
    for memory in model.memories:
        keeps_TLU = [np.moveaxis(ledger.numbers(trace, memory)[0], 1, 0) for trace in traces]
        reach = min(REACH, min(map(len, keeps_TLU)) // 2)
        acted_TLU = np.concatenate([keep[ledger.first(0, len(keep)) :] for keep in keeps_TLU])
        mean, median = ledger.average(acted_TLU), ledger.median(keeps_TLU, reach)
        memories[memory.state] = {**plain("mean", mean), **plain("median", median)}
    says = (
        f"Corpus: {count:,} tokens of “Little stories”: its first {len(pieces)}, with seed 0, read"
        f" {STORIES} at a time."
    )
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


def stage(run: Run, model: RecurrentModel[Any]) -> Stage:
    memories = tuple(model.memories)
    if not memories:
        return without(run, model)
    parts = (name for m in memories for name in (m.keep, *m.write, m.state) if name)
    names = tuple(dict.fromkeys(parts))
    found = corpus(run)
    more = {
        "corpus": found,
        "units": {"names": names, "keeps": {m.keep: m.complement for m in memories if m.keep}},
    }
    reader = Reader(READER, run.title, model, run.id, "tokens", names, top="", more=more)
    spoken = {"reader": READER, "memories": [words.memory(m) for m in memories]}
    lines = [equations.HERE, *(line for m in memories for line in equations.memory(m))]

    def sheet(book: Account, moment: int, other: int) -> Table:
        return book.sheet(moment)

    panels = (
        Panel(
            "ledger",
            "ledger",
            "Which token wrote what",
            "Each row is a moment, each column an earlier token. Strong colour: much of the"
            " memory at that moment was written there. A row adds up to the memory.",
            {**spoken, "column": "left"},
            drawn(memories, "heatmap", lambda book, t, k: book.grid(), reading=False),
        ),
        Panel(
            "account",
            "account",
            "One moment as a sum",
            "What each token wrote, times the share that all later gates have left of it.",
            {**spoken, "column": "right"},
            drawn(memories, "waterfall", sheet, token=True, axis="memory so far"),
        ),
        Panel(
            "fading",
            "fading",
            "How writes fade",
            "Each line is what one token wrote. All shrink by the same gate, so they never"
            " cross. Point at a token to follow its line.",
            {**spoken, "column": "right"},
            drawn(memories, "lines", lambda book, t, k: book.fading(k)),
        ),
        Panel(
            "formula",
            "formula",
            "The equation at this step",
            "The ledger is this equation, substituted into itself again and again.",
            {"column": "left", "reader": READER, "lines": lines},
        ),
        Panel(
            "half",
            "halflife",
            "Half-lives",
            "Number of tokens after which half of a memory is gone; a hollow point means"
            " longer. Click to choose a unit, or use the up and down keys.",
            spoken,
            ranking(memories, found),
        ),
    )
    first = memories[0]
    look = {
        "layer": model.config.layers - 1,
        "unit": 0,
        "order": "half_life",
        "up": 1,
        "by": first.keep,
        **run.note.get("look", {}),
        "field": first.state,
    }
    vertical = {"name": "unit", "size": len(found["memories"][first.state]["mean"][0])}
    return Stage(((reader, run),), panels, most=256, selection=look, vertical=vertical)


def without(run: Run, model: RecurrentModel[Any]) -> Stage:
    """For a network whose state is made anew at each token."""
    names = ("preactivation", "hidden")
    reader = Reader(READER, run.title, model, run.id, "tokens", names, top="")
    says = (
        "This network does not keep its memory separate: the whole state is overwritten by"
        " each token. What an earlier token left is inside U h and cannot be separated, so"
        " there is no ledger. Choose a gated model."
    )
    lines = equations.lines(names, (), model.anatomy)
    panel = Panel(
        "formula", "formula", "No ledger for this model", says, {"reader": READER, "lines": lines}
    )
    size = len(model.trace("", fields=("hidden",)).field("hidden").axis("unit"))
    look, vertical = {"layer": 0, "unit": 0}, {"name": "unit", "size": size}
    return Stage(((reader, run),), (panel,), most=256, selection=look, vertical=vertical)


def drawn(
    memories: Sequence[Any],
    view: str,
    entry: Callable[[Account, int, int], Any],
    token: bool = False,
    **options: Any,
) -> Any:
    """A `Panel.figure` of the account of the unit looked at: what `entry` makes of it, the moment
    and the token that wrote."""

    def make(traces: Traces, look: Look) -> Drawing:
        trace = traces[READER]
        memory, at = place(trace, look, memories)
        book = ledger.account(trace, memory, at["layer"], at["unit"])
        moment, other = at["token"], int(look.get("other", -1)) - trace.offset
        made = entry(book, moment, other if 0 <= other <= moment else book.largest(moment))
        picks = at if token else {name: at[name] for name in ("layer", "unit")}
        return Drawing(READER, view, with_entries(trace, made), (made.spec.name,), picks, options)

    return make


def opened(run: Run) -> Stage:
    return stage(run, cache.model(run, RecurrentModel))


LIVE = opened
