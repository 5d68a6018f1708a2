"""The live part of the page on local and hard attention: translators that differ in which source
words a step may look at, on one sentence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial

import numpy as np
import torch

from engine.analysis import hard_choice
from engine.core.tap import numbered
from engine.core.trace import Axis, Field, FieldSpec, Kind, Trace
from engine.lessons import looked
from engine.live import cache, derived
from engine.live.drawing import Drawing, Look, Traces, picked, with_entries
from engine.live.reader import Reader
from engine.live.reply import Extra
from engine.live.request import Request
from engine.live.shown import Shown
from engine.live.stage import Panel, Stage
from engine.models.abilities import able
from engine.models.seq2seq import (
    AFTER,
    CENTRE,
    GLOBAL,
    HARD,
    LOCAL_M,
    LOCAL_P,
    NONE,
    SCOPES,
    WEIGHT,
    Net,
    Seq2seq,
)
from engine.runs.store import Run

SHIPPED = {
    GLOBAL: "score_bilinear_after",  # which the others go on from
    LOCAL_M: "scope_local_m",
    LOCAL_P: "scope_local_p",
    HARD: "scope_hard",
}
CALLED = {GLOBAL: "global", LOCAL_M: "local-m", LOCAL_P: "local-p", HARD: "hard"}


def _field(name: str, axes: tuple[str, ...], says: str) -> FieldSpec:
    return FieldSpec(name, Kind.STATE, axes, says, causal=False)


FORETOLD = _field("foretold", ("token", "dim"), "Each unit's part in the place that is foretold.")
REWARD = _field("reward", ("token", "source"), "Log probability of the next word behind each key.")
PULL = _field(
    "pull", ("token", "source", "seen"), "How the reward of each key pulls at the weight of each."
)


def chosen(runs: Iterable[Run]) -> dict[str, Run]:
    """Per scope a run that looks after its cell, the small shipped one where it is there."""
    found: dict[str, Run] = {}
    for run in runs:
        config = run.note["config"]
        scope = config.get("scope", GLOBAL)
        if config.get("attention", NONE) == NONE or config.get("looks", AFTER) != AFTER:
            continue
        if config.get("feeds") or config.get("own"):
            continue
        if scope not in found or run.id == SHIPPED[scope]:
            found[scope] = run
    return {scope: found[scope] for scope in SCOPES if scope in found}


def stage(found: Mapping[str, Run]) -> Stage:
    """`found`: runs by their scope; one by the name "none" has no attention."""
    readers = tuple(
        (reader(scope, cache.model(run, Seq2seq), run, n), run)
        for n, (scope, run) in enumerate(found.items())
    )
    first = next(iter(found))
    if first == NONE:
        figure = picked(first, "bars", ["probability"], ["token"], top=6)
        guess = Panel(
            "next", "bars", "Next token", options={"most": 6, "reader": first}, figure=figure
        )
        return Stage(readers, (guess,), most=600)
    here = {"reader": first, "called": {scope: CALLED[scope] for scope in found}}
    panels = [
        Panel(
            "scopes",
            "scopes",
            "Where each may look",
            "Translators alike but for this; each was trained so. Bars: what a word weighs. Shaded:"
            " the window, ▾ its middle. Outlined: before the bell, or the chance to be taken.",
            {**here, "column": "left"},
            step_of_each,
        ),
        Panel(
            "path",
            "windowpath",
            "Step by step",
            "A row is a step, a dot the middle of its window. Click a lane on the left to see it.",
            {**here, "column": "right"},
        ),
        Panel(
            "sum",
            "windowsum",
            "From score to weight",
            "The step and the lane that are chosen above.",
            {**here, "alone": True},
        ),
    ]
    if HARD in found:
        panels.append(
            Panel(
                "learns",
                "hardchoice",
                "What hard attention learns from one word",
                "A word is drawn by its chance, so no slope goes through the choice. Here every"
                " choice is tried: that gives the exact slope. A temperature above 1 makes the"
                " chances as even as they are early in training.",
                {**here, "reader": HARD, "alone": True},
            )
        )
    return Stage(
        readers,
        tuple(panels),
        most=600,
        selection={"by": LOCAL_P if LOCAL_P in found else first, "layer": 0, "head": 0},
        columns=(7, 5),
        extras=words,
    )


def step_of_each(traces: Traces, look: Look) -> Drawing:
    """A `Panel.figure`: what each source word weighs at the step that is looked at, by scope."""
    first = next(iter(traces))
    at = looked.token(traces[first], look)
    entries = []
    for scope, trace in traces.items():
        name = "cross.weight" if "cross.weight" in trace else "cross.attention"
        field = trace.field(name).pick(layer=0, head=0, query=at)
        says = f"{CALLED[scope]}: {field.spec.says}"
        spec = FieldSpec(f"weight.{scope}", Kind.STATE, field.spec.axes, says, causal=False)
        entries.append(Field(spec, field.values, field.axes))
    names = tuple(entry.spec.name for entry in entries)
    return Drawing(first, "", with_entries(traces[first], *entries), names)


def reader(scope: str, model: Seq2seq, run: Run, colour: int) -> Reader:
    tokenizer = model.tokenizer
    promised = {spec.name for spec in model.spec()}
    sent = ("cross.score", "cross.attention", CENTRE.name, WEIGHT.name)
    makes = {LOCAL_P: (foretold, (FORETOLD,)), HARD: (rewards, (REWARD, PULL))}
    make, specs = makes.get(scope, (None, ()))
    return Reader(
        scope,
        CALLED.get(scope, run.title),
        model,
        run.id,
        "tokens",
        tuple(name for name in sent if name in promised),
        most=6,
        colour=colour,
        also=("hidden", "encoder.hidden") if make else (),
        derive=partial(make, model) if make else None,
        derived=specs,
        more={
            "end": tokenizer.vocab[tokenizer.boundary],
            "context": model.config.context,
            "half": model.config.window,
            "labels": {},
        },
    )


def foretold(model: Seq2seq, trace: Trace) -> tuple[Field, ...]:
    """v_u tanh(W h)_u: their sum is what the sigmoid is taken of."""
    net = model.net
    assert isinstance(net, Net) and net.local is not None and net.local.predicts
    with torch.inference_mode():
        h_TH = torch.tensor(trace.field("hidden").values[-1])
        part_TH = net.local.read.weight[0] * torch.tanh(net.local.turn(h_TH))
    return (_of(FORETOLD, part_TH.numpy(), trace),)


def _choices(model: Seq2seq, trace: Trace) -> hard_choice.Choices:
    return derived.once(trace, model, lambda: hard_choice.choices(model, trace, [*trace.ids[1:]]))


def rewards(model: Seq2seq, trace: Trace) -> tuple[Field, ...]:
    found = _choices(model, trace)
    return _of(REWARD, found.reward_TS, trace), _of(PULL, found.pull_TZS, trace)


def _of(spec: FieldSpec, values: np.ndarray, trace: Trace) -> Field:
    score = trace.field("cross.score")
    read = score.axis("source").labels
    labels = {"token": score.axis("query").labels, "source": read, "seen": read}
    return Field(
        spec,
        values,
        tuple(
            Axis(name, labels.get(name) or numbered(size))
            for name, size in zip(spec.axes, values.shape, strict=True)
        ),
    )


def words(shown: Shown, request: Request) -> Extra:
    """The word that each step of hard attention is judged by: the right one, where it is typed."""
    if shown.reader.id != HARD:
        return Extra()
    model = able(shown.reader.model, Seq2seq)
    trace = cache.trace_of(shown)
    if "encoder.hidden" not in trace:  # nothing was read
        return Extra()
    found = _choices(model, trace)
    return Extra({"hard": {"words": [model.tokenizer.vocab[id] for id in found.word_T]}})
