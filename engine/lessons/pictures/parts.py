"""Patches of a drawing on a board, what they cost, a digit that moves, a matrix of pictures and captions, what that
knows, and where else attention looks at what is no text.

Shapes    N = tokens, T = frames, M = motions, B = pictures, C = captions
"""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from engine import frame as fr
from engine.analysis import interval
from engine.core.trace import FieldSpec, Kind
from engine.language.message import _
from engine.lessons.convolution import images, networks
from engine.lessons.pictures import store
from engine.lessons.pictures.scenes import RELATIONS, UNSEEN, Scene
from engine.views import theme

SHEETS = ("convolution/convolution.css",)
FIRST = 30  # of the held-out digits
POSITIONS = {
    "placed": "as they were learned",
    "taken": "learned, then taken away",
    "set": "never had any",
}
INK = FieldSpec("ink", Kind.PROBABILITY, ("unit",), "")
STATE = FieldSpec("state", Kind.STATE, ("unit",), "")


def picked(others: fr.Others) -> str:
    return images.written(networks.shipped().held_out.cells[others["image"] - 1])


IMAGE = fr.number("Held-out digit", 1, 445, FIRST, width=200)
DRAWING = fr.typed("", picked, 64)


def stops(spec: FieldSpec, low: float, high: float) -> dict[str, Any]:
    """A scale of colours, as a board takes it."""
    both = {"light": theme.stops(spec, False), "dark": theme.stops(spec, True)}
    return {"low": low, "high": high, **both}


def share(hits: float, count: int) -> str:
    """With its interval."""
    low, high = interval.of_share(hits, count)
    return _("{p:.1%} ({low:.1%} – {high:.1%})", p=hits / count, low=low, high=high)


@fr.once
def weights(name: str) -> dict[str, list[float]]:
    """Of a net that reads patches, as the browser takes them."""
    found = store.shipped()[name].state_dict()
    return {
        key: [float(f"{x:.4g}") for x in value.ravel().tolist()] for key, value in found.items()
    }


@fr.part("", always=True)
def patches(
    *,
    image: int = IMAGE,
    positions: str = fr.pick("Positions", POSITIONS, "placed", width=260),
    shuffled: bool = fr.switch("Shuffle the patches"),
    drawing: str = DRAWING,
) -> fr.Blocks:
    wanted, digit = picked({"image": image}), networks.shipped().held_out.digit[image - 1]
    if images.read(drawing) is None:
        drawing = wanted
    order = np.random.default_rng(3).permutation(16) if shuffled else np.arange(16)
    data = {
        "net": weights("set" if positions == "set" else "placed"),
        "placed": positions == "placed",
        "order": order.tolist(),
        "drawing": drawing,
        "digit": int(digit) if drawing == wanted else None,
        "scale": stops(INK, 0.0, 1.0),
    }
    yield fr.Controls(("image", "positions", "shuffled"))
    board = fr.Board("pictures/patches.js", data, {"drawing": "drawing"}, SHEETS)
    found = store.results()["digits"]
    right = found[f"{positions}_shuffled" if shuffled and positions != "taken" else positions]
    words = _(
        "Of {count} held-out digits it reads **{right}** right like this, {share}.",
        count=found["count"],
        right=right,
        share=share(right, found["count"]),
    )
    yield fr.Section("patches", [board, words])


@fr.part("What patches cost")
def cost(
    *,
    side: int = fr.slider("Pixels a side", 32, 512, 224, 16),
    patch: int = fr.pick("Pixels of a patch", (4, 8, 14, 16, 32), 16, few=True),
    wide: int = fr.pick("Width", (192, 384, 768, 1024), 768, few=True),
) -> fr.Blocks:
    from engine.lessons.pictures.patches import sizes

    found = store.results()["digits"]
    count = found["count"]
    rows = [
        (words, share(found[name], count), share(found[mixed], count) if mixed else "")
        for words, name, mixed in (
            ("convolution, 3 × 3, 8 filters", "convolution", ""),
            ("patches with positions", "placed", "placed_shuffled"),
            ("the same, positions taken away", "taken", ""),
            ("patches that never had positions", "set", "set_shuffled"),
        )
    ]
    yield _(
        "All learned from the same 1,352 digits of 8 × 8 cells and read the same {count} others. A convolution knows"
        " beforehand that near cells belong together; patches have to learn it.",
        count=count,
    )
    yield fr.table(("net", "read right", "patches shuffled"), rows, folds=True)
    yield (
        "Without positions a shuffled picture is **the same set**, and the answer cannot change. What the net lost is"
        " where things are."
    )
    yield fr.Controls(("side", "patch", "wide"))
    tokens, numbers, scores = sizes(side, patch)
    big = [f"{n:,}".replace(",", "{,}") for n in (tokens, numbers, scores)]
    sums = {
        "tokens": rf"\lfloor {side} / {patch} \rfloor^2 + 1 = {big[0]}",
        "numbers of a patch": rf"{patch}^2 \cdot 3 = {big[1]}",
        "scores of a head": rf"{big[0]}^2 = {big[2]}",
    }
    yield fr.Equations([(rf"\text{{{name}}}", value) for name, value in sums.items()])
    if left := side % patch:
        yield _(
            "{left} of {side} rows and columns are left over and not read.", left=left, side=side
        )
    yield _(
        "ViT-Base reads 224 pixels in patches of 16: 196 and the class token. Here one matrix makes {wide} numbers of a"
        " patch, {weights:,} weights. Half the side of a patch: four times the tokens, sixteen times the scores.",
        wide=wide,
        weights=numbers * wide + wide,
    )


MOVES = {
    "right": _("to the right"),
    "left": _("to the left"),
    "down": _("downwards"),
    "up": _("upwards"),
    "grows": _("it grows"),
    "shrinks": _("it shrinks"),
}
STACKS = {
    "film": "convolution, LSTM, dense layer",
    "steps": "dense layer for each frame, LSTM, dense layer",
    "mean": "convolution, mean, dense layer",
}
ORDERS = {"on": "as filmed", "back": "backwards", "mixed": "shuffled"}


@fr.part("A digit that moves")
def moves(
    image: int = IMAGE,
    motion: str = fr.pick("Motion", MOVES, width=150),
    order: str = fr.pick("Order of the frames", ORDERS, "on", few=True),
    film_seed: int = fr.number("Seed", 0, 999, 7, width=120),
    *,
    stack: str = fr.pick("Blocks", STACKS, width=380),
    drawing: str = DRAWING,
) -> fr.Blocks:
    import torch

    from engine.lessons.pictures.motion import CANVAS, FRAMES, MOTIONS, WIDTH, clip, stack_of

    yield (
        "A digit, or what you draw, as a film. Each frame goes through the same **convolution**, and what that finds"
        " through an **LSTM**. What leaves at one side comes in at the other: one frame says nothing of the direction."
    )
    cells = images.read(drawing)
    cells = networks.shipped().held_out.cells[image - 1] if cells is None else cells
    frames = clip(cells, motion, film_seed)
    at = {"on": np.arange(FRAMES), "back": np.arange(FRAMES)[::-1]}.get(
        order, np.random.default_rng(film_seed).permutation(FRAMES)
    )
    frames = frames[at]
    nets, x = store.shipped(), torch.tensor(frames).float()[None]
    logit_TM, state_TH = (found[0] for found in nets["film"].states(x))
    p_TM, mean_M = logit_TM.softmax(-1).numpy(), nets["mean"](x)[0, -1].softmax(-1).numpy()
    data = {
        "drawing": images.written(cells),
        "frames": np.round(frames, 3).reshape(FRAMES, -1).tolist(),
        "cells": CANVAS,
        "said": [(int(p_M.argmax()), float(p_M.max())) for p_M in p_TM],
        "scale": stops(INK, 0.0, 1.0),
    }
    yield fr.Board("pictures/film.js", data, {"drawing": "drawing"}, SHEETS)
    if not cells.any():
        yield fr.Warn("Nothing is drawn, and nothing moves; the net still has to choose.")
    steps = range(1, FRAMES + 1)
    curves = {words: (steps, 100 * p_TM[:, m]) for m, words in enumerate(MOVES.values())}
    chance = fr.curves(
        "after", "After each frame", curves, "frame", "percent", whole=True, low=0, high=100
    )
    states = fr.grid(
        "state",
        "State of the LSTM, unit by unit",
        state_TH.numpy().T,
        ("unit", range(1, WIDTH + 1)),
        ("frame", steps),
        Kind.STATE,
        fluid=True,
    )
    yield fr.Beside([[chance], [states]])
    yield _(
        "Its control takes the **mean** of what is found in the frames, and knows no order: it says “{said}”, {p:.1%},"
        " and exactly the same of the film played backwards.",
        said=MOVES[MOTIONS[int(mean_M.argmax())]],
        p=float(mean_M.max()),
    )
    found = store.results()["films"]
    count = found["count"]
    rows = [
        *(
            (words, *(share(found[name][after], count) for after in (0, 1, FRAMES - 1)))
            for words, name in (("convolution and LSTM", "film"), ("convolution and mean", "mean"))
        ),
        ("the most that can be, LSTM", "33.3 %", "100 %", "100 %"),
        ("the most that can be, mean", "33.3 %", "50 %", "50 %"),
    ]
    yield _("Motions named correctly, of {count:,} clips of held-out digits:", count=count)
    yield fr.table(("net", "after frame 1", "after frame 2", "after frame 8"), rows, folds=True)
    yield "**The stack**: the shape at each arrow, and below it how many numbers the block learns."
    yield fr.Controls(("stack",))
    (_frames, shape, _none), *behind = stack_of(stack)
    lines = [times(shape), ""]
    for n, (block, shape, learned) in enumerate(behind):
        lines[n // 3] += rf"\xrightarrow[{learned or ''}]{{\text{{{block}}}}} {times(shape)}"
    yield fr.Formula(rf"\begin{{aligned}}& {lines[0]} \\ & {lines[1]}\end{{aligned}}")


def times(shape: tuple[int, ...]) -> str:
    return r" \times ".join(map(str, shape))


BATCHES: dict[str, tuple[str, tuple[Scene, ...]]] = {
    "mixed": (
        "a mixture",
        (
            Scene("place", "red circle", "top left"),
            Scene("count", "blue square", "three"),
            Scene("relation", "green triangle", "above", "yellow cross"),
            Scene("place", "yellow triangle", "middle"),
            Scene("count", "green cross", "two"),
            Scene("relation", "blue circle", "left of", "red square"),
        ),
    ),
    "unseen": (
        "things never seen",
        tuple(
            Scene("place", a, "middle")
            for a in (*UNSEEN, "red cross", "blue triangle", "red square", "green triangle")
        ),
    ),
    "sides": (
        "left, right, above, below",
        (
            *(Scene("relation", "red circle", how, "blue square") for how in RELATIONS),
            Scene("relation", "green cross", "left of", "yellow circle"),
            Scene("relation", "yellow circle", "left of", "green cross"),
        ),
    ),
    "counts": (
        "two, three, four",
        tuple(
            Scene("count", a, how)
            for a in ("green circle", "yellow square")
            for how in ("two", "three", "four")
        ),
    ),
}
READERS = {"pairs": "word by word", "bag": "the mean of its words"}
MOST = 8


@fr.part("Pictures and captions")
def matrix(
    of: str = fr.pick(
        "Pictures", {name: words for name, (words, _of) in BATCHES.items()}, width=220
    ),
    drawn: int = fr.number("Seed", 0, 999, 0, width=120),
    reader: str = fr.pick("A caption is read", READERS, few=True),
    *,
    captions: str = fr.typed(
        "Captions, with ; between them",
        lambda others: "; ".join(one.caption for one in BATCHES[others["of"]][1]),
        400,
        live=True,
    ),
) -> fr.Blocks:
    from engine.lessons.pictures.pairs import split
    from engine.lessons.pictures.scenes import S, draw

    yield (
        "Two encoders put pictures and captions into one space, trained so that what belongs together has the larger"
        " cosine (the loss of **CLIP**). Type captions of your own: which picture does each fit?"
    )
    yield fr.Controls(("captions",))
    said = [" ".join(one.split()) for one in captions.split(";") if one.strip()][:MOST]
    if not said:
        raise ValueError("Type a caption, such as: a red circle; two blue squares.")
    scenes = BATCHES[of][1]
    rng = np.random.default_rng(drawn)
    pictures = np.array([draw(one, rng) for one in scenes])
    net = store.shipped()[reader]
    parted = [split(one) for one in said]
    data = {
        "pictures": [
            base64.b64encode(bytes(np.uint8(255 * one).ravel())).decode() for one in pictures
        ],
        "side": S,
        "captions": said,
        "known": [bool(words) for words, _others in parted],
        "cosines": net.cosines(pictures, said).T.tolist(),
        "temperature": net.temperature,
        "square": len(said) == len(scenes),
        "scales": {"share": stops(INK, 0.0, 1.0), "cosine": stops(STATE, -1.0, 1.0)},
    }
    yield fr.Board("pictures/matrix.js", data, sheets=SHEETS)
    unknown = sorted({word[:20] for _words, others in parted for word in others})
    if unknown:
        yield fr.Warn(
            _("It has never read {words}, and leaves that out.", words=", ".join(unknown))
        )
    yield fr.Note(
        _(
            "Learned temperature {t:.3f}. It chooses among captions that are given; it writes none.",
            t=net.temperature,
        )
    )


@fr.part("What it knows, and what not")
def knows() -> fr.Blocks:
    yield _(
        "Every picture here is new. **Never seen** are a {a} and a {b}: in training there was red, and there"
        " were triangles, never both. The second column is the twin that takes the mean of its words.",
        a=UNSEEN[0],
        b=UNSEEN[1],
    )
    found = store.results()
    asks = (
        ("its caption among 100", "captions", "1 %"),
        ("the picture of a caption among 100", "pictures", "1 %"),
        ("which thing of 16, seen", "seen", "6 %"),
        ("which thing of 16, never seen", "unseen", "6 %"),
        ("which place of five", "place", "20 %"),
        ("two, three or four", "count", "33 %"),
        ("A left of B, or B left of A", "order", "50 %"),
    )
    rows = [
        (words, *(share(*found[net][name]) for net in READERS), chance)
        for words, name, chance in asks
    ]
    yield fr.table(("asked", *READERS.values(), "by chance"), rows, folds=True)
    yield (
        "The mean of its words is one vector for both orders, so that the twin can only guess. Word by word left and"
        " right are learned, for here captions differ in nothing else often enough; large nets of this kind, whose"
        " captions seldom do, often fail there (Yuksekgonul et al.). A thing never seen is found worse than any other,"
        " and “five” is no word that it knows."
    )


ELSEWHERE = (
    ("pictures", "patches of a picture", ""),
    ("language", "words of a text", "transformer"),
    ("two kinds at once", "words over the words of another language", "translation"),
    ("graphs", "a node over its neighbours: what is no neighbour is masked", "masks"),
)


@fr.part("Attention elsewhere, and what is not here")
def elsewhere() -> fr.Blocks:
    from engine.course.curriculum import lesson

    yield "The same sum over tokens; what a token is, and who may look at whom, is what changes."
    titles = {id: lesson(id).title for *_words, id in ELSEWHERE if id}
    rows = [(field, what, titles.get(id, "this page")) for field, what, id in ELSEWHERE]
    rows += [("speech", "frames of sound", "nowhere here")]
    yield fr.table(("field", "what looks at what", "where it runs"), rows, folds=True)
    yield fr.Line([fr.Link(id, title) for id, title in titles.items()])
    yield (
        "**Text to image** is named only: the first DALL·E wrote a picture as tokens behind those of its text, later"
        " ones take noise away step by step. Both need pictures by the million, which no net of this size stands for."
    )
    yield (
        "**Medicine** joins scans with notes in the same two ways. That such a net reads like a radiologist would need"
        " a study with its source; there is none here."
    )


PARTS = (patches, cost, moves, matrix, knows, elsewhere)
