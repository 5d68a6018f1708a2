"""The live part: a typed text and its twin, how far the right answer leads, what each part of the net adds to that, and
which ways it takes, every one of them cut and the net run anew with every key.

Shapes    S = senders, T = tokens
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from engine.core.trace import Trace
from engine.frame import picture as pic
from engine.lessons.circuits import behaviours
from engine.lessons.circuits.behaviours import Behaviour, Pair
from engine.lessons.circuits.circuit import Question, joint_effects
from engine.lessons.circuits.wires import ANSWER, EMBED, Wires, check
from engine.live import cache, declared
from engine.live.stage import Stage
from engine.models.abilities import Attends
from engine.models.base import Model
from engine.runs.store import Run

READER = "circuits"
LAYERS, HEADS = 3, 8  # of a net that is drawn
LEAST, LONGEST = 0.5, 48  # logits that can be told apart; tokens whose edges are cut with every key
LARGE = 30e6  # numbers of a net that is not opened with every key


def is_drawn(model: Attends[Any]) -> bool:
    design = model.tower.design
    return design.layers <= LAYERS and design.heads <= HEADS


def once(model: Model[Any]) -> pic.Once:
    wires = Wires(check(model))
    names = [*(node.short for node in wires.senders), "biases"]
    labels = {"part": names, "word": model.tokenizer.vocab}
    if is_drawn(wires.model):
        labels["wire"] = [f"{a.short} → {b.short}" for a, b in wires.layout.joints]
    return pic.Once(labels)


def deriving(behaviour: Behaviour) -> pic.Derive:
    def derive(model: Attends[Any], trace: Trace, asks: Mapping[str, object]) -> pic.Derived:
        if sum(p.numel() for p in model.net.parameters()) > LARGE:
            return {"beyond": ((), 1)}
        pair = None if trace.offset else behaviours.of_typed(model, behaviour, trace.text)
        return opened(model, trace, pair)

    return derive


def opened(model: Attends[Any], trace: Trace, pair: Pair | None) -> pic.Derived:
    """Without a twin the model's first answer stands against its second, and what is of a twin is none: a number that
    is not sent stays on the page."""
    wires = Wires(model)
    ids_T = np.asarray(trace.ids, np.int64)
    p_V = np.asarray(trace.field("probability").values[-1])
    first, second = np.argsort(-p_V, kind="stable")[:2]
    alone = Pair(ids_T, ids_T, int(first), int(second))
    of = Question(wires, behaviours.batch([pair or alone]))
    share_P = wires.direct(of.batch, of.clean)[:, 0]
    twin_P, (twin_T, lead_T) = np.full(len(share_P), np.nan), np.full((2, len(ids_T)), np.nan)
    effect_W = np.full(len(wires.layout.joints) if is_drawn(model) else 0, np.nan)
    found: dict[str, Any] = {
        "gap": ((), share_P.sum()),
        "right": ((), of.batch.right_B[0].item()),
        "wrong": ((), of.batch.wrong_B[0].item()),
    }
    if pair is not None:
        twin_P = wires.direct(of.batch, of.instead)[:, 0]
        twin_T, lead_T = pair.twin_T.astype(float), wires.leads(of.batch, of.instead)[0]
        span, long = float(share_P.sum() - twin_P.sum()), len(ids_T) > LONGEST
        found |= {
            "twin.gap": ((), twin_P.sum()),
            "span": ((), span),
            "long": ((), long),
            "alike": ((), span < LEAST),
        }
        if len(effect_W) and not long and span >= LEAST:
            effect_W = joint_effects(of)[:, 0] / span
    token, part, wire = ("token",), ("part",), ("wire",)
    return {
        **found,
        "share": (part, share_P),
        "size": (part, np.abs(share_P)),
        "twin.share": (part, twin_P),
        "own": (token, ids_T.astype(float)),
        "twin": (token, twin_T),
        "lead": (token, wires.leads(of.batch, of.clean)[0]),
        "twin.lead": (token, lead_T),
        **({"edge": (wire, effect_W)} if len(effect_W) else {}),
    }


BEYOND = "{?beyond>0}This net is too large to be opened with every key; the parts below read it when you ask."
ALONE = (
    "{?tokens>0}This text has no twin by the rule of this run: shown is its first answer, “{right:word}”, which leads"
    " its second, “{wrong:word}”, by {gap}."
)
WANTED = "Type a text."
PAIR = pic.Picture(
    "pair",
    pic.Lanes(
        (
            pic.Lane("Your text", "{token:short}", strong=True),
            pic.Lane("Its twin", "{twin:word}", when="span", mark="twin!=own"),
            pic.Lane("Lead", "{lead}"),
            pic.Lane("In the twin", "{twin.lead}", when="span"),
        ),
        (
            "After your text “{right:word}” leads “{wrong:word}” by {gap} (difference of the logits). After its"
            " twin, with another cause in the same place, it is {twin.gap}.",
            ALONE,
            BEYOND,
            WANTED,
        ),
    ),
    "A text and its twin",
    says="A twin is the same text with another cause of the answer, in as many tokens: so all else is alike. The lead"
    " is the difference of the logits behind each token.",
    tell=(
        "Behind “{token}” “{right:word}” leads by {lead}[, in the twin by {twin.lead}].",
        BEYOND,
        WANTED,
    ),
    table=pic.table(
        "token",
        "text: {token} | twin: [{twin:word}] | lead: {lead} | lead in the twin: [{twin.lead}]",
    ),
)
SUM = pic.Picture(
    "sum",
    pic.Columns(
        pic.Rows("part", fold=pic.Fold("size", 16, 20)),
        (
            pic.Column("Your text", "share", largest=True, group="logits"),
            pic.Column("Its twin", "twin.share", colour="line-1", largest=True, group="logits"),
        ),
    ),
    "What each part adds to the answer (direct logit attribution)",
    says="What each head and each feed-forward part (FFN) itself adds to the logit of “{right:word}” less that of"
    " “{wrong:word}”, with the divisor of the last norm held. All of them and the biases add up to the difference.",
    tell=(
        "{part:called} adds {share}[, in the twin {twin.share}]. All: {most} = {gap}."
        "[ In the twin: {twins} = {twin.gap}.]",
        BEYOND,
        WANTED,
    ),
    side="right",
    parts={
        "most": pic.Series(
            "part",
            "{part:called} {share}",
            " + ",
            5,
            by="share",
            rest=" + {rest} ({others} others)",
        ),
        "twins": pic.Series(
            "part",
            "{part:called} {twin.share}",
            " + ",
            3,
            by="twin.share",
            rest=" + {rest} ({others} others)",
        ),
    },
    table=pic.table(
        "part", "part: {part:called} | adds, your text: {share} | adds, its twin: [{twin.share}]"
    ),
)

NEXT = pic.Picture(
    "next",
    pic.Drawn("bars", lambda model: {"words": model.tokenizer.id != "chars", "most": 6}),
    "Next token",
    side="left",
    saves=pic.Saves(("probability",), ("token",), "bars", {"top": 12}),
)


def graph(wires: Wires) -> pic.Picture:
    """Columns from the text to the answer: heads, feed-forward part, layer after layer."""
    columns = 2 * wires.layers + 2
    wide = 0.78 / columns
    high = max(210, 68 * wires.heads)

    def x(column: int) -> float:
        return (column + 0.5) / columns

    boxes = [pic.Box(EMBED, x(0), 0.5, (EMBED, "{share[part=0]}"), True)]
    for n, node in enumerate(wires.senders[1:], 1):
        column = 2 * node.layer + (1 if node.head >= 0 else 2)
        y = (node.head + 0.5) / wires.heads if node.head >= 0 else 0.5
        boxes.append(pic.Box(node.short, x(column), y, (node.short, f"{{share[part={n}]}}")))
    boxes.append(pic.Box(ANSWER, x(columns - 1), 0.5, ("{right:word}", "{gap}"), True))
    arrows = tuple(
        pic.Arrow(a.short, b.short, strength=f"edge[wire={n}]")
        for n, (a, b) in enumerate(wires.layout.joints)
    )
    return pic.Picture(
        "graph",
        pic.Boxes(tuple(boxes), arrows, high, wide, "size_least"),
        "The way through the net",
        (
            "{?tokens>0}The way to “{right:word}” rather than “{wrong:word}”",
            "The way through the net",
        ),
        "Every line is cut by itself, the twin's number put there, and the net run anew (path patching): the wider, the"
        " more of the difference goes with it; orange: the difference grows. L2 H4 is head 4 of layer 2; in a box"
        " stands what the part adds to the answer directly.",
        (
            "Strongest: {most}, in per cent of the difference of {span} between the text and its twin.",
            "{?long>0}This text has more than 48 tokens: too many to be cut at every key.",
            "{?alike>0}The net hardly tells this text from its twin ({span}): there is nothing to explain.",
            ALONE,
            BEYOND,
            WANTED,
        ),
        side="left",
        controls=(pic.Amount("size_least", 0, 50, 1, 2, "lines from {size_least:n} % on"),),
        parts={
            "most": pic.Series("wire", "{wire:called} {edge:%}", ", ", 5, by="edge"),
        },
    )


def stage(run: Run) -> Stage:
    model = check(cache.model(run, Model))
    behaviour = behaviours.of_run(run.note)
    shown = (PAIR, *([graph(Wires(model))] if is_drawn(model) else []), NEXT, SUM)
    live = pic.Live(
        (),
        shown,
        once,
        deriving(behaviour),
        also=("probability",),
        derives=Attends,
        unit=lambda model: "characters" if model.tokenizer.id == "chars" else "tokens",
        places={"part": pic.Place("part"), "wire": pic.Place("wire")},
        most=200,
    )
    return declared.stage(live, run, READER)


LIVE: Callable[[Run], Stage] = stage
