"""The Transformer page: all stops of the forward pass over the typed tokens, the lens after every
layer, and who pushed the answer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from engine.core.trace import Axis, Field, FieldSpec, Kind, Table, Trace
from engine.frame import picture as pic
from engine.language.message import _
from engine.lessons import looked
from engine.lessons.transformer import lens
from engine.lessons.transformer.stops import reach, scales, stops, vectors
from engine.live import cache, declared
from engine.live.drawing import Drawing, Look, Traces, picked, with_entries
from engine.live.reader import Reader
from engine.live.reply import Reading, Sent
from engine.live.request import Request
from engine.live.shown import Shown
from engine.live.stage import Panel, Stage, standard
from engine.models.abilities import Attends, able
from engine.runs.store import Run

READER = "transformer"
ROOM_BYTES = 6_000_000  # of vectors sent at once: fewer tokens are shown of a wider model
READ = FieldSpec(
    "lens.probability",
    Kind.STATE,
    ("step", "token"),
    "Probability of the final answer, read out after every layer.",
    "p",
    domain=(-1, 1),
)
RANK = FieldSpec(
    "lens.rank",
    Kind.COUNT,
    ("step", "token"),
    "Rank of the final answer among all words, read out after every layer.",
    "r",
)
WORD = FieldSpec(
    "lens.word", Kind.COUNT, ("step", "token"), "The likeliest word after every layer."
)
FIRST = FieldSpec("lens.first", Kind.STATE, ("step", "token"), "Its probability there.", "p")
WORTH = FieldSpec(
    "lens.worth", Kind.STATE, ("step", "token"), "How much each layer moves the final answer."
)
SINCE = FieldSpec(
    "lens.since", Kind.COUNT, ("token",), "From this depth on the final answer is the likeliest."
)
ANSWER = FieldSpec("answer", Kind.COUNT, ("token",), "The word that the model answers.")
LOGIT = FieldSpec("logit", Kind.STATE, ("token",), "The logit of the answer.", "l")
PUSH = FieldSpec(
    "push",
    Kind.SCORE,
    ("label", "token"),
    "How much each block adds to the logit of the answer, relative to the mean of all tokens.",
    "d",
    domain=(-8, 8),
)
BLOCKS = replace(PUSH, name="push.block", axes=("layer", "column", "token"))
TOTAL = FieldSpec("push.total", Kind.STATE, ("token",), "All pushes together.", "d")
DERIVED = (READ, RANK, WORD, FIRST, WORTH, SINCE, ANSWER, LOGIT, PUSH, BLOCKS, TOTAL)


def once(model: Attends[Any]) -> pic.Once:
    design = model.tower.design
    depths = range(design.layers + 1)
    labels = {
        "step": [str(n) for n in depths],
        "layer": [str(n) for n in depths[1:]],
        "column": [*(f"h{n}" for n in range(1, design.heads + 1)), "bias", "FFN"],
        "label": [str(n) for n in range(len(lens.parts(model)))],
        "word": model.tokenizer.vocab,
    }
    called = {
        "step": ["embedding", *(_("layer {n}", n=n) for n in depths[1:])],
        "layer": [_("layer {n}", n=n) for n in depths[1:]],
        "label": lens.parts(model),
    }
    return pic.Once(labels, called)


WANTED = "Type a word."
LATER = "{?tokens>0}The layers are read out as soon as you pause."
LENS = pic.Picture(
    "lens",
    pic.Columns(
        pic.Rows("step", fold=pic.Fold("lens.worth", 12, 16, ends=True)),
        (
            pic.Words("would answer", "{lens.word:word} {lens.first:%}"),
            pic.Column("final answer", "lens.probability"),
            pic.Words("its rank", "{lens.rank:n}", wide=0.4),
        ),
    ),
    "What each layer would predict (logit lens)",
    says="The part that reads out the last layer, applied to the stream after every layer: the likeliest word there,"
    " and the probability and the rank of the word that it answers in the end.[ {?folded}Shown are the embedding, the"
    " last layer, and those between them that change the answer most.]",
    tell=(
        "{?folded}At “{token}” it answers “{answer:word}”, {top.p:%}.[ {?lens.since>0}It is the likeliest word from"
        " layer {lens.since:step} on.]",
        "At “{token}” it answers “{answer:word}”. Its probability, layer by layer: {each}.",
        LATER,
        WANTED,
    ),
    side="left",
    parts={"each": pic.Series("step", "{lens.probability:%}", " → ")},
    table=pic.table(
        "token step",
        "token: {token} | after: {step:called} | would answer: {lens.word:word} | probability: {lens.first:%}"
        " | final answer: {answer:word} | its probability: {lens.probability:%} | rank: {lens.rank:n}",
    ),
)
PUSHES = pic.Picture(
    "pushes",
    pic.Matrix("push.block", "layer", "column", "added to the logit", number="digits", widest=110),
    "Direct logit attribution",
    says="How much each head (h) and each feed-forward block (FFN) adds to the logit of the answer, relative to the"
    " mean of all tokens. With the embeddings and the bias of the output they add up to the total.",
    tell=(
        "The logit of “{answer:word}” is {push.total} above the mean of all tokens. Most comes from {most}.",
        LATER,
        WANTED,
    ),
    parts={"most": pic.Series("label", "{label:called} ({push})", ", ", 4, by="push")},
    table=pic.table("label", "part: {label:called} | adds to the logit: {push}"),
)
PICTURES = pic.Live((), (LENS, PUSHES), once)


def read(shown: Shown, request: Request) -> Reading:
    """The reader's part of a reply, with what each layer would answer at every new token and what pushed
    the answer; of a slow lens only at the token that is asked for in a moment of rest, nan elsewhere."""
    model = able(shown.reader.model, Attends)
    found = standard(shown, replace(request, whole=None))
    trace = cache.trace_of(shown) if lens.has_lens(model) else None
    if trace is None or not len(trace):
        return found
    keep, stop = found.part["keep"], len(trace.tokens)
    first, end = keep, stop
    if lens.is_slow(model):
        at = -1 if request.whole is None else request.whole - shown.window[0]
        first, end = (at, at + 1) if 0 <= at < stop else (keep, keep)
        keep = min(keep, first)
    fields = (
        _padded(field, first - keep, stop - end) for field in read_lens(model, trace, first, end)
    )
    return Reading(found.part, (*found.fields, *(Sent(field, keep) for field in fields)))


def _padded(field: Field, before: int, after: int) -> Field:
    """With so many tokens around it whose numbers are not read: nan."""
    if not (before or after):
        return field
    *axes, token = field.axes
    around = [(0, 0)] * len(axes) + [(before, after)]
    values = np.pad(field.values, around, constant_values=np.nan)
    labels = ("",) * before + tuple(token.labels) + ("",) * after
    return Field(field.spec, values, (*axes, replace(token, labels=labels)))


def read_lens(model: Attends[Any], trace: Trace, first: int, stop: int) -> list[Field]:
    """The lens and the pushes of the tokens from `first` to `stop`."""
    fresh = lens.part(trace, first, stop)
    found = lens.depths(model, lens.streams(fresh))
    token = Axis("token", fresh.tokens)
    step = Axis("step", tuple(map(str, range(len(found.p_LT)))))
    each = (
        (READ, found.p_LT),
        (RANK, found.rank_LT),
        (WORD, found.id_LTk[:, :, 0]),
        (FIRST, found.p_LTk[:, :, 0]),
    )
    # what each adds to the logit; where the stream is no sum, by how many bits the probability changes
    bits_LT = np.log2(np.maximum(found.p_LT, 1e-30, dtype=np.float64))
    worth_LT = np.abs(np.diff(bits_LT, axis=0, prepend=bits_LT[:1]))
    fields = [Field(spec, values.astype(np.float32), (step, token)) for spec, values in each]
    fields += [
        Field(spec, values.astype(np.float32), (token,))
        for spec, values in (
            (ANSWER, found.answer_T),
            (LOGIT, found.logit_T),
            (SINCE, since(found.rank_LT)),
        )
    ]
    if lens.has_pushes(model):
        push_PT = lens.pushes(model, fresh, found.answer_T)
        # behind the token and its place all of a layer after another, and last the bias of the output
        block_LCT = push_PT[2:-1].reshape(
            len(found.p_LT) - 1, model.tower.design.heads + 2, stop - first
        )
        named = (
            Axis(n, tuple(map(str, range(s))))
            for n, s in zip(BLOCKS.axes, block_LCT.shape, strict=False)
        )
        fields += [
            Field(PUSH, push_PT, (Axis("label", lens.parts(model)), token)),
            Field(BLOCKS, block_LCT, (*[*named][:2], token)),
            Field(TOTAL, push_PT.sum(0), (token,)),
        ]
        worth_LT = np.abs(np.vstack([push_PT[:2].sum(0), block_LCT.sum(1)]))
    return [*fields, Field(WORTH, worth_LT.astype(np.float32), (step, token))]


def since(rank_LT: np.ndarray) -> np.ndarray:
    """From which depth on the final answer is the likeliest (T)."""
    later_LT = np.logical_and.accumulate(rank_LT[::-1] == 1)[::-1]
    depth_T: np.ndarray = later_LT.argmax(0)
    return depth_T


def stage(run: Run) -> Stage:
    return open_stage(run, cache.model(run, Attends))


def open_stage(run: Run, model: Attends[Any]) -> Stage:
    walk = stops(model)
    sent = tuple(dict.fromkeys(stop["field"] for stop in walk if "field" in stop))
    reader = Reader(
        READER,
        run.title,
        model,
        run.id,
        "tokens",
        sent,
        top=foretells(model),
        derived=DERIVED,
        more={"here": not model.causal, **declared.pack_once(PICTURES, once(model))},
        also=lens.NEEDS,
    )
    tower, most = model.tower, 900
    room = ROOM_BYTES // (4 * tower.design.width * (4 * tower.design.layers + 2))
    options = {"stops": walk, "norms": scales(model), "reach": reach(run, model)}
    title = "The path of one token through the model"
    panels = [Panel("flow", "flow", title, "", options, drawn_flow(model, walk))]
    late = ANSWER.name if lens.is_slow(model) else ""
    read_out = declared.panel(replace(LENS, late=late), READER, model)
    pushed = declared.panel(replace(PUSHES, late=late), READER, model)
    if lens.has_lens(model):
        tops = picked(READER, "bars", [reader.top], ["token"], top=12)
        title = "Next token" if model.causal else "The word here"
        options = {"column": "right", "words": True, "most": 8}
        panels += [
            replace(read_out, figure=drawn_lens(model)),
            Panel("next", "bars", title, "", options, tops),
        ]
    if lens.has_pushes(model):
        panels.append(replace(pushed, figure=drawn_pushes(model)))
    return Stage(
        ((reader, run),),
        tuple(panels),
        most=max(40, min(most, 4 * room)),
        selection={"stop": 0},
        vertical={"name": "stop", "size": len(walk)},
        columns=(7, 6),
        read=read,
    )


def foretells(model: Attends[Any]) -> str:
    """The field with the words that the model expects, after each token or at each place; empty
    where it expects none."""
    if not lens.has_lens(model):
        return ""
    return "probability" if model.causal else "fill"


def drawn_flow(model: Attends[Any], walk: list[dict[str, Any]]) -> Any:
    def make(traces: Traces, look: Look) -> Drawing:
        trace = traces[READER]
        t = looked.token(trace, look)
        values = vectors(model, trace, t, walk)
        stops = (f"{n} {stop['title']}" for n, stop in enumerate(walk, 1) if "words" not in stop)
        axes = {"label": stops, "unit": range(values.shape[1])}
        says = _(
            "The vector of “{tokens}” at every stop of the forward pass", tokens=trace.tokens[t]
        )
        field = Field.of("flow", Kind.STATE, axes, values, says, domain=(-6, 6))
        return Drawing(READER, "heatmap", with_entries(trace, field), ("flow",))

    return make


def drawn_lens(model: Attends[Any]) -> Any:
    def make(traces: Traces, look: Look) -> Drawing:
        trace = traces[READER]
        fields = read_lens(model, trace, 0, len(trace.tokens))
        return Drawing(READER, "heatmap", with_entries(trace, *fields), (READ.name,))

    return make


def drawn_pushes(model: Attends[Any]) -> Any:
    def make(traces: Traces, look: Look) -> Drawing:
        trace = traces[READER]
        fields = {field.spec.name: field for field in read_lens(model, trace, 0, len(trace.tokens))}
        t, steps = looked.token(trace, look), fields[PUSH.name].axes[0].labels
        push_P = fields[PUSH.name].values[:, t].astype(float)
        ends = np.cumsum(push_P)
        answer = model.tokenizer.vocab[int(fields[ANSWER.name].values[t])]
        says = _(
            "How the logit of “{answer}” rises above the mean of all tokens, part by part",
            answer=answer,
        )
        columns = {"step": steps, "before": ends - push_P, "after": ends}
        drawn = with_entries(trace, Table.of("pushes", says, columns))
        options = {"axis": "logit above the mean"}
        return Drawing(READER, "waterfall", drawn, ("pushes",), options=options)

    return make


LIVE = stage
