"""The Surgery page of models with attention: switches for every part, one head opened, and what an edit changes everywhere."""

from __future__ import annotations

from typing import Any

from engine import reading, rollout, surgery
from engine.reading import Reader
from engine.runs import Run
from engine.tap import Edit
from engine.trace import Trace
from pages.ui import cache
from pages.ui.attention.flow import foretells
from pages.ui.recurrent.operation import EDITED, MOVES, Operation
from pages.ui.recurrent.surgery import drawn
from pages.ui.stage import Panel

PARTS = {
    "attention": "attention", "score": "score", "reading": "reading", "query": "query", "key": "key", "value": "value", "attention.output": "attention",
    "feed_forward.output": "feed-forward", "feed_forward.activation": "feed-forward activation", "residual.before": "stream before", "residual.middle": "stream after attention", "residual": "stream",
}  # fmt: skip
REACH = 0.2  # of the colours of a changed weight
STEPS, FEWER, LARGE = 30, 12, 20_000_000  # tokens written on; parameters from which they are fewer


class Anew(Reader):
    """A reader whose model reads the whole text each time: then a number that no edit reaches is the same in both runs, bit for bit."""

    @property
    def needs(self) -> tuple[str, ...]:
        return (*self.fields, *filter(None, [self.top]))


class Surgery(Operation):
    """A stage of two readers of one Transformer, "plain" and "edited"."""

    def layout(self) -> dict[str, Any]:
        found = Operation.layout(self)
        found["readers"][-1]["fields"]["attention"]["scale"] |= {"low": -REACH, "high": REACH}
        return found

    def edited(self, run: Run, plain: Trace, edits: tuple[Edit, ...], old: tuple[Edit, ...], base: cache.Place | None) -> Trace:
        key = (str(run.folder), run.note.get("recipe"), surgery.write(edits), plain.text, plain.offset, len(plain.tokens))
        found: Trace | None = EDITED.get(key) if edits else plain
        if found is None:
            found = surgery.operate(self.readers[0][0].model, plain, edits)
            EDITED.put(key, found)
        return found

    def writing(self, plain: Trace, edited: Trace, edits: tuple[Edit, ...], seed: int) -> dict[str, Any]:
        """How the text goes on as it is and edited, with the same random numbers; seed 0: always the likeliest."""
        model, drawn_by = self.readers[0][0].model, max(0, seed) or None
        tokens = reading.tokens(model, plain.text)
        steps = STEPS if sum(p.numel() for p in model.net.parameters()) < LARGE else FEWER
        made = rollout.afresh(model, tokens, (), steps, drawn_by)
        other = rollout.afresh(model, tokens, edits, steps, drawn_by) if edits else made
        last = int(tokens.ids[-1])
        return {"seed": seed, "plain": rollout.text_of(model, last, made), "edited": rollout.text_of(model, last, other)}


def stage(run: Run, model: Any) -> Surgery:
    sizes, top, design = surgery.operable(model), foretells(model), model.net.tower.design
    more = {"parts": PARTS, "here": not design.causal}
    plain = Anew("plain", run.title, model, run.id, "tokens", ("attention",), top=top, most=4, colour=7, more=more)
    edited = Anew("edited", f"{run.title}, edited", model, run.id, "tokens", ("attention",), top=top, most=4, colour=1, more=more)
    grid = {"x": "key", "y": "query", "fields": ("attention",), "causal": design.causal}
    panels = [
        Panel(
            "switches", "switches", "The parts of the model",
            "Click a part to switch it off, once more to put it back. A head that is off reads nothing; a part that is off adds nothing to the stream.",
            {"column": "left", "reader": "edited", "layers": design.layers, "heads": design.heads},
        ),
        Panel(
            "weighing", "weighing", "One head, edited", "", {**grid, "column": "left", "reader": "edited"},
            drawn(run, model, sizes, "heatmap", ("edited.attention",), ("layer", "head")),
        ),
    ]  # fmt: skip
    if top:
        figure = drawn(run, model, sizes, "shortlists", (f"plain.{top}", f"edited.{top}"), ("token",), top=MOVES)
        panels.append(Panel("moves", "moves", "Next token" if design.causal else "The word here", "", {"column": "right", "reader": "edited"}, figure))
    if design.causal:
        panels += [
            Panel("writing", "writing", "How the text would go on", "", {"column": "right", "reader": "edited"}),
            Panel(
                "surprisal", "surprisal", "Surprisal of the text", "", {"column": "right", "reader": "edited"},
                drawn(run, model, sizes, "lines", ("plain.surprisal", "edited.surprisal")),
            ),
        ]  # fmt: skip
    stays = "Layers below the edit, and tokens before it, do not change." if design.causal else "Layers below the edit do not change."
    panels.append(
        Panel(
            "everywhere", "multiples", "The change in all heads", f"Edited minus as it is: where each head looks more (orange) or less (blue). {stays}",
            {**grid, "reader": "change", "column": "right", "hint": "Point at a head to read a change; click to open it at the left."},
            drawn(run, model, sizes, "multiples", ("change.attention",), domain=(-REACH, REACH)),
        )
    )
    look = {"layer": design.layers - 1, "head": 0, "seed": 0, "field": "attention"}
    vertical = {"name": "head", "size": design.heads}
    return Surgery(((plain, run), (edited, run)), tuple(panels), most=360, selection=look, vertical=vertical, columns=(1, 1), sizes=sizes, expects=top)
