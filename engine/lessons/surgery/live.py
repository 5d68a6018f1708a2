"""The live pictures of Surgery: what is drawn of a run as it is and edited.  Of a recurrent net one unit opened with
its gates; of a model with attention its parts as switches, and one head."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from engine.analysis import rollout, surgery
from engine.core.trace import Trace
from engine.frame import picture as pic
from engine.language.message import _
from engine.lessons import looked
from engine.lessons.recurrent import words
from engine.lessons.surgery.operation import (
    LONGEST,
    TRACES,
    Edits,
    Operation,
    change,
    going_on,
    key,
    written,
    written_on,
)
from engine.lessons.transformer.live import foretells
from engine.live import cache, declared
from engine.live.drawing import Drawing, Look, Traces
from engine.live.reader import Reader
from engine.live.shown import Shown
from engine.live.stage import Panel, Stage
from engine.models.abilities import Attends, able
from engine.models.base import Model
from engine.models.recurrent import RecurrentModel
from engine.runs.store import Run

PARTS = {name: name for name in ("attention", "score", "reading", "query", "key", "value")} | {
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
MOST = 5  # words that each run expects
STEPS, FEWER, LARGE = 30, 12, 20_000_000  # tokens written on; parameters from which they are fewer


def stage(run: Run) -> Stage:
    model = cache.model(run, Model)
    if isinstance(model, Attends):
        return of_heads(run, model)
    return of_units(run, able(model, RecurrentModel))


def drawn(
    model: Model[Any],
    sizes: Mapping[str, tuple[int, int]],
    view: str,
    names: tuple[str, ...],
    axes: tuple[str, ...] = (),
    **options: Any,
) -> Any:
    """A `Panel.figure` of the two runs compared; "*" in a name stands for the field looked at."""

    def make(traces: Traces, look: Look) -> Drawing:
        plain = traces["plain"]
        asked = str(look.get("edits") or "") if len(plain.text) <= LONGEST else ""
        edits, __ = surgery.read(asked, sizes)
        both = surgery.compare(plain, surgery.operate(model, plain, edits))
        chosen = str(look.get("field")) if look.get("field") in sizes else next(iter(sizes))
        layers, each = sizes[chosen]
        most = {"layer": layers, "unit": each, "head": each}
        picks = {
            a: looked.token(plain, look) if a == "token" else looked.position(look, a, most[a])
            for a in axes
        }
        entries = tuple(n.replace("*", chosen) for n in names)
        return Drawing("plain", view, both, entries, picks, options, surgery.write(edits))

    return make


BITS = pic.Picture(
    "surprisal",
    pic.Over(
        (
            pic.Line("bits[reader=0]", "reader-7", "Original", 1.2),
            pic.Line("bits[reader=1]", "reader-1", "Edited", dots=2),
        ),
        scale="number",
    ),
    "Surprisal of the text",
    says=(
        "Bits of each token. In total: {bits@sum[reader=0]} bits originally, {bits@sum[reader=1]} edited.",
        "Bits of each token.",
    ),
    tell=(
        "“{token}”: {bits[reader=0]} bits originally, {bits[reader=1]} edited.",
        "“{token}” is given.",
    ),
    table=pic.table(
        "token",
        "token: {token} | bits, original: {bits[reader=0]} | bits, edited: {bits[reader=1]}",
    ),
)


def answers(model: Model[Any], figure: Any, top: str, writes: bool = True) -> tuple[Panel, ...]:
    """What both runs expect, how they write on, and how surprising the text is to them."""
    right = {"column": "right", "reader": "edited"}
    names = (f"plain.{top}", f"edited.{top}")
    expects = {**right, "most": MOST, "place": "" if writes else "at"}
    words = "Next token" if writes else "The word here"
    moves = figure("", names, ("token",), top=MOST)
    found = (Panel("moves", "tops", words, "", expects, moves),) if top else ()
    if not writes:
        return found
    bits = declared.panel(BITS, "edited", model)
    lines = figure("lines", ("plain.surprisal", "edited.surprisal"))
    return (
        *found,
        Panel("writing", "writing", "How the text would continue", options=right),
        replace(bits, options={**bits.options, **right}, figure=lines),
    )


def of_units(run: Run, model: RecurrentModel[Any]) -> Stage:
    sizes = surgery.operable(model)
    names = tuple(sizes)
    plain = Reader("plain", run.title, model, run.id, "tokens", names, most=MOST, colour=7)
    edited = replace(plain, id="edited", title=_("{title}, edited", title=_(run.title)), colour=1)
    grid = {"fields": names, "x": "token", "y": "unit", "reader": "change"}
    figure = partial(drawn, model, sizes)
    panels = (
        Panel(
            "surgery",
            "surgery",
            "One unit, original and edited",
            "Drag in a row: up and down sets the value, starting at the token where you begin."
            " Release on the same token to hold the value to the end of the text, or on"
            " another token to hold it up to there.",
            {
                "column": "left",
                "reader": "edited",
                "fields": words.group(names, True) + words.group(names, False),
            },
            figure("lines", ("plain.*", "edited.*"), ("layer", "unit")),
        ),
        Panel(
            "change",
            "matrix",
            "What changed",
            "",
            {**grid, "column": "left"},
            figure("heatmap", ("change.*",), ("layer",)),
        ),
        *answers(model, figure, "probability"),
        Panel(
            "everywhere",
            "multiples",
            "The change in all units",
            "Edited minus original, unit by unit: all gates and states of all layers. Click a"
            " picture to enlarge it.",
            {
                **grid,
                "hint": "Point at a picture to read a change; click to choose gate, layer and unit.",
            },
        ),
    )
    look = {"layer": model.config.layers - 1, "unit": 0, "seed": 1, **run.note.get("look", {})}
    look["field"] = "gate.forget" if "gate.forget" in names else names[1 % len(names)]
    return Stage(
        ((plain, run), (edited, run)),
        panels,
        most=256,
        selection=look,
        vertical={"name": "unit", "size": sizes[names[0]][1]},
        read=Operation(sizes, going_on, written_on).read,
        described=(change(plain),),
    )


def of_heads(run: Run, model: Attends[Any]) -> Stage:
    sizes, top, design = surgery.operable(model), foretells(model), model.tower.design
    plain = Reader(
        "plain",
        run.title,
        model,
        run.id,
        "tokens",
        ("attention",),
        top=top,
        most=MOST,
        colour=7,
        more={"parts": PARTS, "here": not design.causal},
        goes_on=False,
    )
    edited = replace(plain, id="edited", title=_("{title}, edited", title=_(run.title)), colour=1)
    grid = {"x": "key", "y": "query", "fields": ("attention",), "causal": design.causal}
    figure = partial(drawn, model, sizes)
    stays = "Layers below the edit, and tokens before it, do not change."
    panels = (
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
            "opened",
            "matrix",
            "One head, edited",
            "",
            {**grid, "column": "left", "reader": "edited"},
            figure("heatmap", ("edited.attention",), ("layer", "head")),
        ),
        *answers(model, figure, top, design.causal),
        Panel(
            "everywhere",
            "multiples",
            "The change in all heads",
            _(
                "Edited minus original: where each head looks more (orange) or less (blue)."
                " {stays}",
                stays=stays if design.causal else _("Layers below the edit do not change."),
            ),
            {
                **grid,
                "reader": "change",
                "column": "right",
                "hint": "Point at a head to read a change; click to open it on the left.",
            },
            figure("multiples", ("change.attention",), domain=(-REACH, REACH)),
        ),
    )
    changed = change(plain)
    changed["fields"]["attention"]["scale"] |= {"low": -REACH, "high": REACH}
    quick = {reader.id: replace(reader, goes_on=True) for reader in (plain, edited)}
    return Stage(
        ((plain, run), (edited, run)),
        panels,
        most=360,
        selection={"layer": design.layers - 1, "head": 0, "seed": 0, "field": "attention"},
        vertical={"name": "head", "size": design.heads},
        columns=(1, 1),
        read=Operation(sizes, rerun, written_anew, quick).read,
        described=(changed,),
    )


def rerun(shown: Shown, plain: Trace, edits: Edits, old: Edits) -> Trace:
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
    made = rollout.reread(model, tokens, (), steps, drawn_by)
    other = rollout.reread(model, tokens, edits, steps, drawn_by) if edits else made
    return written(model, int(tokens.ids[-1]), made, other, seed)


LIVE = stage
