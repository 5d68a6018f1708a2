"""The live part of the Corpus duel: for which of two models each typed word speaks, and what each
expects next."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from engine.analysis.compare.alignment import reading, segments, words
from engine.analysis.compare.odds import odds
from engine.core.trace import Table, TableSpec
from engine.live.drawing import Drawing, Look, Traces, shortlists, with_entries
from engine.live.reader import Reader
from engine.live.stage import Panel, Stage
from engine.runs.store import Run

SHOWN = 600  # characters at once
LONGEST = 32
UNITS = {"chars": "characters", "words": "words", "whitespace": "words", "bytes": "bytes"}


def titles(runs: tuple[Run, Run]) -> dict[str, str]:
    """What the two sides are called: by their texts where these were counted, else by the names of
    the runs."""
    names = [run.title if run.model == "counted" else run.id for run in runs]
    short = [name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…" for name in names]
    return dict(
        zip(
            ("a", "b"),
            (
                short
                if short[0] != short[1]
                else [f"{s} ({x})" for s, x in zip(short, "AB", strict=True)]
            ),
            strict=True,
        )
    )


def stage(pairs: tuple[tuple[Any, Run], tuple[Any, Run]]) -> Stage:
    named = titles((pairs[0][1], pairs[1][1]))
    readers = tuple(
        (
            Reader(
                id, title, model, run.id, UNITS.get(model.tokenizer.id, "tokens"), most=8, colour=n
            ),
            run,
        )
        for n, ((id, title), (model, run)) in enumerate(zip(named.items(), pairs, strict=True))
    )
    a, b = named.values()
    panels = (
        Panel(
            "odds",
            "odds",
            f"Which side does each word favour: {a} or {b}?",
            f"log2 P(word | {a}) / P(word | {b}), in bits: up for {a}, down for {b}. One bit more"
            " is twice as likely; bars end at 24 bits. The last number under a word is the running"
            " total.",
            figure=running(named),
        ),
        Panel(
            "tops",
            "tops",
            "What each side expects next",
            "Point at a word above to choose another position.",
            {"most": 8},
            shortlists(named, 8),
        ),
    )
    return Stage(readers, panels, most=SHOWN)


def running(named: Mapping[str, str]) -> Any:
    """A `Panel.figure`: the odds of each word as the steps of a running total."""
    a, b = named.values()

    def make(traces: Traces, look: Look) -> Drawing:
        first = traces["a"]
        found = segments([reading(traces[id]) for id in ("a", "b")], words(first.text))
        each_S = odds(found)
        after_S = np.cumsum(np.where(np.isfinite(each_S), each_S, 0.0))
        columns = {
            "step": np.array(found.labels(first.text), object),
            "before": np.concatenate([[0.0], after_S[:-1]])[: len(after_S)],
            "after": after_S,
        }
        table = Table(
            TableSpec("odds", tuple(columns), f"For {a} (right) or for {b} (left), word by word"),
            columns,
        )
        return Drawing(
            "a",
            "waterfall",
            with_entries(first, table),
            ("odds",),
            options={"axis": "log-odds so far (bits)"},
        )

    return make
