"""The live part of the page: what the rules cut, futures, beams and texts; each of them as a figure to
save."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from engine.analysis import decode
from engine.core.trace import Field, Kind, Table, TableSpec, Trace
from engine.lessons import looked
from engine.lessons.decoding import rules, work, written
from engine.lessons.decoding import stage as decoding_stage
from engine.live import cache
from engine.live.drawing import Drawing, Look, Traces, with_entries
from engine.live.reader import Reader
from engine.live.stage import Panel, Stage
from engine.models.base import Model
from engine.runs.store import Run

READER = "model"
COLUMNS = ("node", "parent", "word", "count", "share")
PATIENCE = 20.0  # seconds that a file may take


def stage(run: Run) -> Stage:
    model = cache.model(run, Model)
    vocab = list(model.tokenizer.vocab)
    reader = Reader(
        READER,
        run.title,
        model,
        run.id,
        "tokens",
        (decoding_stage.source(model),),
        top="",
        more={"labels": {"next": vocab}, "fields": {}},
    )
    here = {"reader": READER}
    panels = (
        Panel(
            "sieve",
            "sieve",
            "Next token",
            options={**here, "column": "left"},
            figure=sieve(before=True),
        ),
        Panel(
            "tail",
            "tail",
            "The whole vocabulary",
            options={**here, "column": "right"},
            figure=sieve(before=False),
        ),
        Panel("draws", "draws", "Sampling many times", options={**here, "column": "right"}),
        Panel("futures", "futures", "Futures", options=here, figure=futures(run, model)),
        Panel("beam", "beam", "Beam search", options=here, figure=beams(run, model)),
        Panel("texts", "texts", "Greedy and sampled text, side by side", options=here),
    )
    return Stage(
        ((reader, run),),
        panels,
        most=900,
        selection={"rules": "p0.9", "seed": 1},
        columns=(6, 5),
        read=decoding_stage.read,
    )


def sieve(before: bool) -> Any:
    """A `Panel.figure`: the distribution as the model says it, and what the rules leave of it."""

    def make(traces: Traces, look: Look) -> Drawing:
        trace, t = traces[READER], looked.token(traces[READER], look)
        source = trace.field("logits" if "logits" in trace else "probability")
        with np.errstate(divide="ignore"):
            logit_V = source.values[t] if "logits" in trace else np.log(source.values[t])
        choice = decode.choose(logit_V, rules.read(look.get("rules")), trace.ids[: t + 1].tolist())
        kind, axes = Kind.PROBABILITY, {"next": source.axes[-1].labels}
        own_V = decode.temperature(np.exp(logit_V - logit_V.max()), 1)
        own = Field.of("next.model", kind, axes, own_V, "The model's own distribution.")
        cut = f"The distribution sampled from; the rules cut {100 * choice.cut:.3g} % of the mass."
        drawn = Field.of("next.drawn", kind, axes, choice.p_V, cut)
        entries = [own, drawn] if before else [drawn]
        names = tuple(entry.spec.name for entry in entries)
        options = {"top": 14} if before else {}
        return Drawing(READER, "", with_entries(trace, *entries), names, options=options)

    return make


def done(
    kind: str, run: Run, model: Model[Any], trace: Trace, look: Look
) -> tuple[list[Any], written.Order]:
    """All of a piece of work, as it is on the screen or made now."""
    t = looked.token(trace, look)
    wish: Mapping[str, Any] = {**look, "rules": look.get(kind, look.get("rules"))}
    if kind == "beams":
        wish = {"width": look.get("beams", 3), "steps": look.get("long", 8)}
    order = written.order(kind, wish)
    ids_T = model.tokens(trace.text).ids[: trace.offset + t + 1]

    def place() -> decode.Place:
        tokens = model.tokens(trace.text)[: len(ids_T)]
        return replace(decode.read(model, tokens), since=trace.offset)

    begun = decoding_stage.work(kind, run, place, ids_T, trace.offset, order)
    found: work.Work = begun.go(PATIENCE)
    if found.problem or not found.made:
        raise ValueError(found.problem or "there is nothing to draw yet")
    return found.made, order


def tree(
    trace: Trace,
    name: str,
    says: str,
    rows: Iterator[tuple[int, int, str, float, float]],
    measure: str,
    number: str,
) -> Drawing:
    """Rows of (node, parent, word, count, share); what the last two are called."""
    kinds = (int, int, object, float, float)
    columns: list[np.ndarray] = [
        np.array(c, kind) for c, kind in zip(zip(*rows, strict=True), kinds, strict=True)
    ]
    table = Table(TableSpec(name, COLUMNS, says), dict(zip(COLUMNS, columns, strict=True)))
    options = {"measure": measure, "number": number}
    return Drawing(READER, "tree", with_entries(trace, table), (name,), options=options)


def futures(run: Run, model: Model[Any]) -> Any:
    def make(traces: Traces, look: Look) -> Drawing:
        made, order = done("futures", run, model, traces[READER], look)
        vocab = model.tokenizer.vocab
        nodes = decode.tree(made)
        return tree(
            traces[READER],
            "futures",
            f"{order.count} futures of {order.steps} tokens, seed {order.seed}: how many take each"
            " branch.",
            ((i, n.parent, vocab[n.id], float(n.count), n.chance) for i, n in enumerate(nodes)),
            "drawn with probability (%)",
            "futures",
        )

    return make


def beams(run: Run, model: Model[Any]) -> Any:
    def make(traces: Traces, look: Look) -> Drawing:
        made, order = done("beams", run, model, traces[READER], look)
        return tree(
            traces[READER],
            "beams",
            f"Beam search, {order.width} beams: ln P of each text that was considered.",
            candidates(made[1:], model.tokenizer.vocab),
            "probability of the token (%)",
            "ln P so far",
        )

    return make


def candidates(
    steps: list[decode.Beam], vocab: tuple[str, ...]
) -> Iterator[tuple[int, int, str, float, float]]:
    """A row for each text that was considered; what was dropped is crossed out in its word."""
    kept, number = [-1], 0
    for step in steps:
        onward = []
        for h in step.seen:
            word = {"kept": "", "ended": "■", "dropped": "×"}[h.fate] + vocab[h.ids[-1]]
            yield number, kept[h.parent], word, h.total, float(np.exp(h.last))
            onward += [number] if h.fate == "kept" else []
            number += 1
        kept = onward


LIVE = stage
