"""The live part of the Compare page: two to five models on the typed text, and what is drawn of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from engine.compare.alignment import reading, segments
from engine.reading import Reader
from engine.runs import Run
from engine.trace import Axis, Field, FieldSpec, Kind, Trace
from pages.ui.drawing import Drawing, Look, Traces, ribbon, shortlists, with_entries
from pages.ui.own import compare_settled
from pages.ui.own.compare_runs import names, opened
from pages.ui.stage import SURPRISAL, Panel, Stage

SHOWN = 600  # characters at once
UNITS = {"chars": "characters", "words": "words", "whitespace": "words", "bytes": "bytes"}
BITS = FieldSpec("segments", Kind.LOSS, ("method", "token"), "What each piece of text cost each reader.", unit="bits")


def stage(runs: Sequence[Run]) -> Stage:
    titles = {f"m{n}": name for n, name in enumerate(names(runs))}
    readers = tuple(
        (Reader(id, title, model := opened(run), run.id, UNITS.get(model.tokenizer.id, "tokens"), most=8, colour=n), run)
        for n, ((id, title), run) in enumerate(zip(titles.items(), runs, strict=True))
    )
    panels = (
        Panel(
            "surprise", "ribbon", "Bits of every reader, character by character",
            "One row a reader; strong colour means it did not expect this. A token's bits are shared out over its characters, so that words, pieces and characters compare.",
            {"scale": SURPRISAL}, ribbon(titles),
        ),
        Panel(
            "race", "race", "Who saw it coming?",
            "The text is cut where all readers cut. A piece has the colour of the reader that gave it the largest share; the number is by how many bits it was ahead of the next best. "
            "Readers of words get the blanks for nothing; a word that a reader does not know it can't win.",
            figure=bits(titles),
        ),
        Panel("tops", "tops", "What each reader expects next", "Point at the text above to ask after another place.", {"most": 8}, shortlists(titles, 8)),
    )  # fmt: skip

    def settled(traces: Mapping[str, Trace], look: Mapping[str, Any]) -> None:
        compare_settled.show([reader.model for reader, _ in readers], [traces[id] for id in titles], list(titles.values()), runs)

    return Stage(readers, panels, most=SHOWN, settled=settled)


def bits(titles: Mapping[str, str]) -> Any:
    """A `Panel.figure`: the bits of each reader for every piece between two common cuts."""

    def make(traces: Traces, look: Look) -> Drawing:
        first = traces[next(iter(titles))]
        found = segments([reading(traces[id]) for id in titles])
        axes = (Axis("method", tuple(titles.values())), Axis("token", found.labels(first.text)))
        return Drawing(next(iter(titles)), "lines", with_entries(first, Field(BITS, found.bits_SM.T.astype(np.float32), axes)), ("segments",))

    return make
