"""The live part: two to five models on the typed text; of two, for which of them each word speaks."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from engine.core.trace import Table, TableSpec
from engine.language.message import _
from engine.lessons.compare import counted
from engine.lessons.compare.alignment import odds, reading, segments, words
from engine.live.compared import names
from engine.live.drawing import Drawing, Look, Traces, ribbon, shortlists, with_entries
from engine.live.reader import Reader
from engine.live.stage import SURPRISAL, Panel, Stage
from engine.models.base import Model
from engine.runs.store import Run

CHARACTERS = 600  # at once
UNITS = {"chars": "characters", "words": "words", "whitespace": "words", "bytes": "bytes"}


def stage(shown: Mapping[str, Run]) -> Stage:
    runs = [*shown.values()]
    titles = dict(zip(shown, names(runs), strict=True))
    readers = tuple(
        (Reader(id, titles[id], model, run.id, _unit(model), most=8, colour=n), run)
        for n, (id, run, model) in enumerate(zip(shown, runs, counted.models_of(runs), strict=True))
    )
    surprise = Panel(
        "surprise",
        "ribbon",
        "Surprisal of every model, word by word",
        "One row per model; a strong colour means it did not expect this. The text is split"
        " where all models split it, and the bits of a model's tokens in between are added"
        " up, so that models with different tokens can be compared.",
        {"scale": SURPRISAL},
        ribbon(titles),
    )
    tops = Panel(
        "tops",
        "tops",
        "What each model expects next",
        "Point at the text above to choose another position.",
        {"most": 8},
        shortlists(titles, 8),
    )
    middle = () if len(runs) > 2 else (duel(titles),)
    return Stage(readers, (surprise, *middle, tops), most=CHARACTERS)


def _unit(model: Model[Any]) -> str:
    return UNITS.get(model.tokenizer.id, "tokens")


def duel(titles: Mapping[str, str]) -> Panel:
    a, b = titles.values()
    says = _(
        "log2 P(word | {a}) / P(word | {b}), in bits: up for {a}, down for {b}. One"
        " bit more is twice as likely; bars end at 24 bits. The last number under a"
        " word is the running total.",
        a=a,
        b=b,
    )
    title = _("Which side does each word favour: {a} or {b}?", a=a, b=b)
    return Panel("odds", "odds", title, says, figure=partial(_odds, titles))


def _odds(titles: Mapping[str, str], traces: Traces, look: Look) -> Drawing:
    """The odds of each word as the steps of a running total."""
    (first, a), (second, b) = titles.items()
    text = traces[first].text
    found = segments([reading(traces[id]) for id in (first, second)], words(text))
    each_S = odds(found)
    after_S = np.cumsum(np.where(np.isfinite(each_S), each_S, 0.0))
    columns = {
        "step": np.array(found.labels(text), object),
        "before": np.concatenate([[0.0], after_S[:-1]])[: len(after_S)],
        "after": after_S,
    }
    says = _("For {a} (right) or for {b} (left), word by word", a=a, b=b)
    trace = with_entries(traces[first], Table(TableSpec("odds", tuple(columns), says), columns))
    options = {"axis": "log-odds so far (bits)"}
    return Drawing(first, "waterfall", trace, ("odds",), options=options)


LIVE = stage
