"""The live part of the page on scores: recurrent translators that differ in how they score and in
when they look, on one sentence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from engine.core.cache import Cache
from engine.core.registry import scores
from engine.core.tap import numbered
from engine.core.trace import Axis, Field, FieldSpec, Kind, Trace
from engine.lessons import looked
from engine.lessons.scores import decoder_step, free_running, mixed_reading
from engine.lessons.scores.shown import called
from engine.lessons.translation.live import unknown
from engine.live import cache
from engine.live.drawing import Drawing, Look, Traces, picked, with_entries
from engine.live.reader import Reader
from engine.live.reply import Extra
from engine.live.request import Asks, Request
from engine.live.shown import Shown
from engine.live.stage import Panel, Stage
from engine.models.abilities import able
from engine.models.seq2seq import NONE, Net, Seq2seq
from engine.nn.scores.additive import Additive
from engine.runs.store import Run

WITHOUT = "None of the recurrent translators here has attention, so there is no score to show."
KEPT = 100  # translations that are kept
SENT = ("cross.score", "cross.attention", "context")


def _field(name: str, axes: tuple[str, ...], says: str, symbol: str = "") -> FieldSpec:
    """Of what is computed from a trace; all of it changes with the source."""
    return FieldSpec(name, Kind.STATE, axes, says, symbol, causal=False)


QUERY = _field("query", ("token", "unit"), "The decoder's state that looks.", "s")
KEY = _field("key.state", ("source", "unit"), "What the encoder leaves at each source word.", "e_s")
ASKED = _field("asked", ("token", "dim"), "What the score makes of the query.")
OFFERED = _field("offered", ("source", "dim"), "What the score makes of each key.")
PLACE = _field("place", ("source", "coordinate"), "Each key in the plane of all keys.")
CENTRE = _field("centre", ("token", "coordinate"), "Each context vector in the same plane.")
SHARE = _field("share", ("coordinate",), "Share of the keys' scatter along each coordinate.")
_answers: Cache[Any, Any] = Cache("answers", lambda answer: 1, most=KEPT)


def stage(found: Mapping[str, Run], looks: str) -> Stage:
    """`found`: runs by their score; one by the name "none" has no attention."""
    models = {kind: cache.model(run, Seq2seq) for kind, run in found.items()}
    readers = tuple(
        (reader(kind, models[kind], run, n), run) for n, (kind, run) in enumerate(found.items())
    )
    first = next(iter(found))
    names = {kind: called(kind) for kind in found}
    here = {"reader": first, "called": names, "looks": looks}
    forcing = Panel(
        "forcing",
        "forcing",
        "Training and use: whose words it reads",
        "Above, each step has read the right words, those you typed (teacher forcing). Below it"
        " reads what it wrote itself. Between, a coin decides at each step (scheduled sampling);"
        " its own words are marked.",
        {**here, "alone": True},
    )
    extras = partial(freely, first)
    if first == NONE:
        forcing = replace(forcing, says=f"{WITHOUT} {forcing.says}")
        figure = picked(first, "bars", ["probability"], ["token"], top=6)
        guess = Panel("next", "bars", "Next token", options={"most": 6, **here}, figure=figure)
        return Stage(readers, (forcing, guess), most=600, extras=extras)
    panels = (
        Panel(
            "grid",
            "scoregrid",
            "One step under each score",
            "Five translators, alike but for the score; each was trained with its own. In a cell:"
            " the weight, and the score before softmax. Click a column to open that score."
            if len(found) == len(scores.ids())
            else "Translators that differ in their score. In a cell: the weight, and the score"
            " before softmax. Click a column to open that score.",
            {**here, "column": "left"},
            step_of_each,
        ),
        Panel(
            "centroid",
            "centroid",
            "The context is a centroid",
            "Each word is a key, in the plane in which the keys lie farthest apart. The context"
            " vector is their mean, each as heavy as its weight.",
            {**here, "column": "right"},
        ),
        Panel(
            "step",
            "scorestep",
            "The score, number by number",
            "Point at a row to see its sum.",
            {**here, "alone": True},
        ),
        Panel(
            "order",
            "wiring",
            "When it looks",
            options={**here, "alone": True},
        ),
        forcing,
    )
    return Stage(
        readers,
        panels,
        most=600,
        selection={"by": first, "layer": 0, "head": 0},
        columns=(7, 5),
        extras=extras,
    )


def step_of_each(traces: Traces, look: Look) -> Drawing:
    """A `Panel.figure`: under each score the scores and weights of the step that is looked at."""
    first = next(iter(traces))
    at = looked.token(traces[first], look)
    entries = []
    for kind, trace in traces.items():
        for name in ("score", "attention"):
            field = trace.field(f"cross.{name}").pick(layer=0, head=0, query=at)
            says = f"{called(kind)}: {field.spec.says}"
            spec = replace(field.spec, name=f"{name}.{kind}", says=says, symbol="")
            entries.append(Field(spec, field.values, field.axes))
    names = tuple(entry.spec.name for entry in entries)
    return Drawing(first, "", with_entries(traces[first], *entries), names)


def reader(kind: str, model: Seq2seq, run: Run, colour: int) -> Reader:
    looks = kind != NONE
    tokenizer = model.tokenizer
    return Reader(
        kind,
        f"{called(kind)} score" if looks else run.title,
        model,
        run.id,
        "tokens",
        SENT if looks else (),
        most=6,
        colour=colour,
        also=tuple(name for name in decoder_step.FIELDS if name not in SENT) if looks else (),
        derive=partial(derived, model) if looks else None,
        derived=derives(kind) if looks else (),
        more={
            "end": tokenizer.vocab[tokenizer.boundary],
            "context": model.config.context,
            "formula": scores.get(kind).formula if looks else "",
            "read": weights(model),
            "root": float(np.sqrt(model.config.units)),
            "labels": {},
            "sizes": {
                "D": model.config.width,
                "H": model.config.units,
                "V": len(tokenizer.vocab),
            },
            **unknown(model, run),
        },
    )


def derives(kind: str) -> tuple[FieldSpec, ...]:
    more = () if kind == "dot" else (ASKED, OFFERED) if kind == "additive" else (ASKED,)
    return QUERY, KEY, *more, PLACE, CENTRE, SHARE


def weights(model: Seq2seq) -> list[float]:
    """The last weights of the additive score, which its sum over hidden units has; none of
    another."""
    score = model.net.score if isinstance(model.net, Net) else None
    return score.read.weight[0].tolist() if isinstance(score, Additive) else []


def derived(model: Seq2seq, trace: Trace) -> tuple[Field, ...]:
    found = decoder_step.parts(model, trace)
    made = {
        QUERY: found.query_TH,
        KEY: found.key_SH,
        ASKED: found.asked_TX,
        OFFERED: found.offered_SX,
        PLACE: found.place_S2,
        CENTRE: found.centre_T2,
        SHARE: np.array(found.share_2),
    }
    score = trace.field("cross.score")
    labels = {
        "token": score.axis("query").labels,
        "source": score.axis("source").labels,
    }
    return tuple(
        Field(
            spec,
            made[spec],
            tuple(
                Axis(name, labels.get(name) or numbered(size))
                for name, size in zip(spec.axes, made[spec].shape, strict=True)
            ),
        )
        for spec in derives(model.config.attention)
    )


def freely(first: str, shown: Shown, request: Request) -> Extra:
    """What the translator that is looked at writes by itself."""
    if shown.reader.id != (request.asks.words("free") or first):
        return Extra()
    model, tokens = able(shown.reader.model, Seq2seq), shown.tokens
    source = tokens.source or model.source("")
    right = tokens.ids[1:].tolist()
    key = (*shown.run.key, source.ids.tobytes(), tuple(right))
    found = _answers.made(key, lambda: free_running.run(model, source.ids, right))
    vocab = model.tokenizer.vocab
    wish = request.asks.part("mixed") or Asks()
    share, seed = wish.whole("share"), (wish.whole("seed") or 0) % 2**32
    share = min(100, max(0, 50 if share is None else share))
    mixed = _answers.made(
        (*key, share, seed),
        lambda: mixed_reading.read(model, source.ids, right, share / 100, seed, found),
    )
    return Extra(
        {
            "mixed": {
                "of": [*source.labels],
                "after": [*tokens.labels],
                "reads": [vocab[id] for id in mixed.read_N],
                "own": mixed.own_N.tolist(),
                "writes": [vocab[id] for id in mixed.wrote_N],
                "right": [None if np.isnan(p) else float(p) for p in mixed.right_N],
            },
            "free": {
                "by": shown.reader.id,
                "of": [*source.labels],
                "after": [*tokens.labels],
                "writes": [vocab[id] for id in found.ids],
                "p": found.p_N.tolist(),
                "right": [None if np.isnan(p) else float(p) for p in found.right_N],
            },
        }
    )


LIVE = stage
