"""The panels of the page on pooling: what the one vector of the typed text is made of, in classifiers that
differ in nothing else, beside what is known to count."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from engine.core.trace import Field
from engine.lessons import looked
from engine.lessons.pooling.shown import CALLED
from engine.live import cache
from engine.live.drawing import Drawing, Look, Traces, with_entries
from engine.live.reader import Reader
from engine.live.stage import Panel, Stage
from engine.models.pooling import Pooling
from engine.runs.store import Run
from engine.text.corpora.marked import KIND_OF, MARK


def stage(found: Mapping[str, Run]) -> Stage:
    models = {way: cache.model(run, Pooling) for way, run in found.items()}
    readers = tuple(
        (
            Reader(
                way,
                CALLED[way],
                models[way],
                run.id,
                "words",
                ("pool.weight", "pool.score", "gate.output", "label"),
                top="",
                colour=n,
                more={"labels": {"label": list(models[way].names)}},
            ),
            run,
        )
        for n, (way, run) in enumerate(found.items())
    )
    first = next(iter(found))
    here = {"reader": first, "called": {way: CALLED[way] for way in found}, "mark": MARK}
    panels = (
        Panel(
            "pooled",
            "pooled",
            "What the one vector is made of",
            "Four classifiers, alike but for how they make one vector of all states. The taller a bar,"
            " the more of the vector comes from the state at that word.",
            {**here, "kinds": KIND_OF},
            weights_of_each,
        ),
        Panel(
            "prefix",
            "prefix",
            "Had the text ended here",
            "What each of them would answer after each word: the probability of the right label.",
            {**here, "kinds": KIND_OF},
            answers_of_each,
        ),
    )
    return Stage(readers, panels, most=600)


def weights_of_each(traces: Traces, look: Look) -> Drawing:
    """A `Panel.figure`: of each way the weights of the text up to the word that is looked at."""
    return _each(traces, look, "pool.weight", "query")


def answers_of_each(traces: Traces, look: Look) -> Drawing:
    """A `Panel.figure`: of each way the probability of each label after each word."""
    return _each(traces, look, "label", "")


def _each(traces: Traces, look: Look, name: str, along: str) -> Drawing:
    first = next(iter(traces))
    at = looked.token(traces[first], look)
    entries = []
    for way, trace in traces.items():
        field = trace.field(name)
        field = field.pick(**{along: at}) if along else field
        says = f"{CALLED[way]}: {field.spec.says}"
        spec = replace(field.spec, name=f"{name}.{way}", says=says, symbol="")
        entries.append(Field(spec, field.values, field.axes))
    names = tuple(entry.spec.name for entry in entries)
    return Drawing(first, "", with_entries(traces[first], *entries), names)


LIVE = stage
