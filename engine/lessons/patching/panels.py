"""The Surgery page of models with attention: switches for every part, one head opened, and what an
edit changes everywhere."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from engine.analysis import rollout, surgery
from engine.core.trace import Trace
from engine.lessons.surgery.operation import MOVES, TRACES, Edits, Operation, change, key, written
from engine.lessons.surgery.panels import drawn
from engine.lessons.transformer.live import foretells
from engine.live.reader import Reader
from engine.live.shown import Shown
from engine.live.stage import Panel, Stage
from engine.models.abilities import Attends, able
from engine.runs.store import Run

PARTS = {
    "attention": "attention",
    "score": "score",
    "reading": "reading",
    "query": "query",
    "key": "key",
    "value": "value",
    "attention.output": "attention",
    "feed_forward.output": "feed-forward",
    "feed_forward.activation": "feed-forward activation",
    "attention.norm": "norm of attention",
    "attention.skip": "residual connection around attention",
    "feed_forward.norm": "norm of feed-forward",
    "feed_forward.skip": "residual connection around feed-forward",
    "residual.before": "stream before",
    "residual.middle": "stream after attention",
    "residual": "stream",
}
REACH = 0.2  # of the colours of a changed weight
STEPS, FEWER, LARGE = 30, 12, 20_000_000  # tokens written on; parameters from which they are fewer


def anew(shown: Shown, plain: Trace, edits: Edits, old: Edits) -> Trace:
    """The edited run, kept; it reads the whole text each time."""
    of = key(shown, edits)
    found: Trace | None = TRACES.get(of)
    if found is None:
        found = surgery.operate(able(shown.reader.model, Attends), plain, edits)
        TRACES.put(of, found)
    return found


def written_anew(
    shown: Shown, plain: Trace, edited: Trace, edits: Edits, seed: int
) -> dict[str, Any]:
    """How the text goes on as it is and edited, with the same random numbers; seed 0: always the
    likeliest."""
    model, tokens, drawn_by = able(shown.reader.model, Attends), shown.tokens, max(0, seed) or None
    steps = STEPS if sum(p.numel() for p in model.net.parameters()) < LARGE else FEWER
    made = rollout.afresh(model, tokens, (), steps, drawn_by)
    other = rollout.afresh(model, tokens, edits, steps, drawn_by) if edits else made
    return written(model, int(tokens.ids[-1]), made, other, seed)


def stage(run: Run, model: Attends[Any]) -> Stage:
    sizes, top, design = surgery.operable(model), foretells(model), model.tower.design
    more = {"parts": PARTS, "here": not design.causal}
    plain = Reader(
        "plain",
        run.title,
        model,
        run.id,
        "tokens",
        ("attention",),
        top=top,
        most=4,
        colour=7,
        more=more,
        goes_on=False,
    )
    edited = Reader(
        "edited",
        f"{run.title}, edited",
        model,
        run.id,
        "tokens",
        ("attention",),
        top=top,
        most=4,
        colour=1,
        more=more,
        goes_on=False,
    )
    grid = {"x": "key", "y": "query", "fields": ("attention",), "causal": design.causal}
    panels = [
        Panel(
            "switches",
            "switches",
            "The parts of the model",
            "Click a block to switch it off; click again to switch it on. A head that is off"
            " reads nothing; a block that is off adds nothing to the residual stream. A norm that is off lets"
            " numbers through as they are; without a residual connection only what the part itself says is left.",
            {"column": "left", "reader": "edited", "layers": design.layers, "heads": design.heads},
        ),
        Panel(
            "weighing",
            "weighing",
            "One head, edited",
            "",
            {**grid, "column": "left", "reader": "edited"},
            drawn(run, model, sizes, "heatmap", ("edited.attention",), ("layer", "head")),
        ),
    ]
    if top:
        figure = drawn(
            run,
            model,
            sizes,
            "",
            (f"plain.{top}", f"edited.{top}"),
            ("token",),
            top=MOVES,
        )
        panels.append(
            Panel(
                "moves",
                "moves",
                "Next token" if design.causal else "The word here",
                "",
                {"column": "right", "reader": "edited"},
                figure,
            )
        )
    if design.causal:
        panels += [
            Panel(
                "writing",
                "writing",
                "Continuation",
                "",
                {"column": "right", "reader": "edited"},
            ),
            Panel(
                "surprisal",
                "surprisal",
                "Surprisal of the text",
                "",
                {"column": "right", "reader": "edited"},
                drawn(run, model, sizes, "lines", ("plain.surprisal", "edited.surprisal")),
            ),
        ]
    stays = (
        "Layers below the edit, and tokens before it, do not change."
        if design.causal
        else "Layers below the edit do not change."
    )
    panels.append(
        Panel(
            "everywhere",
            "multiples",
            "The change in all heads",
            f"Edited minus original: where each head looks more (orange) or less (blue). {stays}",
            {
                **grid,
                "reader": "change",
                "column": "right",
                "hint": "Point at a head to read a change; click to open it on the left.",
            },
            drawn(run, model, sizes, "multiples", ("change.attention",), domain=(-REACH, REACH)),
        )
    )
    look = {"layer": design.layers - 1, "head": 0, "seed": 0, "field": "attention"}
    vertical = {"name": "head", "size": design.heads}
    changed = change(plain)
    changed["fields"]["attention"]["scale"] |= {"low": -REACH, "high": REACH}
    quick = {reader.id: replace(reader, goes_on=True) for reader in (plain, edited)}
    operation = Operation(sizes, anew, written_anew, top, quick)
    return Stage(
        ((plain, run), (edited, run)),
        tuple(panels),
        most=360,
        selection=look,
        vertical=vertical,
        columns=(1, 1),
        read=operation.read,
        described=(changed,),
    )
