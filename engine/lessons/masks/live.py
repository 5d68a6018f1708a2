"""The live part of the page on masks: a Transformer under its own mask and under a chosen one, on the typed text,
and a gallery of patterns.

Shapes: T = tokens that look, S = tokens looked at
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import Any

import numpy as np

from engine.analysis.measure import surprisal
from engine.core import device
from engine.core.cache import Cache
from engine.core.trace import Axis, Field, FieldSpec, Kind
from engine.frame import picture as pic
from engine.lessons.masks import imposed
from engine.lessons.masks.imposed import WAYS, Mask, Masked
from engine.lessons.masks.patterns import PATTERNS, SPARSE, may, reach
from engine.live import cache, declared, placement, reply
from engine.live.drawing import Drawing, Look, Traces, with_entries
from engine.live.reply import Extra, Reading, Sent
from engine.live.request import Asks, Request
from engine.live.shown import Shown
from engine.live.stage import Stage, standard
from engine.models.abilities import able
from engine.models.transformer import Transformer
from engine.runs.store import Run

LONGEST = 40  # tokens shown: every cell has room for the pointer
READER = "transformer"
SHOWN = ("causal", "below", "none", "padding", *SPARSE, "top")
GALLERY = ("causal", *SPARSE, "top")
DRAWN, DEPTH, SIZE = 24, 8, 4  # in the gallery: tokens, layers, and the size of a mask
LEAST = 0.0005  # of a weight: more of it on a hidden token is shown all the same
SEEN = FieldSpec(
    "mask.attention",
    Kind.ATTENTION,
    ("query", "key"),
    "Weights of one head under this mask.",
    "α",
    causal=False,
)
OF_TOKENS = [
    FieldSpec(name, Kind.LOSS, ("token",), says, causal=False)
    for name, says in (
        ("own", "Bits of the next token under the model's own mask."),
        ("cost", "Bits of the next token under this mask."),
        ("most", "The key of the largest weight."),
    )
]
_answers: Cache[Any, Masked] = Cache("masked", attrgetter("size_bytes"))


def once(model: Transformer) -> pic.Once:
    """Each pattern of the gallery: pairs that it allows, and after how many layers what stands at one token
    can have come to another."""
    design = model.tower.design
    numbers = {"layer": design.layers, "head": design.heads, "row": DRAWN, "column": DRAWN}
    labels = {axis: [str(n + 1) for n in range(size)] for axis, size in numbers.items()}
    open_PTS = np.array([may(pattern, DRAWN, SIZE) for pattern in SHOWN])
    steps_PTS = np.array([reach(open_TS, DEPTH) for open_TS in open_PTS])
    shade_PTS = np.where(steps_PTS, 1 - 0.85 * (steps_PTS - 1) / DEPTH, np.nan)
    last_PS = steps_PTS[:, -1, :, None]
    heard_PL = ((last_PS > 0) & (last_PS <= np.arange(DEPTH + 1))).sum(1)
    sizes = [imposed.pairs(Mask(pattern, SIZE), DRAWN) for pattern in SHOWN]
    tables = {
        "reach": (("method", "row", "column"), shade_PTS, Kind.ATTENTION),
        "heard": (("method", "rank"), heard_PL, Kind.STATE),
        "share": (("method",), np.array(sizes) / (DRAWN * (DRAWN + 1) / 2), Kind.GATE),
    }
    return pic.Once(
        labels | {"method": SHOWN, "way": [*WAYS], "word": model.tokenizer.vocab},
        {"method": [PATTERNS[id].title for id in SHOWN], "way": [*WAYS.values()]},
        tuple(
            (FieldSpec(name, kind, axes, ""), values.astype(np.float32))
            for name, (axes, values, kind) in tables.items()
        ),
    )


LAB = pic.Picture(
    "masklab",
    pic.Matrix(
        "mask.attention", "token", "key", "attention weight", frame=("#token", "#key"), widest=40
    ),
    "Who may look at whom",
    "{method:called}, seen from “{token}”: layer {layer}, head {head}",
    "A row looks, a column is looked at; grey is forbidden. Choose a mask, its size, and how a hidden pair is hidden.",
    (
        "{?lost>0}No numbers are left for {lost:n} of {predictions:n} predictions: 0 times no number is no number, for"
        " all who look there.",
        "{pairs:n} of {all:n} pairs are allowed.[ Bits per token: {mean.own} under its own mask, {mean} under this"
        " one.][{?empty>0} {empty:n} {empty|token|tokens} may look at nobody.][{?leak>0.00001} The future is seen:"
        " with another last token, a probability before it moves by up to {leak:%}.][ Expected next: “{next:word}”,"
        " {next.p:%}.][ “{token}” gives “{key}” {mask.attention:%} in this head.]",
        "Type a sentence.",
    ),
    controls=(
        pic.Pick("method", aria="Mask", asks=True),
        pic.Amount("size", 1, 16, 1, SIZE, "Size: {size}", asks=True),
        pic.Pick("way", "with", aria="How a hidden pair is hidden", label="hide by", asks=True),
        pic.Pick("layer", label="layer", asks=True),
        pic.Pick("head", label="head", asks=True),
    ),
    side="left",
    table=pic.table("key", "looks: {token} | looked at: {key} | weight: [{mask.attention:%}]"),
)
COST = pic.Picture(
    "cost",
    pic.Over(
        (
            pic.Line("own", "text", "under its own mask"),
            pic.Line("cost", "accent", "under this mask", dots=2),
        ),
        scale="number",
        high=260,
        widest=74,
    ),
    "What the next token costs",
    "What the token behind “{token}” costs, in bits",
    "The surprisal of each next token under the mask that the model was trained with, and under the one above. A low"
    " loss alone says nothing: it may be that the future was seen.",
    (
        "Behind “{token}”: {own} bits under its own mask[, {cost} under this one].",
        "Behind the last token nothing has come yet; {tokens} {tokens|token|tokens} so far.",
    ),
    side="right",
    table=pic.table("token", "behind: {token} | own mask, bits: {own} | this mask, bits: {cost}"),
)
EACH = pic.Picture(
    "gallery",
    pic.Multiples(("method",), "reach", "row", "column", name="{method:called}"),
    "A gallery of patterns",
    says="Strong: looked at directly. Weaker: reached through more layers, for what a token has read it hands on."
    " Of size 4, over 24 tokens. Click a pattern to put it on the model above.",
    tell="{method:called}: {share:%} of the pairs of the causal mask. After {times} {times|layer|layers} the last token"
    " has heard of {heard[rank=times]:n} of 24.",
    controls=(pic.Amount("times", 1, DEPTH, 1, 3, "Layers: {times}"),),
    table=pic.table(
        "method",
        "pattern: {method:called} | pairs: {share:%} | heard of after 1 layer: {heard[rank=1]:n}"
        " | after 3: {heard[rank=3]:n} | after 8: {heard[rank=8]:n}",
    ),
)
PICTURES = pic.Live(
    (),
    (LAB, COST, EACH),
    once,
    also=("probability",),
    places={
        "method": pic.Place("pattern"),
        "layer": pic.Place("layer", first=1),
        "head": pic.Place("head"),
        "key": pic.Place("other", "most"),
    },
    top="",
    most=300,
)


def stage(run: Run) -> Stage:
    """ValueError for a run without softmax attention."""
    model = cache.model(run, Transformer)
    if model.config.kernel != "softmax":
        raise ValueError("This page shows softmax attention, but this run uses another kind")
    made = declared.stage(PICTURES, run, READER)
    ((reader, _),) = made.readers
    reader = replace(reader, derived=(SEEN, *OF_TOKENS))
    lab, *others = made.panels
    panels = (replace(lab, figure=partial(drawn, model)), *others)
    return replace(made, readers=((reader, run),), panels=panels, longest=LONGEST, read=read)


def read_mask(asked: Asks) -> Mask:
    """The mask that is chosen; the model's own where that makes no sense."""
    place, size, way = asked.whole("pattern") or 0, asked.whole("size"), asked.words("with")
    pattern = SHOWN[place] if 0 <= place < len(SHOWN) else SHOWN[0]
    return Mask(
        pattern, max(1, min(16, SIZE if size is None else size)), way if way in WAYS else "zero"
    )


def read(shown: Shown, request: Request) -> Reading:
    """The model's own surprisal, and what it makes of the text under the mask that is asked for."""
    if not (count := len(shown.part)):
        return standard(shown, request)
    model = able(shown.reader.model, Transformer)
    asked = request.link | request.asks
    mask = read_mask(asked)
    layer, head = find_head(asked, model)
    # in one run with the model's own mask, unless that begins before what is shown, or elsewhere
    beside = not shown.window[0] and device.gpu() is None
    then = shown.before.part.ids if shown.before else None
    masked = placement.answer_on(
        shown.run,
        model,
        count,
        lambda by: run_masked(shown.run, model, shown.part.ids, mask, beside, then),
    )
    own_T = surprisal(cache.trace_of(shown)) if masked.own_T is None else masked.own_T
    part = reply.outline(shown, shown.keep)
    part["bits"] = reply.listed_bits(own_T[shown.keep :])
    part["top"] = [[] for _ in part["bits"]]
    fields = fields_of(shown.part.labels, mask, masked, own_T, layer, head)
    return Reading(part, fields).add(Extra({"numbers": numbers(mask, masked, own_T, count)}))


def find_head(asked: Asks, model: Transformer) -> tuple[int, int]:
    """The layer and the head that are chosen."""
    design = model.tower.design
    layer, head = (
        max(0, min(first if (at := asked.whole(name)) is None else at, size - 1))
        for name, first, size in (("layer", 1, design.layers), ("head", 0, design.heads))
    )
    return layer, head


def drawn(model: Transformer, traces: Traces, look: Look) -> Drawing:
    """A `Panel.figure`: the weights of the chosen head under the chosen mask."""
    trace, asked = traces[READER], Asks(look)
    mask, (layer, head) = read_mask(asked), find_head(asked, model)
    masked, own_T = imposed.run(model, trace.ids, mask), surprisal(trace)
    field = fields_of(trace.tokens, mask, masked, own_T, layer, head)[0].field
    return Drawing(READER, "heatmap", with_entries(trace, field), (SEEN.name,))


def fields_of(
    labels: tuple[str, ...], mask: Mask, masked: Masked, own_T: np.ndarray, layer: int, head: int
) -> tuple[Sent, ...]:
    """The weights of one head, nan where a pair is hidden; what each next token costs."""
    weight_TS = masked.attention_LNTS[layer, head]
    seen_TS = np.where(mask.may(len(labels)) | (weight_TS > LEAST), weight_TS, np.nan)
    costs = [np.append(bits_T[1:], np.nan) for bits_T in (own_T, masked.bits_T)]
    most_T = np.nan_to_num(seen_TS, nan=-1).argmax(1)
    token = (Axis("token", labels),)
    return (
        Sent(Field(SEEN, seen_TS.astype(np.float32), (Axis("query", labels), Axis("key", labels)))),
        *(
            Sent(Field(spec, of_T.astype(np.float32), token))
            for spec, of_T in zip(OF_TOKENS, (*costs, most_T), strict=True)
        ),
    )


def numbers(mask: Mask, masked: Masked, own_T: np.ndarray, count: int) -> dict[str, float | None]:
    """What is said of the mask; None where there is no number."""
    p_V, gone = masked.p_V, bool(np.isnan(masked.p_V).any())
    found = {
        "pairs": imposed.pairs(mask, count),
        "all": count**2,
        "empty": int((~mask.may(count).any(1)).sum()),
        "lost": int(np.isnan(masked.bits_T[1:]).sum()),
        "predictions": count - 1,
        "mean": masked.mean,
        "mean.own": float(own_T[1:].mean()) if count > 1 else np.nan,
        "leak": masked.leak,
        "next": np.nan if gone else int(p_V.argmax()),
        "next.p": np.nan if gone else float(p_V.max()),
    }
    return {name: None if np.isnan(value) else value for name, value in found.items()}


def run_masked(
    run: Run,
    model: Transformer,
    ids_T: np.ndarray,
    mask: Mask,
    beside: bool = False,
    before_T: np.ndarray | None = None,
) -> Masked:
    """`imposed.run`, kept; it goes on from the text `before_T` where that is kept."""

    def key(ids_T: np.ndarray) -> Any:
        return (*run.key, ids_T.tobytes(), mask, beside)

    def made() -> Masked:
        before = None if before_T is None else _answers.get(key(before_T))
        return imposed.run(model, ids_T, mask, beside, before)

    return _answers.made(key(ids_T), made)


LIVE = stage
