"""The live part of the lesson on external memory: which slots are written and read at each letter, how an address is
made, the memory itself, and what an LSTM without one says beside it.

Shapes    T = tokens, N = slots, D = numbers in a slot
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from engine.core.trace import FieldSpec, Kind, Trace
from engine.frame import picture as pic
from engine.live import declared
from engine.live.drawing import shortlists
from engine.live.stage import Panel, Stage
from engine.models.base import Model
from engine.models.ntm import NTM, START
from engine.runs.store import Run

HEADS = ("write", "read")
WAY = ("before", "content", "mixed", "moved", "sharpened")
PARTS = ("content", "mixed", "moved", "address", "gate", "key", "shift", "sharp", "strength")
MARK = "="


def once(model: Model[Any]) -> pic.Once:
    slots = model.config.slots if isinstance(model, NTM) else 0
    numbers = {"slot": slots, "dim": slots and model.config.numbers}
    labels = {axis: [str(n) for n in range(count)] for axis, count in numbers.items()}
    return pic.Once({"word": model.tokenizer.vocab, "way": WAY, **labels})


def find_due(ids_T: np.ndarray, mark: int) -> np.ndarray:
    """Per token the id that is right behind it: behind the mark the letters again, then the end of the line;
    nan where any letter may come."""
    found_T = np.full(len(ids_T), np.nan)
    at = np.flatnonzero(ids_T == mark)[:1]
    for m in at:
        copied = np.append(ids_T[1:m], ids_T[0])[: len(ids_T) - m]
        found_T[m : m + len(copied)] = copied
    return found_T


def derive(model: Model[Any], trace: Trace, asks: Mapping[str, object]) -> pic.Derived:
    vocab = list(model.tokenizer.vocab)
    right_T = (
        find_due(trace.ids, vocab.index(MARK))
        if MARK in vocab and not trace.offset
        else np.nan * trace.ids
    )
    best_T = trace.field("probability").values.argmax(1)
    judged_T = np.isfinite(right_T)
    hits_T = judged_T & (best_T == right_T)
    token = ("token",)
    found: dict[str, Any] = {
        "right": (token, right_T),
        "best": (token, np.where(judged_T, best_T, np.nan)),
        "wrong": (token, judged_T & ~hits_T),
        "hits": ((), hits_T.sum()),
        "judged": ((), judged_T.sum() or np.nan),
    }
    if not isinstance(model, NTM):
        return found
    memory_TND = trace.field("memory").values
    start_1ND = np.full_like(memory_TND[:1], np.nan if trace.offset else START)
    was_TND = np.concatenate((start_1ND, memory_TND[:-1]))
    for head in HEADS:
        of = {name: trace.field(f"{head}.{name}").values for name in PARTS}
        before_TN = np.vstack((np.eye(1, memory_TND.shape[1]), of["address"][:-1]))
        if trace.offset:
            before_TN[0] = np.nan
        stages = (before_TN, of["content"], of["mixed"], of["moved"], of["address"])
        seen_TND = was_TND if head == "write" else memory_TND
        length_TN = np.linalg.norm(seen_TND, axis=2) * np.linalg.norm(of["key"], axis=1)[:, None]
        dot_TN = (seen_TND @ of["key"][..., None])[..., 0]
        found |= {
            f"{head}.way": (("token", "way", "slot"), np.stack(stages, 1)),
            f"{head}.cosine": (("token", "slot"), dot_TN / np.maximum(1e-6, length_TN)),
            f"{head}.most": (token, of["address"].argmax(1)),
            **{f"{head}.{n}": (token, of[n][:, 0]) for n in ("gate", "strength", "sharp")},
            **{
                f"{head}.{n}": (token, of["shift"][:, i])
                for i, n in enumerate(("back", "stay", "on"))
            },
        }
    return found | {"was": (("token", "slot", "dim"), was_TND)}


TAPE = pic.Picture(
    "tape",
    pic.Over(
        (pic.Cells("write.address", "weight"), pic.Dots("read.address", (("", "line-1"),))),
        pic.Rows("slot", 12, "write.address"),
        least=26,
    ),
    "Where it writes and reads",
    says="A row for each slot of the memory that is used, a column for each letter. The darker a cell, the more the"
    " slot is written; the larger a dot, the more it is read.[ {hidden:n} more slots are hardly touched.]",
    tell=(
        "At “{token}” it writes most to slot {write.most:slot} ({write.address[slot=write.most]:%}) and reads most of"
        " slot {read.most:slot} ({read.address[slot=read.most]:%}).",
        "Type some letters, the mark =, and the letters again.",
    ),
    table=pic.table(
        "token",
        "token: {token} | writes most to: {write.most:slot} | weight: {write.address[slot=write.most]:%}"
        " | reads most of: {read.most:slot} | its weight: {read.address[slot=read.most]:%}",
    ),
    saves=pic.Saves(("write.address", "read.address")),
)
SAYS = pic.Picture(
    "says",
    pic.Lanes(
        (
            pic.Lane("letter", "{token}", strong=True),
            pic.Lane("right behind it", "{right:word}"),
            pic.Lane("NTM says", "{best[reader=0]:word}", mark="wrong[reader=0]"),
            pic.Lane("LSTM says", "{best[reader=1]:word}", mark="wrong[reader=1]"),
        )
    ),
    "What each says behind the mark",
    (
        "Behind the mark: NTM {hits[reader=0]:n} of {judged:n} right, LSTM {hits[reader=1]:n} of {judged:n}",
        "Behind the mark: NTM {hits[reader=0]:n} of {judged:n} right",
    ),
    "What the neural Turing machine (NTM) and an LSTM without a memory of slots say comes next; wrong ones are"
    " marked.",
    (
        "{judged:n} letters are due behind the mark. At “{token}” the NTM expects “{top[reader=0]}”,"
        " {top.p[reader=0]:%}[, the LSTM “{top[reader=1]}”, {top.p[reader=1]:%}].",
        "At “{token}” the NTM expects “{top[reader=0]}”, {top.p[reader=0]:%}[, the LSTM “{top[reader=1]}”,"
        " {top.p[reader=1]:%}].",
    ),
    table=pic.table(
        "token",
        "token: {token} | right: {right:word} | NTM: {best[reader=0]:word} | LSTM: {best[reader=1]:word}",
    ),
)
ADDRESS = pic.Picture(
    "address",
    pic.Matrix("&head.way", "way", "slot", "weight of a slot", "step", shade="weight", widest=30),
    "How the address is made",
    "{head}: how it finds its slots at “{token}”",
    "[Content: softmax of the cosines of its key with each slot, at key strength {&head.strength}. Mixed: content"
    " counts {&head.gate:%}, the address before it the rest. Moved: one on {&head.on:%}, stay {&head.stay:%}, one back"
    " {&head.back:%}. Sharpened: to the power {&head.sharp}, the address.]",
    (
        "Slot {slot}, {way}: {&head.way:%}; its cosine with the key is {&head.cosine}.",
        "Most to slot {&head.most:slot}: cosine {&head.cosine[slot=&head.most]}, in the end"
        " {&head.address[slot=&head.most]:%}.",
    ),
    side="left",
    controls=(pic.Choice("head", (("write", "Write head"), ("read", "Read head")), "write"),),
    saves=pic.Saves(tuple(f"{head}.{part}" for head in HEADS for part in PARTS[:4]), ("token",)),
)
SLOTS = pic.Picture(
    "slots",
    pic.Matrix("memory", "slot", "dim", "what is in the slot", "slot", shade="state"),
    "The memory",
    "The memory after “{token}”",
    "A row for each slot, a column for each of its numbers. Of what was there, a share is erased first, then something"
    " is added, both the more the more the slot is written. Point at a number for the sum.",
    (
        "Slot {slot}, number {dim}: {was} × (1 − {write.address} × {erase} erased) + {write.address} × {add} added ="
        " {memory}. Written {write.address:%}, read {read.address:%}.",
        "Written most is slot {write.most:slot}, {write.address[slot=write.most]:%}.",
    ),
    side="right",
    saves=pic.Saves(("memory",), ("token",), "heatmap"),
)
PICTURES = pic.Live(
    (*(f"{head}.address" for head in HEADS), "erase", "add", "memory"),
    (TAPE, SAYS, ADDRESS, SLOTS),
    once,
    derive,
    also=tuple(f"{head}.{part}" for head in HEADS for part in PARTS),
    shades={
        "weight": FieldSpec("weight", Kind.ATTENTION, (), ""),
        "state": FieldSpec("memory", Kind.STATE, (), ""),
    },
    unit=lambda model: "characters",
    words=False,
    most=240,
)


def stage(shown: Mapping[str, Run], **_chosen: object) -> Stage:
    made = declared.stage(PICTURES, shown, "ntm")
    names = {reader.id: reader.title for reader, _ in made.readers}
    tops = Panel(
        "next", "tops", "What comes next", options={"most": 6}, figure=shortlists(names, 6)
    )
    return replace(made, panels=(*made.panels, tops))


LIVE = stage
