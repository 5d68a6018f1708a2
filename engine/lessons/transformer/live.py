"""The Transformer page: all stops of the forward pass over the typed tokens, the lens after every
layer, and who pushed the answer."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.core.trace import Axis, Field, FieldSpec, Kind, Table, Trace
from engine.lessons import looked
from engine.lessons.transformer import lens
from engine.lessons.transformer.stops import reach, scales, stops, vectors
from engine.live import cache
from engine.live.drawing import Drawing, Look, Traces, picked, with_entries
from engine.live.reader import Reader
from engine.live.reply import Extra
from engine.live.request import Request
from engine.live.shown import Shown
from engine.live.stage import Panel, Stage
from engine.models.abilities import Attends, able
from engine.runs.store import Run

ROOM_BYTES = 6_000_000  # of vectors sent at once: fewer tokens are shown of a wider model
READ = FieldSpec(
    "lens.probability",
    Kind.STATE,
    ("layer", "token"),
    "Probability of the final answer, read out after every layer.",
    "p",
    domain=(-1, 1),
)
RANK = FieldSpec(
    "lens.rank",
    Kind.COUNT,
    ("layer", "token"),
    "Rank of the final answer among all words, read out after every layer.",
    "r",
)
PUSH = FieldSpec(
    "push",
    Kind.SCORE,
    ("label", "token"),
    "How much each block adds to the logit of the answer, relative to the mean of all tokens.",
    "d",
    domain=(-8, 8),
)


def followed(shown: Shown, request: Request) -> Extra:
    """For every new token, what each layer would answer and what pushed the answer."""
    model = able(shown.reader.model, Attends)
    if not lens.has_lens(model):
        return Extra()
    trace = cache.trace_of(shown)
    if not len(trace):
        return Extra()
    fields, notes = told(model, trace, shown.keep)
    return Extra(notes=notes, fields=tuple(fields))


def told(model: Attends[Any], trace: Trace, keep: int) -> tuple[list[Field], list[dict[str, Any]]]:
    """What is said of the tokens from `keep` on: the lens and the pushes as fields, the words as
    notes."""
    fresh = lens.tail(trace, keep)
    found, vocab = lens.depths(model, lens.streams(fresh)), model.tokenizer.vocab
    axes = (Axis("layer", tuple(map(str, range(len(found.p_LT))))), Axis("token", fresh.tokens))
    fields = [Field(READ, found.p_LT, axes), Field(RANK, found.rank_LT, axes)]
    if lens.has_pushes(model):
        push_PT = lens.pushes(model, fresh, found.answer_T)
        fields.append(Field(PUSH, push_PT, (Axis("label", lens.parts(model)), axes[1])))
    notes = [
        {
            "answer": vocab[answer],
            "logit": round(float(found.logit_T[t]), 4),
            "lens": [
                [[vocab[i], float(f"{p:.4g}")] for i, p in zip(ids[t].tolist(), ps[t], strict=True)]
                for ids, ps in zip(found.id_LTk, found.p_LTk, strict=True)
            ],
        }
        for t, answer in enumerate(found.answer_T.tolist())
    ]
    return fields, notes


def stage(run: Run) -> Stage:
    return opened(run, cache.model(run, Attends))


def opened(run: Run, model: Attends[Any]) -> Stage:
    derived = (READ, RANK, PUSH)
    walk = stops(model)
    sent = tuple(dict.fromkeys(stop["field"] for stop in walk if "field" in stop))
    reader = Reader(
        "transformer",
        run.title,
        model,
        run.id,
        "tokens",
        sent,
        top=foretells(model),
        most=12,
        derived=derived,
        more={"here": not model.causal},
        also=lens.NEEDS,
    )
    tower, most = model.tower, 900
    room = ROOM_BYTES // (4 * tower.design.width * (4 * tower.design.layers + 2))
    panels = [
        Panel(
            "flow",
            "flow",
            "The path of one token through the model",
            "",
            {"stops": walk, "norms": scales(model), "reach": reach(run, model)},
            drawn_flow(model, walk),
        ),
    ]
    if lens.has_lens(model):
        reads = "The last norm and the output weights"
        if model.output() is None:
            reads = "The part that guesses masked words"
        says = (
            f"{reads}, applied to the stream after every layer. Framed: the final answer; bar: its"
            " probability there."
        )
        predicts = "What each layer would predict (logit lens)"
        title = "Next token" if model.causal else "The word here"
        column = "left" if lens.has_pushes(model) else "right"
        options = {"column": column, "words": True, "most": 8}
        tops = picked("transformer", "bars", [reader.top], ["token"], top=12)
        panels += [
            Panel("lens", "lens", predicts, says, {"column": "left"}, drawn_lens(model)),
            Panel("next", "bars", title, "", options, tops),
        ]
    if lens.has_pushes(model):
        says = (
            "How much each block adds to the logit of the answer, relative to the mean of all"
            " tokens. The bars add up to the total. Small cells: single heads."
        )
        options = {"column": "right", "layers": tower.design.layers, "heads": tower.design.heads}
        title, figure = "Direct logit attribution", drawn_pushes(model)
        panels.append(Panel("pushes", "pushes", title, says, options, figure))
    vertical = {"name": "stop", "size": len(walk)}
    return Stage(
        ((reader, run),),
        tuple(panels),
        most=max(40, min(most, 4 * room)),
        selection={"stop": 0},
        vertical=vertical,
        columns=(7, 6),
        extras=followed,
    )


def foretells(model: Attends[Any]) -> str:
    """The field with the words that the model expects, after each token or at each place; empty
    where it expects none."""
    if not lens.has_lens(model):
        return ""
    return "probability" if model.causal else "fill"


def drawn_flow(model: Attends[Any], walk: list[dict[str, Any]]) -> Any:
    def make(traces: Traces, look: Look) -> Drawing:
        trace = traces["transformer"]
        t = looked.token(trace, look)
        values = vectors(model, trace, t, walk)
        stops = (f"{n} {stop['title']}" for n, stop in enumerate(walk, 1) if "words" not in stop)
        axes = {"label": stops, "unit": range(values.shape[1])}
        says = f"The vector of “{trace.tokens[t]}” at every stop of the forward pass"
        field = Field.of("flow", Kind.STATE, axes, values, says, domain=(-6, 6))
        return Drawing("transformer", "heatmap", with_entries(trace, field), ("flow",))

    return make


def drawn_lens(model: Attends[Any]) -> Any:
    def make(traces: Traces, look: Look) -> Drawing:
        trace = traces["transformer"]
        fields, _ = told(model, trace, 0)
        return Drawing("transformer", "heatmap", with_entries(trace, *fields), (READ.name,))

    return make


def drawn_pushes(model: Attends[Any]) -> Any:
    def make(traces: Traces, look: Look) -> Drawing:
        trace = traces["transformer"]
        fields, notes = told(model, trace, 0)
        t = looked.token(trace, look)
        push_P = fields[-1].values[:, t].astype(float)
        ends = np.cumsum(push_P)
        steps = fields[-1].axes[0].labels
        answer = notes[t]["answer"]
        says = f"How the logit of “{answer}” rises above the mean of all tokens, part by part"
        columns = {"step": steps, "before": ends - push_P, "after": ends}
        drawn = with_entries(trace, Table.of("pushes", says, columns))
        options = {"axis": "logit above the mean"}
        return Drawing("transformer", "waterfall", drawn, ("pushes",), options=options)

    return make


LIVE = stage
