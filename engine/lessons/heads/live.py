"""The panels of the Heads page, and the figures they are saved as."""

from __future__ import annotations

from itertools import compress
from typing import Any

import numpy as np

from engine.analysis.heads import combine, special, thumbnails
from engine.core.trace import Field, Kind, Table, Trace
from engine.lessons.heads import tags
from engine.lessons.heads.stage import (
    COMBINED,
    LONGEST,
    OPENED,
    READER,
    THUMBNAIL,
    Heads,
    combined,
    tokens_of,
    wall,
)
from engine.live import cache
from engine.live.drawing import Drawing, Look, Traces, with_entries
from engine.live.reader import Reader
from engine.live.stage import Panel, Stage
from engine.models.abilities import Attends
from engine.runs.store import Run

MOST_CHARACTERS = 3_000  # shown at once; 512 tokens at most


def sizes(model: Attends[Any]) -> tuple[int, int]:
    """(layers, heads)."""
    weight = model.trace("a", fields=("attention",)).field("attention")
    return len(weight.axis("layer")), len(weight.axis("head"))


def opened(run: Run, model: Attends[Any], shown: Trace, look: Look) -> Field:
    """The weights of the head looked at."""
    layers, heads = sizes(model)
    layer = max(0, min(int(look.get("layer") or 0), layers - 1))
    head = max(0, min(int(look.get("head") or 0), heads + len(combine.NAMES) - 1))
    weight, labels = wall(run, model, shown, layer).opened[head], shown.tokens
    kept = ~special.special(tokens_of(model, shown))
    if look.get("with") == "no_marks" and kept.any():
        weight, labels = combine.without(weight, kept), tuple(compress(labels, kept))
    name = f"head {head + 1}" if head < heads else combine.NAMES[head - heads]
    says = OPENED.says if head < heads else combine.SAYS[name]
    says, axes = f"Layer {layer + 1}, {name}: {says[0].lower()}{says[1:]}", ("query", "key")
    return Field.of("attention", Kind.ATTENTION, dict.fromkeys(axes, labels), weight, says, "A")


def wall_of(run: Run, model: Attends[Any], shown: Trace, look: Look) -> Field:
    """All heads; more tokens than cells: the largest weight under each cell, named after its first
    and last token."""
    hides = look.get("with") == "no_marks"
    made, (_, heads) = wall(run, model, shown, 0, hides).thumbnail, sizes(model)
    kept = ~special.special(tokens_of(model, shown)) if hides else np.ones(len(shown.tokens), bool)
    labels = [*compress(shown.tokens, kept if kept.any() else ~kept)]
    k, says = thumbnails.cells(len(labels)), "All heads of all layers"
    if k > 1:
        parts = [labels[i : i + k] for i in range(0, len(labels), k)]
        labels = [f"{part[0]}…{part[-1]}" for part in parts]
        says += f"; a cell holds the largest weight of {k} x {k} tokens"
    axes = {
        "layer": range(1, len(made) + 1),
        "head": (*range(1, heads + 1), *combine.NAMES),
        "query": labels,
        "key": labels,
    }
    return Field.of("wall", Kind.ATTENTION, axes, made, says, "A")


def stage(run: Run) -> Stage:
    return made(run, cache.model(run, Attends))


def made(run: Run, model: Attends[Any]) -> Stage:
    layers, heads = sizes(model)
    design = model.tower.design
    more = {"causal": model.causal, "layers": layers, "heads": heads, "combined": combine.SAYS}
    reader = Reader(
        READER,
        run.title,
        model,
        run.id,
        "tokens",
        ("attention",),
        top="",
        derive=combined,
        derived=(COMBINED, THUMBNAIL, OPENED),
        more=more,
        layers=layers,
    )

    def drawn(view: str, make: Any) -> Any:
        def figure(traces: Traces, look: Look) -> Drawing:
            entry = make(run, model, traces[READER], look)
            return Drawing(READER, view, with_entries(traces[READER], entry), (entry.spec.name,))

        return figure

    ways = "before it" if model.causal else "on both sides of it"
    panels = (
        Panel(
            "wall",
            "headwall",
            "All heads of all layers",
            "Each small picture is a head. A row is a token that looks, a column a token looked"
            f" at. A token can see itself and the tokens {ways}. Under a picture: what the head"
            " does, if that is clear. Click one to open it.",
            {"column": "left"},
            drawn("multiples", wall_of),
        ),
        Panel(
            "open",
            "headopen",
            "Opened head",
            "",
            {"column": "right"},
            drawn("heatmap", opened),
        ),
        Panel(
            "arcs",
            "headarcs",
            "The same head as lines",
            "On the left the token that looks, on the right the token looked at. The wider the"
            " line, the larger the weight. Point at a token to highlight its lines.",
            {"column": "left"},
            drawn("", opened),
        ),
        Panel(
            "tags",
            "headtags",
            "What the opened head does",
            "",
            {"column": "right"},
            drawn("baseline", tags_of),
        ),
        Panel(
            "reshape",
            "reshaped",
            "From one matrix to the heads and back",
            "All heads are computed at once: the queries come from one product, are shared out among"
            " the heads, and what the heads mixed becomes one row for each token again.",
            {"heads": heads, "size": design.dim or design.width // heads, "width": design.width},
        ),
    )
    look = {"layer": layers - 1, "head": 0, "layers": layers, "heads": heads}
    look |= run.note.get("look", {})
    vertical = {"name": "head", "size": heads + len(combine.NAMES)}
    sends = Heads(reader, run, look["layer"], look["head"], layers, heads)
    return Stage(
        ((reader, run),),
        panels,
        most=MOST_CHARACTERS,
        selection=look,
        vertical=vertical,
        longest=LONGEST,
        read=sends.read,
        drawn=sends.drawn,
    )


def tags_of(run: Run, model: Attends[Any], shown: Trace, look: Look) -> Table:
    """Scores and baselines of the head looked at."""
    layers, heads = sizes(model)
    found = tags.known(run, model, wait=True)
    assert found is not None
    layer = max(0, min(int(look.get("layer") or 0), layers - 1))
    head = max(0, min(int(look.get("head") or 0), heads - 1))
    columns: dict[str, Any] = {
        "relation": [tags.SAYS[name] for name in found.names],
        "score": found.score[:, layer, head],
        "baseline": found.baseline[:, layer, head],
    }
    says = f"Weight of head {head + 1} of layer {layer + 1} on each relation"
    return Table.of("tags", says, columns)


LIVE = stage
