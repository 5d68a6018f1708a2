"""Several channels and several filters: a picture in colour whose channels are read by kernels of
their own and summed, and kernels designed by hand beside the learned ones."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.analysis.digits import gallery, networks, sums
from engine.analysis.digits.gallery import CHANNELS, KERNELS
from engine.core.trace import Field, Kind
from pages.ui import ask, plate
from pages.ui.plate import Plate

OFF = "not read"
WIDE = 400  # pixels of four small squares side by side


def show() -> None:
    st.markdown(
        "A picture in colour has three channels, and a filter has **a kernel for each**: three maps, added place by"
        " place, make one. Choose a kernel for each channel."
    )
    found = gallery.pictures()
    left, right = st.columns((1, 4))
    with right:
        line = ask.line()
    name = ask.pick("Picture", [*found], "picture", next(iter(found)), line)
    pixels = np.kron(found[name].transpose(1, 2, 0), np.ones((16, 16, 1)))
    left.image((255 * pixels).astype(np.uint8), caption=name, width=128)
    begin = ("vertical edge", OFF, OFF)
    chosen = [
        ask.pick(f"Kernel for {channel}", [OFF, *KERNELS], f"k_{channel}", first, line)
        for channel, first in zip(CHANNELS, begin, strict=True)
    ]
    kernel_CKK = np.stack([np.zeros((3, 3)) if k == OFF else gallery.kernel(k) for k in chosen])
    of_CPQ, sum_PQ = gallery.summed(found[name], kernel_CKK)
    said = [f"{c}: {k}" for c, k in zip(CHANNELS, chosen, strict=True)]
    plate.row(
        grids("planes", "The picture, channel by channel", found[name], CHANNELS, name),
        grids(
            "channelmaps",
            "What each kernel makes of its channel",
            of_CPQ,
            CHANNELS,
            ", ".join(said),
        ),
    )
    plate.row(
        grids("channelsum", "Their sum: one map", sum_PQ[None], ("sum",), "bias 0"),
        None,
    )
    i, j = (int(n) for n in np.unravel_index(np.abs(sum_PQ).argmax(), sum_PQ.shape))
    parts = " + ".join(f"({of_CPQ[c, i, j]:.2f})" for c in range(3))
    st.markdown(
        f"At row {i + 1}, column {j + 1}: {parts} = **{sum_PQ[i, j]:.2f}**, the furthest from 0. Such a filter learns"
        f" 3 · 3 · 3 weights and a bias: {sums.learned(3, 3, 1)}. Sixteen of them learn **{sums.learned(3, 3, 16)}**,"
        f" and make 16 maps, the channels of the layer behind; 32 over one channel learn **{sums.learned(3, 1, 32)}**."
    )
    st.markdown(
        "**By hand, and learned.** People designed kernels for edges, blur and relief. A network starts with eight"
        " by chance, and keeps what helps it: some of the learned ones look like edges, none was told to."
    )
    net = networks.shipped().network(1, 1, "max")
    digit = networks.shipped().held_out.ink[29]
    known_FKK = np.stack([gallery.kernel(one) for one in KERNELS])
    by_hand_FPQ = sums.convolve(digit[None], known_FKK[:, None], 0.0, 1, 1)
    mine = [f"filter {n + 1}" for n in range(len(net.kernel_FKK))]
    plate.row(
        grids("byhand", "Kernels designed by hand", known_FKK, tuple(KERNELS), "3 × 3 weights"),
        grids("byhandmaps", "Their maps of a held-out 6", by_hand_FPQ, tuple(KERNELS), "padding 1"),
    )
    plate.row(
        grids("learnedkernels", "Kernels that were learned", net.kernel_FKK, mine, "3 × 3 weights"),
        grids(
            "learnedmaps",
            "Their maps of the same 6",
            net.read(digit[None]).sum_NFPP[0],
            mine,
            "with their bias",
        ),
    )


def grids(
    id: str, says: str, values: np.ndarray, names: tuple[str, ...] | list[str], of: str
) -> Plate:
    """Small squares side by side, one scale for all."""
    _, down, across = values.shape
    axes = {
        "label": list(names),
        "row": range(1, down + 1),
        "column": range(1, across + 1),
    }
    kind, unit = (Kind.GATE, "brightness") if id == "planes" else (Kind.STATE, "")
    field = Field.of("sum", kind, axes, values, says, unit=unit)
    most = max(1e-9, float(np.abs(values).max()))
    domain = (0.0, 1.0) if id == "planes" else (-most, most)
    options = {"reading": False, "domain": domain, "square": True, "columns": 4, "wide": WIDE}
    return Plate(id, "multiples", (field,), "digits", of, model="digits", options=options)
