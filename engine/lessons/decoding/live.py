"""The live part of the page: what the rules leave of the distribution over the next token."""

from __future__ import annotations

import numpy as np

from engine.analysis import decode
from engine.core.trace import Field, Kind
from engine.language.message import _
from engine.lessons import looked
from engine.lessons.decoding import rules
from engine.lessons.decoding import stage as decoding_stage
from engine.live import cache
from engine.live.drawing import Drawing, Look, Traces, with_entries
from engine.live.reader import Reader
from engine.live.stage import Panel, Stage
from engine.models.base import Model
from engine.runs.store import Run

READER = "model"


def stage(run: Run) -> Stage:
    model = cache.model(run, Model)
    reader = Reader(
        READER,
        run.title,
        model,
        run.id,
        "tokens",
        (decoding_stage.source(model),),
        top="",
        more={"labels": {"next": list(model.tokenizer.vocab)}, "fields": {}},
    )
    return Stage(
        ((reader, run),),
        (Panel("sieve", "sieve", "Next token", "", {"reader": READER}, sieve),),
        most=900,
        selection={"rules": "p0.9"},
        read=decoding_stage.read,
    )


def sieve(traces: Traces, look: Look) -> Drawing:
    """A `Panel.figure`: the distribution as the model says it, and what the rules leave of it."""
    trace, t = traces[READER], looked.token(traces[READER], look)
    source = trace.field("logits" if "logits" in trace else "probability")
    with np.errstate(divide="ignore"):
        logit_V = source.values[t] if "logits" in trace else np.log(source.values[t])
    choice = decode.choose(logit_V, rules.read(look.get("rules")), trace.ids[: t + 1].tolist())
    kind, axes = Kind.PROBABILITY, {"next": source.axes[-1].labels}
    own_V = decode.temperature(np.exp(logit_V - logit_V.max()), 1)
    own = Field.of("next.model", kind, axes, own_V, "The model's own distribution.")
    cut = _(
        "The distribution sampled from; the rules cut {cut:.3g} % of the mass.",
        cut=100 * choice.cut,
    )
    drawn = Field.of("next.drawn", kind, axes, choice.p_V, cut)
    entries = with_entries(trace, own, drawn)
    return Drawing(READER, "", entries, (own.spec.name, drawn.spec.name), options={"top": 14})


LIVE = stage
