"""The live part of the Compare page: two to five models on the typed text, and what is drawn of
them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.analysis.compare.alignment import reading, segments
from engine.core.trace import Field, Kind, Trace
from engine.live.drawing import Drawing, Look, Traces, ribbon, shortlists, with_entries
from engine.live.reader import Reader
from engine.live.stage import SURPRISAL, Panel, Stage
from engine.models.abilities import able
from engine.models.base import Model
from engine.runs.store import Run
from pages.ui.compare import idle
from pages.ui.several import names, opened

SHOWN = 600  # characters at once
UNITS = {"chars": "characters", "words": "words", "whitespace": "words", "bytes": "bytes"}


def stage(runs: Sequence[Run]) -> Stage:
    titles = {f"m{n}": name for n, name in enumerate(names(runs))}
    readers = []
    for n, ((id, title), run) in enumerate(zip(titles.items(), runs, strict=True)):
        model = opened(run)
        unit = UNITS.get(model.tokenizer.id, "tokens")
        readers.append((Reader(id, title, model, run.id, unit, most=8, colour=n), run))
    panels = (
        Panel(
            "surprise",
            "ribbon",
            "Surprisal of every model, word by word",
            "One row per model; a strong colour means it did not expect this. The text is split"
            " where all models split it, and the bits of a model's tokens in between are added"
            " up, so that models with different tokens can be compared.",
            {"scale": SURPRISAL},
            ribbon(titles),
        ),
        Panel(
            "race",
            "race",
            "Which model predicted it best?",
            "The text is split where all models split it. Each piece has the colour of the"
            " model that gave it the highest probability; the number is its lead over the next"
            " best, in bits. Word models get the spaces for free. A model cannot win a word"
            " that it does not know.",
            figure=bits(titles),
        ),
        Panel(
            "tops",
            "tops",
            "What each model expects next",
            "Point at the text above to choose another position.",
            {"most": 8},
            shortlists(titles, 8),
        ),
    )

    def settled(traces: Mapping[str, Trace], look: Mapping[str, Any]) -> None:
        idle.show(
            [able(reader.model, Model) for reader, _ in readers],
            [traces[id] for id in titles],
            list(titles.values()),
            runs,
        )

    return Stage(tuple(readers), panels, most=SHOWN, settled=settled)


def bits(titles: Mapping[str, str]) -> Any:
    """A `Panel.figure`: the bits of each reader for every piece between two common cuts."""

    def make(traces: Traces, look: Look) -> Drawing:
        first = traces[next(iter(titles))]
        found = segments([reading(traces[id]) for id in titles])
        drawn = Field.of(
            "segments",
            Kind.LOSS,
            {"method": titles.values(), "token": found.labels(first.text)},
            found.bits_SM.T,
            "Surprisal of each piece of text for each model.",
            unit="bits",
        )
        return Drawing(next(iter(titles)), "lines", with_entries(first, drawn), ("segments",))

    return make
