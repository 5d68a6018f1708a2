"""A digit and the network that reads it, on a board; below, sizes and counts, channels and kernels, filters while they
learn, digits that are moved, and the receptive field of convolutions over words.

Shapes    F = filters, K = side of a kernel, H, W = 8, P = side of a map, T = tokens
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine import frame as fr
from engine.core.trace import Field, FieldSpec, Kind
from engine.language.message import _
from engine.lessons.convolution import build, gallery, images, networks, receptive_field, sums
from engine.lessons.convolution.gallery import CHANNELS, KERNELS
from engine.lessons.convolution.images import Images
from engine.lessons.convolution.networks import FILTERS, KERNEL, POOL, Network
from engine.models.convolution import Convolution
from engine.views import theme

FIRST = 30  # of the held-out images
SIX = FIRST - 1
OFF = "not read"
FAR = 3  # cells
SHOWN = ((1, 1), (1, 0), (2, 1))  # stride and padding of the networks whose digits are moved
EXAMPLE = "The old captain looked at the grey sea and said that he would"


def scale(kind: Kind, most: float) -> dict[str, Any]:
    """The colours of the ink, and of kernels and products, as a board takes them."""
    spec = FieldSpec("sum", kind, ("unit",), "")
    low = 0.0 if kind is Kind.PROBABILITY else -most
    ends = {"low": low, "high": most}
    return {**ends, "light": theme.stops(spec, False), "dark": theme.stops(spec, True)}


def picked(others: fr.Others) -> str:
    return images.written(networks.shipped().held_out.cells[others["image"] - 1])


@fr.part("", always=True)
def digit(
    *,
    image: int = fr.number("Held-out digit", 1, 445, FIRST, width=180),
    stride: int = fr.pick("Stride", (1, 2), 1, width=90),
    padding: int = fr.pick("Padding", (1, 0), 1, width=90),
    pooling: str = fr.pick("Pooling", sums.POOLINGS, width=120),
    drawing: str = fr.typed("", picked, 64),
    filter: int = fr.number("", 1, FILTERS, 1),
) -> fr.Blocks:
    of = networks.shipped()
    net, held, count = of.network(stride, padding, pooling), of.held_out, len(of.held_out)
    wrong = (np.flatnonzero(~net.correct(held)) + 1).tolist()
    following = next((n for n in wrong if n > image), wrong[0])
    chosen = fr.Controls(("image", "stride", "padding", "pooling"))
    misread = fr.Presets("", {"Next one misread": {"image": following}}, open=True)
    yield fr.Line([chosen, misread])
    cells = images.read(drawing)
    drawn = cells is not None and drawing != picked({"image": image})
    cells = held.cells[image - 1] if cells is None else cells
    true = None if drawn else int(held.digit[image - 1])
    most = float(np.abs(net.kernel_FKK).max())
    data = {
        "net": networks.plain(net),
        "drawing": images.written(cells),
        "filter": filter - 1,
        "digit": true,
        "scales": {"ink": scale(Kind.PROBABILITY, 1.0), "kernel": scale(Kind.STATE, most)},
    }
    sets = {"drawing": "drawing", "filter": "filter"}
    board = fr.Board("convolution/digit.js", data, sets, ("convolution/convolution.css",))
    yield fr.Section("digit", [board, *describe_net(net, cells, count, true)])


def describe_net(net: Network, cells: np.ndarray, held_out: int, true: int | None) -> fr.Blocks:
    """What it reads, how often it is right, and what it has learned."""
    p_K = net.read(cells[None] / images.FULL).probability_NK[0]
    best, maps, half = int(p_K.argmax()), FILTERS * net.side**2, net.side // POOL
    found = {"best": best, "p": float(p_K[best]), "true": true, "count": held_out}
    found |= {"right": net.right, "share": net.right / held_out, "side": net.side, "half": half}
    found |= {"filters": FILTERS, "own": sums.learned(KERNEL, 1, FILTERS)}
    found |= {"flat": FILTERS * half**2, "dense": sums.learned_dense(images.SIDE**2, maps)}
    if true is None:
        yield _("Read as **{best}**, {p:.1%}.", **found)
    else:
        yield _("Read as **{best}**, {p:.1%} (it is a {true}).", **found)
    yield _(
        "Of {count} held-out digits this network reads **{right}** right, **{share:.1%}**. Its maps have {side} ×"
        " {side} places, pooled {half} × {half}, and laid in a row they are {flat} numbers, each with a weight for"
        " each digit. The {filters} filters learn **{own}** numbers; a dense layer to as many places would learn"
        " {dense:,}.",
        **found,
    )


def side(label: str, most: int, first: int, least: int = 1) -> Any:
    return fr.number(label, least, most, first, width=110)


@fr.part("Sizes and counts")
def sizes(
    n: int = side("Cells a side n", 512, 28),
    k: int = side("Kernel k", 15, 3),
    s: int = side("Stride s", 8, 1),
    p: int = side("Padding p", 8, 0, 0),
    c: int = side("Channels C", 512, 1),
    f: int = side("Filters F", 512, 32),
) -> fr.Blocks:
    side = sums.size(n, k, s, p)
    yield fr.Formula(
        rf"\left\lfloor \frac{{n + 2p - k}}{{s}} \right\rfloor + 1 = \left\lfloor"
        rf" \frac{{{n} + 2 \cdot {p} - {k}}}{{{s}}} \right\rfloor + 1 = {side}"
    )
    if left := (n + 2 * p - k) % s:
        yield _(
            "The steps do not come out even: the last **{left}** of {all} rows and columns are never read.",
            left=left,
            all=n + 2 * p,
        )
    counts = {
        "the convolution": sums.learned(k, c, f),
        "the same kernels, not shared": sums.learned_local(k, c, f, side * side),
        "a dense layer": sums.learned_dense(c * n * n, f * side * side),
    }
    shared, dense = counts["the convolution"], counts["a dense layer"]
    yield _(
        "From {c:,} × {n} × {n} to {f:,} × {side} × {side} numbers: a convolution learns F (C k² + 1) = **{shared:,}**,"
        " a dense layer **{dense:,}**. Both take sums of the same inputs; the convolution has zeros wherever the kernel"
        " does not reach, and the same weights at every place.",
        c=c,
        n=n,
        f=f,
        side=side,
        shared=shared,
        dense=dense,
    )
    heads = "layer", "learned numbers", "times as many"
    rows = ((name, count, round(count / shared)) for name, count in counts.items())
    yield fr.table(heads, rows, forms=dict.fromkeys(heads[1:], fr.WHOLE))


def squares(
    name: str, title: str, values: np.ndarray, names: Any, note: Any, shares: bool = False
) -> fr.Chart:
    """Small squares side by side, one scale for all."""
    _count, down, across = values.shape
    axes = {"label": [*names], "row": range(1, down + 1), "column": range(1, across + 1)}
    kind, unit = (Kind.GATE, "brightness") if shares else (Kind.STATE, "")
    field = Field.of("sum", kind, axes, values, title, unit=unit)
    most = max(1e-9, float(np.abs(values).max()))
    options = {
        "reading": False,
        "domain": (0.0, 1.0) if shares else (-most, most),
        "square": True,
        "columns": 4,
        "wide": 400,
    }
    return fr.Chart(name, title, "multiples", (field,), note, source="digits", options=options)


def filters(net: Network) -> list[str]:
    return [_("filter {n}", n=n + 1) for n in range(len(net.kernel_FKK))]


@fr.part("Channels and filters")
def channels(
    picture: str = fr.pick("Picture", [*gallery.pictures()], width=180),
    k_red: str = fr.pick("Kernel for red", (OFF, *KERNELS), "vertical edge", width=180),
    k_green: str = fr.pick("Kernel for green", (OFF, *KERNELS), OFF, width=180),
    k_blue: str = fr.pick("Kernel for blue", (OFF, *KERNELS), OFF, width=180),
) -> fr.Blocks:
    yield (
        "A picture in colour has three channels, and a filter has **a kernel for each**: three maps, added place by"
        " place, make one. Choose a kernel for each channel."
    )
    found, chosen = gallery.pictures()[picture], (k_red, k_green, k_blue)
    kernel_CKK = np.stack([np.zeros((3, 3)) if k == OFF else gallery.kernel(k) for k in chosen])
    of_CPQ, sum_PQ = gallery.summed(found, kernel_CKK)
    planes = squares(
        "planes", "The picture, channel by channel", found, CHANNELS, picture, shares=True
    )
    all_CPQ = np.concatenate((of_CPQ, sum_PQ[None]))
    title = "What each kernel makes of its channel, and the sum: one map"
    yield fr.Beside(
        [[planes], [squares("channelmaps", title, all_CPQ, (*CHANNELS, "sum"), "bias 0")]]
    )
    i, j = (int(n) for n in np.unravel_index(np.abs(sum_PQ).argmax(), sum_PQ.shape))
    yield _(
        "At row {row}, column {column}: {parts} = **{sum:.2f}**, the furthest from 0. Such a filter learns 3 · 3 · 3"
        " weights and a bias: {one}. Sixteen of them learn **{many}**, and make 16 maps, the channels of the layer"
        " behind; 32 over one channel learn **{flat}**.",
        row=i + 1,
        column=j + 1,
        parts=" + ".join(f"({of_CPQ[c, i, j]:.2f})" for c in range(3)),
        sum=float(sum_PQ[i, j]),
        one=sums.learned(3, 3, 1),
        many=sums.learned(3, 3, 16),
        flat=sums.learned(3, 1, 32),
    )
    yield (
        "**By hand, and learned.** People designed kernels for edges, blur and relief. A network starts with eight"
        " by chance, and keeps what helps it: some of the learned ones look like edges, none was told to."
    )
    of = networks.shipped()
    net, six_HW = of.network(1, 1, "max"), of.held_out.ink[SIX]
    known_FKK = np.stack([gallery.kernel(one) for one in KERNELS])
    by_hand_FPP = sums.convolve(six_HW[None], known_FKK[:, None], 0.0, 1, 1)
    for name, title, kernel_FKK, map_FPP, names in (
        ("byhand", "Kernels designed by hand", known_FKK, by_hand_FPP, KERNELS),
        (
            "learned",
            "Kernels that were learned",
            net.kernel_FKK,
            net.read(six_HW[None]).sum_NFPP[0],
            filters(net),
        ),
    ):
        kernels = squares(f"{name}kernels", title, kernel_FKK, names, "3 × 3 weights")
        maps = squares(f"{name}maps", "Their maps of a held-out 6", map_FPP, names, "padding 1")
        yield fr.Beside([[kernels], [maps]])


learned = fr.once(build.film)


@fr.part("Filters while they learn")
def learns(
    film_seed: int = fr.slider("Start", 1, 9, 1, width=200),
    film_step: int = fr.pick("After step", build.FILM, build.FILM[-1], slide=True, width=400),
) -> fr.Blocks:
    yield (
        "Eight kernels by chance, and images to learn from. At every step the loss of 32 images goes back through"
        " the dense layer, the pooling and ReLU to the kernels: the gradient of a weight is the sum over **all"
        " places** where it was used, times what it saw there. Trained here, now; move through the steps."
    )
    yield fr.Progress(0, "Learning …")
    found, at = learned(film_seed), build.FILM.index(film_step)
    net, of = found.networks[at], _("start {seed}", seed=film_seed)
    map_FPP = net.read(networks.shipped().held_out.ink[SIX][None]).sum_NFPP[0]
    kernels = squares(
        "filmkernels", "The kernels after this step", net.kernel_FKK, filters(net), of
    )
    maps = squares("filmmaps", "Their maps of a held-out 6", map_FPP, filters(net), of)
    yield fr.Beside([[kernels], [maps]])
    before_FKK = found.networks[0].kernel_FKK
    yield _(
        "After step {step} it reads **{right:.1%}** of the held-out digits right, at a loss of {loss:.3f} nats. A"
        " kernel weight has moved by {moved:.2f} on average; it began at {size:.2f} from 0.",
        step=film_step,
        right=float(found.right_R[at]),
        loss=float(found.loss_R[at]),
        moved=float(np.abs(net.kernel_FKK - before_FKK).mean()),
        size=float(np.abs(before_FKK).mean()),
    )
    how = _(
        "{steps} steps of {batch} images, AdamW, rate {rate:g}",
        steps=build.FILM[-1],
        batch=build.BATCH,
        rate=build.RATE,
    )
    yield fr.Beside(
        [
            [fr.curves(name, title, {y: (build.FILM, values)}, "step", y, how, whole=True)]
            for name, title, values, y in (
                (
                    "filmright",
                    "Percent of held-out digits read right",
                    100 * found.right_R,
                    "percent",
                ),
                ("filmloss", "Loss on held-out digits, in nats", found.loss_R, "nats"),
            )
        ]
    )


@fr.once
def shares(stride: int, padding: int) -> list[float]:
    """Percent read right, moved by -FAR to FAR cells to the right."""
    of = networks.shipped()
    held, net = of.held_out, of.network(stride, padding, "max")
    return [
        100 * float(net.correct(Images(images.moved(held.cells, 0, by), held.digit)).mean())
        for by in range(-FAR, FAR + 1)
    ]


@fr.once
def steady(by: int) -> tuple[float, float]:
    """Shares of all maps of the first network whose largest sum stays the same where the image moves
    to the right, and of the answers that stay."""
    of = networks.shipped()
    net, held = of.networks[0], of.held_out
    room = ~held.cells[:, :, -by:].any((1, 2))  # nothing leaves the square
    a = net.read(held.ink[room])
    b = net.read(images.moved(held.cells[room], 0, by) / images.FULL)
    same = float(np.isclose(*(x.sum_NFPP.max((-2, -1)) for x in (a, b))).mean())
    return same, float((a.logit_NK.argmax(1) == b.logit_NK.argmax(1)).mean())


@fr.part("Moved digits")
def moves() -> fr.Blocks:
    yield (
        "A convolution is **equivariant**: an image moved by a cell gives the same map, moved by a cell."
        " That is not **invariance**: the dense layer has other weights for every place."
    )
    cells = range(-FAR, FAR + 1)
    yield fr.curves(
        "moved",
        "Percent of held-out digits read right, by how far they were moved to the right",
        {_("stride {s}, padding {p}", s=s, p=p): (cells, shares(s, p)) for s, p in SHOWN},
        "cells to the right",
        "percent right",
        "in training digits were moved by at most one cell",
        source="digits",
        whole=True,
        low=0,
        high=100,
    )
    same, stays = steady(1)
    yield _(
        "Moved by one cell, where no ink leaves the square, **{same:.2%}** of all maps keep their largest sum, and"
        " **{stays:.0%}** of the answers stay. A network that pools over the whole map passes on only that largest"
        " number, and would not see the move; pooling of 2 × 2 forgives one inside its window, and no more.",
        same=same,
        stays=stays,
    )


measured = fr.once(receptive_field.measure)


@fr.part("Convolutions over words")
def over_words(
    conv_text: str = fr.typed("Text", EXAMPLE, 64, live=True, width=520),
    convolution: Convolution | None = fr.shipped("convolution"),
) -> fr.Blocks:
    yield (
        "The same idea along a text: a filter covers two tokens and slides over all of them. It is"
        " **causal**, it never covers what comes later, and **dilated**: each layer leaves gaps twice as"
        " wide as the one below, so that few layers see far."
    )
    if convolution is None:
        raise ValueError("The shipped runs are not there.")
    found, config = measured(convolution, conv_text), convolution.config
    dilated, plain = (receptive_field.reach(config.layers, config.kernel, d) for d in (True, False))
    yield fr.Formula(
        rf"1 + (K - 1)(2^L - 1) = 1 + ({config.kernel} - 1)(2^{config.layers} - 1) = {dilated}"
        rf"\qquad\text{{without gaps: }} 1 + (K - 1)\, L = {plain}"
    )
    last = len(found.labels) - 1
    effect_T = found.effect_TT[last, :last]
    if last:
        at = int(effect_T.argmax())
        yield _(
            "After “{token}” the likeliest is “{next}”, {p:.1%}. This depends on {some} tokens; of the others"
            " “{other}”, {back} back, matters most: {effect:.1%}.",
            token=found.labels[last],
            next=found.next_T[last][0][0],
            p=found.next_T[last][0][1],
            some=min(last + 1, dilated),
            other=found.labels[at],
            back=last - at,
            effect=float(effect_T[at]),
        )
    yield fr.grid(
        "effect",
        "What each token (across) does to the prediction after each (down)",
        found.effect_TT,
        ("row", [f"{n + 1} {token}" for n, token in enumerate(found.labels)]),
        ("token", found.labels),
        text=conv_text,
        source="convolution",
        fluid=True,
    )
    yield fr.grid(
        "written",
        "How much each layer lets through",
        found.written_LT,
        ("layer", [_("{n}: {n_2} back", n=n + 1, n_2=2**n) for n in range(config.layers)]),
        ("token", found.labels),
        Kind.GATE,
        text=conv_text,
        source="convolution",
        fluid=True,
    )
    yield fr.Note(
        "Effect: the token is replaced by a line end, and the probabilities of the next token move by that"
        " much at most, all together. Let through: tanh times the gate, the mean over all filters."
    )


PARTS = (digit, sizes, channels, learns, moves, over_words)
