"""The live part of the lesson on heads: all of them small, the opened one in full and as lines, what it does, and how
far each of them spreads.

Shapes    L = layers, N = heads, T = tokens
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from engine.core.trace import FieldSpec, Kind, Trace
from engine.frame import picture as pic
from engine.language.message import refusal
from engine.lessons.heads import tags
from engine.live import cache, declared
from engine.live.stage import Stage
from engine.models.abilities import Looks
from engine.runs.store import Run

READER = "heads"
MEASURES = (
    ("entropy", "spread, in bits"),
    ("distance", "tokens away"),
    ("first", "weight on the first token"),
)


def once(run: Run, model: Looks[Any]) -> pic.Once:
    """What the heads were measured to do, where that is known; measuring begins otherwise."""
    found = tags.find_tags(run)
    labels = {
        axis: [str(n + 1) for n in range(size)]
        for axis, size in (("layer", model.depth), ("head", model.heads))
    }
    if found is None:
        return pic.Once(labels)
    made = {"score": found.score, "baseline": found.baseline, "z": found.z, "given": found.given()}
    tables = {name: np.moveaxis(np.asarray(of, float), 0, -1) for name, of in made.items()}
    axes = ("layer", "head", "tag")
    return pic.Once(
        labels
        | {"tag": [name.replace(", ", "/") for name in found.names]}
        | {"label": [tags.SAYS[name] for name in found.names]},
        {},
        (
            *((FieldSpec(name, Kind.GATE, axes, ""), of) for name, of in tables.items()),
            (FieldSpec("role", Kind.STATE, axes[:2], ""), tags.strongest(found)),
        ),
    )


def derive(model: Looks[Any], trace: Trace, asks: Mapping[str, object]) -> pic.Derived:
    """Means over all tokens but the first, which may have nothing else to look at; by token, of which with a key
    only the new ones are sent, what each head does at it."""
    most_LNT, other_LNT, *rows = _rows(model, trace)
    begun = int(most_LNT.shape[-1] > 1)
    head = ("layer", "head")
    means = (of_LNT[..., begun:].mean(-1) for of_LNT in rows)
    found: pic.Derived = dict(
        zip(("entropy", "distance", "first"), ((head, of) for of in means), strict=True)
    )
    most, other = ((("token", *head), np.moveaxis(of, -1, 0)) for of in (most_LNT, other_LNT))
    return {"most": most, "other": other, **found}


_last: WeakKeyDictionary[Looks[Any], tuple[np.ndarray, np.ndarray]] = WeakKeyDictionary()


def _rows(model: Looks[Any], trace: Trace) -> np.ndarray:
    """Of each row of weights (5, L, N, T): the key of the largest, the largest but those on the first token and on
    the token itself, their entropy in bits, how far they look on average, and the first of them.  Where no later
    token changes a row, those of the text before stay, as far as both begin alike."""
    keep, old = 0, None
    whole = model.causal and not trace.offset
    if whole and (found := _last.get(model)):
        ids, old = found
        count = min(len(ids), len(trace.ids))
        differs = np.flatnonzero(ids[:count] != trace.ids[:count])
        keep = int(differs[0]) if len(differs) else count
    weight_LNtT = trace.field("attention").rows(keep)
    place_T = np.arange(weight_LNtT.shape[-1])
    far_tT = np.abs(place_T[keep:, None] - place_T)
    bits_LNtT = np.log2(np.maximum(weight_LNtT, 1e-12))
    fresh = np.stack(
        [
            weight_LNtT.argmax(-1),
            np.where((place_T > 0) & (far_tT > 0), weight_LNtT, 0).max(-1),
            -np.einsum("lntk,lntk->lnt", weight_LNtT, bits_LNtT),
            np.einsum("lntk,tk->lnt", weight_LNtT, far_tT),
            weight_LNtT[..., 0],
        ]
    )
    made = fresh if old is None else np.concatenate([old[..., :keep], fresh], -1)
    if whole:
        _last[model] = trace.ids, made
    return made


WALL = pic.Picture(
    "wall",
    pic.Multiples(
        ("layer", "head"),
        "attention",
        "token",
        "key",
        legend="attention weight",
        name="{layer}.{head}[ {role:tag}]",
        fold=pic.Fold("other", 24, 64),
    ),
    "All heads of all layers",
    pic.If("folded", "{drawn} of {places} heads"),
    "Each small picture is a head: a row is a token that looks, a column a token looked at. Over it layer.head,"
    " and what the head does, if that is clear.[ {?folded}Here are the {drawn} of {places} heads in which the chosen"
    " token puts most weight on one other token, the first aside.] Click one to open it.",
    tell=(
        "Open is layer {layer}, head {head}[: {role:tag}]. At “{token}” most of its weight,"
        " {attention[key=most]:%}, goes to “{most:key}”.",
        "Type a few words.",
    ),
    side="left",
    table=pic.table(
        "layer head",
        "layer: {layer} | head: {head} | does: [{role:tag}] | spread, bits: {entropy}"
        " | tokens away: {distance} | on the first token: {first:%}",
    ),
    saves=pic.Saves(("attention",), view="multiples"),
)
OPEN = pic.Picture(
    "open",
    pic.Matrix("attention", "token", "key", "attention weight", frame=("#token", "#key")),
    "Opened head",
    "Layer {layer}, head {head}",
    "It looks {distance} tokens away on average, gives {first:%} to the first token, and spreads over {entropy} bits:"
    " means over all tokens but the first.",
    ("“{token}” puts {attention:%} of its weight on “{key}”.", "Type a few words."),
    side="right",
    table=pic.table("key", "looks: {token} | looked at: {key} | weight: {attention:%}"),
    saves=pic.Saves(("attention",), ("layer", "head"), "heatmap"),
)
ARCS = pic.Picture(
    "arcs",
    pic.Over((pic.Arcs("attention"),), scale="none", high=150, widest=90),
    "The same head as lines",
    "Where “{token}” looks: layer {layer}, head {head}",
    "From the token looked at a line to each token that it reads; the stronger, the larger the weight.",
    ("“{token}” looks at {best}.", "Type a few words."),
    side="left",
    parts={"best": pic.Series("key", "“{key}” {attention:%}", ", ", most=3)},
    table=pic.table("key", "looks: {token} | looked at: {key} | weight: {attention:%}"),
    saves=pic.Saves(("attention",), ("layer", "head"), "heatmap"),
)
TAGS = pic.Picture(
    "tags",
    pic.Columns(
        pic.Rows("tag", 14),
        (
            pic.Column("Weight on partners", "score"),
            pic.Column("Shuffled text", "baseline", colour="text", faint=True),
            pic.Words("Tag, z", "{?given>0}✓ {z}", 0.6),
        ),
    ),
    "What the opened head does",
    ("Layer {layer}, head {head}: {given.all}", "Layer {layer}, head {head}: no clear role"),
    "How much of its weight a token puts on its partners in each relation, on texts whose true relations are known,"
    " beside the same head on shuffled tokens. All tags, below, says what earns one.",
    (
        "“{tag}”, {label:called}: {score:%} of the weight, shuffled {baseline:%}, z = {z}.",
        "Not measured yet: below the pictures it says how far that is.",
    ),
    side="right",
    parts={"given.all": pic.Series("tag", "{?given>0}{tag}", ", ")},
    table=pic.table(
        "tag",
        "relation: {tag} | weight: {score:%} | shuffled: {baseline:%} | z: {z} | tag: {given:n}",
    ),
)
SPREAD = pic.Picture(
    "spread",
    pic.Matrix(
        "&measure",
        "layer",
        "head",
        "",
        "layer",
        shade="spread",
        number="digits",
        frame=("#layer", "#head"),
        widest=90,
    ),
    "How far each head spreads",
    "Each head: {measure}",
    "A row for each layer, a column for each head. 0 bits: all weight on one token. Click one to open it.",
    "Layer {layer}, head {head}: {entropy} bits, {distance} tokens away, {first:%} on the first token.",
    controls=(pic.Choice("measure", MEASURES, "entropy"),),
)
PLACES = {
    "layer": pic.Place("layer"),
    "head": pic.Place("head"),
    "key": pic.Place("other", "most"),
    "tag": pic.Place("tag", "role"),
    "label": pic.Place("tag", "role"),
}
PICTURES = pic.Live(
    ("attention",),
    (WALL, OPEN, ARCS, TAGS, SPREAD),
    derive=derive,
    places=PLACES,
    vertical="head",
    shades={"spread": FieldSpec("spread", Kind.STATE, (), "", domain=(0.0, 6.0))},
    top="",
    words=False,
    most=240,
)


def stage(run: Run) -> Stage:
    if not cache.model(run, Looks).heads:
        raise refusal("{run.title} has no attention weights that can be looked at")
    live = replace(PICTURES, once=partial(once, run))
    if tags.find_tags(run) is None:  # nothing is said of its role yet
        blank = replace(TAGS, title=OPEN.title)
        live = replace(live, pictures=tuple(blank if p is TAGS else p for p in live.pictures))
    made = declared.stage(live, run, READER)
    look = {"layer": 0, "head": 0, **run.note.get("look", {})}
    return replace(made, selection=look)


LIVE = stage
