"""The panels of the Memory ledger, for whatever memories the cells of a run have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from engine import ledger
from engine.ledger import Account
from engine.reading import Reader
from engine.runs import Run
from pages.ui.drawing import Drawing, Look, Traces, with_entries
from pages.ui.recurrent import anatomy, equations, halflives, words
from pages.ui.recurrent.halflives import READER
from pages.ui.stage import Panel, Stage


def stage(run: Run, model: Any, text: str = halflives.CORPUS) -> Stage:
    """text: the id of the one over which half-lives are measured."""
    memories = tuple(model.memories)
    if not memories:
        return without(run, model)
    names = tuple(dict.fromkeys(name for m in memories for name in (m.keep, *m.write, m.state) if name))
    found = halflives.corpus(run, text)
    more = {"corpus": found, "units": {"names": names, "keeps": {m.keep: m.complement for m in memories if m.keep}}}
    reader = Reader(READER, run.title, model, run.id, "tokens", names, top="", more=more)
    spoken = {"reader": READER, "memories": [words.memory(m) for m in memories]}
    lines = [equations.HERE, *(line for m in memories for line in equations.memory(m))]
    panels = (
        Panel(
            "ledger", "ledger", "Who wrote what is in the memory",
            "Each row is a moment, each column a token before it. Strong colour: much of the memory of that moment was written there. "
            "A row adds up to the memory.",
            {**spoken, "column": "left"}, drawn(memories, "heatmap", lambda book, t, k: book.grid(), reading=False),
        ),
        Panel(
            "account", "account", "One moment, added up", "What a token wrote, times the share of it that every later gate has left.",
            {**spoken, "column": "right"}, drawn(memories, "waterfall", lambda book, t, k: book.sheet(t), token=True, axis="memory so far"),
        ),
        Panel(
            "fading", "fading", "How it fades",
            "Each line is what one token wrote; all of them shrink by the same gate, so they never cross. Point at a token to follow its line.",
            {**spoken, "column": "right"}, drawn(memories, "lines", lambda book, t, k: book.fading(k)),
        ),
        Panel(
            "formula", "formula", "One step, with this moment's numbers", "The ledger is this line, put into itself again and again.",
            {"column": "left", "reader": READER, "lines": lines},
        ),
        Panel(
            "half", "halflife", "Half-lives",
            "After how many tokens half of a memory is gone; a hollow point: longer than that. Click to choose a unit, or walk with the up and down keys.",
            spoken, halflives.ranking(memories, found),
        ),
    )  # fmt: skip
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
    return Stage(((reader, run),), panels, most=256, selection=look, vertical=vertical)  # fmt: skip


def without(run: Run, model: Any) -> Stage:
    """For a network whose state is made anew at each token."""
    names = ("preactivation", "hidden")
    reader = Reader(READER, run.title, model, run.id, "tokens", names, top="")
    says = (
        "This network keeps no memory in part: at each token its whole state is overwritten by a new one. "
        "What an earlier token left is inside U h and can't be told apart, so there is no ledger. Choose a gated model."
    )
    lines = equations.lines(names, (), anatomy.of(model))
    panel = Panel("formula", "formula", "No ledger here", says, {"reader": READER, "lines": lines})
    size = len(model.trace("", fields=("hidden",)).field("hidden").axis("unit"))
    return Stage(((reader, run),), (panel,), most=256, selection={"layer": 0, "unit": 0}, vertical={"name": "unit", "size": size})


def drawn(
    memories: Sequence[Any], view: str, entry: Callable[[Account, int, int], Any], token: bool = False, **options: Any
) -> Any:
    """A `Panel.figure` of the account of the unit looked at: what `entry` makes of it, the moment and the token that wrote."""

    def make(traces: Traces, look: Look) -> Drawing:
        trace = traces[READER]
        memory, at = halflives.place(trace, look, memories)
        book = ledger.account(trace, memory, at["layer"], at["unit"])
        moment, other = at["token"], int(look.get("other", -1)) - trace.offset
        made = entry(book, moment, other if 0 <= other <= moment else book.largest(moment))
        picks = at if token else {name: at[name] for name in ("layer", "unit")}
        return Drawing(READER, view, with_entries(trace, made), (made.spec.name,), picks, options)

    return make
