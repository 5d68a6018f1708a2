"""The panels of the Memory ledger, for whatever memories the cells of a run have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from engine.analysis import ledger
from engine.analysis.ledger import Account
from engine.core.trace import Table
from engine.lessons.recurrent import equations, words
from engine.live import cache
from engine.live.drawing import Drawing, Look, Traces, with_entries
from engine.live.reader import Reader
from engine.live.stage import Panel, Stage
from engine.runs.store import Run
from pages.ui.memory import halflives
from pages.ui.memory.halflives import READER

if TYPE_CHECKING:
    from engine.models.recurrent import RecurrentModel


def stage(run: Run, model: RecurrentModel[Any], text: str = halflives.CORPUS) -> Stage:
    """text: the id of the one over which half-lives are measured."""
    memories = tuple(model.memories)
    if not memories:
        return without(run, model)
    parts = (name for m in memories for name in (m.keep, *m.write, m.state) if name)
    names = tuple(dict.fromkeys(parts))
    found = halflives.corpus(run, text)
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
            halflives.ranking(memories, found),
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
        memory, at = halflives.place(trace, look, memories)
        book = ledger.account(trace, memory, at["layer"], at["unit"])
        moment, other = at["token"], int(look.get("other", -1)) - trace.offset
        made = entry(book, moment, other if 0 <= other <= moment else book.largest(moment))
        picks = at if token else {name: at[name] for name in ("layer", "unit")}
        return Drawing(READER, view, with_entries(trace, made), (made.spec.name,), picks, options)

    return make


def opened(run: Run, text: str) -> Stage:
    from engine.models.recurrent import RecurrentModel

    return stage(run, cache.model(run, RecurrentModel), text)
