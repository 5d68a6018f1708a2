"""The live part of the page on masks: a gallery of patterns, and a Transformer under its own mask and under a
chosen one, on the typed text.

Shapes: T = tokens that look, S = tokens looked at
"""

from __future__ import annotations

import re
from functools import partial
from operator import attrgetter
from typing import Any

import numpy as np

from engine.core import device
from engine.core.cache import Cache
from engine.core.trace import Axis, Field, FieldSpec, Kind
from engine.lessons.masks import imposed
from engine.lessons.masks.imposed import WAYS, Mask, Masked
from engine.lessons.masks.patterns import MOST, PATTERNS, SPARSE
from engine.live import cache, placement, reply
from engine.live.drawing import Drawing, Look, Traces, with_entries
from engine.live.reader import Reader, describe_field
from engine.live.reply import Extra, Reading, Sent
from engine.live.request import Asks, Request
from engine.live.shown import Shown
from engine.live.stage import Panel, Stage, standard
from engine.models.abilities import able
from engine.models.transformer import Transformer
from engine.runs.store import Run

LONGEST = 40  # tokens shown: every cell has room for the pointer
READER = "transformer"
GALLERY = ("causal", *SPARSE, "top")
SHOWN = ("causal", "below", "none", "padding", *SPARSE, "top")
DRAWN = 24  # tokens of a picture in the gallery
FIRST = Mask()
RULES = re.compile(
    r"([a-z]{1,12})\.(\d{1,2})\.([a-z0-9]{1,6})"
)  # as assets/live/sums/masks.js writes them
PAIRS = ("query", "key")
MAY = FieldSpec("mask.may", Kind.GATE, PAIRS, "Pairs that the mask allows (1) or not (0).", "M")
LOOK = FieldSpec(
    "mask.attention",
    Kind.ATTENTION,
    PAIRS,
    "Weights of one head under this mask.",
    "α",
    causal=False,
)
LAYERS = FieldSpec("reach", Kind.ATTENTION, PAIRS, "Layers that a way takes.")
_answers: Cache[Any, Masked] = Cache("masked", attrgetter("size_bytes"))


def read_rules(rules: str, flips: str) -> Mask:
    """What the address says; the model's own mask where it makes no sense."""
    found = RULES.fullmatch(rules)
    if not found or found[1] not in PATTERNS or found[3] not in WAYS:
        return FIRST
    cells = [cell.split(".") for cell in flips[:200].split("_")]
    pairs = [(int(t), int(s)) for t, s in (c for c in cells if len(c) == 2) if (t + s).isdecimal()]
    size = max(1, min(MOST, int(found[2])))
    return Mask(found[1], size, found[3], frozenset(p for p in pairs if max(p) < LONGEST))


def stage(run: Run) -> Stage:
    """ValueError for a run without softmax attention."""
    model = cache.model(run, Transformer)
    if model.config.kernel != "softmax":
        raise ValueError("This page shows softmax attention, but this run uses another kind")
    design = model.tower.design
    reader = Reader(
        READER,
        run.title,
        model,
        run.id,
        "tokens",
        top="",
        also=("probability",),
        derived=(MAY, LOOK),
        more={"layers": design.layers, "heads": design.heads},
    )
    first = f"{FIRST.pattern}.{FIRST.size}.{FIRST.way}"
    lab = Panel(
        "masklab",
        "masklab",
        "Who may look at whom",
        "A row looks, a column is looked at; grey is forbidden. Click a cell to turn it over. Beside each"
        " row what the next token costs.",
        {
            "reader": READER,
            "patterns": {id: [p.title, p.says, p.sized] for id in SHOWN for p in [PATTERNS[id]]},
            "ways": WAYS,
            "first": first,
            "largest": 16,
        },
        partial(drawn, model),
    )
    gallery = Panel(
        "gallery",
        "maskgallery",
        "Eight patterns",
        "Strong: looked at directly. Weaker: reached through more layers, for what a token has read it hands"
        " on. Click a pattern to put it on the model above.",
        {
            "reader": READER,
            "patterns": {id: [PATTERNS[id].title, PATTERNS[id].says] for id in GALLERY},
            "first": first,
            "drawn": DRAWN,
            "scale": describe_field(LAYERS)["scale"],
        },
    )
    return Stage(
        ((reader, run),),
        (lab, gallery),
        most=6 * LONGEST,
        longest=LONGEST,
        selection={"layer": min(1, design.layers - 1), "head": 0, "times": 3},
        read=read,
    )


def read(shown: Shown, request: Request) -> Reading:
    """The model's own surprisal, and what it makes of the text under the mask that is asked for."""
    if not len(shown.part):
        return standard(shown, request)
    model = able(shown.reader.model, Transformer)
    asked = request.asks.part("mask") or request.link
    mask = read_rules(asked.words("rules"), asked.words("masks"))
    design = model.tower.design
    layer, head = (
        _within(asked, name, size)
        for name, size in (("layer", design.layers), ("head", design.heads))
    )
    # in one run with the model's own mask, unless that begins before what is shown, or elsewhere
    beside = not shown.window[0] and device.gpu() is None
    then = shown.before.part.ids if shown.before else None
    masked = placement.answered(
        shown.run,
        model,
        len(shown.part),
        lambda by: under(shown.run, model, shown.part.ids, mask, beside, then),
    )
    if masked.own_T is None:
        found = standard(shown, request)
    else:
        part = reply.outline(shown, shown.keep)
        part["bits"] = reply.listed_bits(masked.own_T[shown.keep :])
        part["top"] = [[] for _ in part["bits"]]
        found = Reading(part)
    of = [mask.pattern, mask.size, mask.way, sorted(mask.flips), layer, head]
    named = [*of[:3], [list(pair) for pair in sorted(mask.flips)], *of[4:]]
    before = request.asks.get("mask_before", named if "mask" not in request.asks else None)
    same = before == named
    skip = shown.keep if same and masked.leak == 0 else 0
    fields = tuple(
        Sent(f, skip=skip) for f in fields_of(shown.part.labels, mask, masked, layer, head)
    )
    said = {
        "masked": {
            "of": of,
            "bits": reply.listed_bits(masked.bits_T),
            "pairs": imposed.pairs(mask, len(shown.part)),
            "leak": None if np.isnan(masked.leak) else masked.leak,
            "next": top(model, masked.p_V),
        }
    }
    return Reading(found.part, (*found.fields, *fields)).add(Extra(said))


def _within(asked: Asks, name: str, size: int) -> int:
    usual = 1 if name == "layer" else 0
    value = asked.whole(name)
    return max(0, min(usual if value is None else value, size - 1))


def under(
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


def top(model: Transformer, p_V: np.ndarray) -> list[list[Any]]:
    """What is expected after the last token: [label, probability]; nothing where no number is."""
    if np.isnan(p_V).any():
        return []
    vocab, most = model.tokenizer.vocab, min(5, len(p_V))
    best = np.sort(np.argpartition(-p_V, most - 1)[:most])
    return [[vocab[i], float(p_V[i])] for i in best[np.argsort(-p_V[best], kind="stable")].tolist()]


def fields_of(
    labels: tuple[str, ...], mask: Mask, masked: Masked, layer: int, head: int
) -> tuple[Field, ...]:
    axes = Axis("query", labels), Axis("key", labels)
    return (
        Field(MAY, mask.may(len(labels)).astype(np.float32), axes),
        Field(LOOK, masked.attention_LNTS[layer, head], axes),
    )


def drawn(model: Transformer, traces: Traces, look: Look) -> Drawing:
    """A `Panel.figure`: the mask, and the weights of the chosen head under it."""
    trace, asked = traces[READER], Asks(look)
    mask = read_rules(asked.words("rules"), asked.words("masks"))
    design = model.tower.design
    layer, head = (
        _within(asked, name, size)
        for name, size in (("layer", design.layers), ("head", design.heads))
    )
    fields = fields_of(trace.tokens, mask, imposed.run(model, trace.ids, mask), layer, head)
    return Drawing(READER, "heatmap", with_entries(trace, *fields), (LOOK.name, MAY.name))


LIVE = stage
