"""Held-out digits, moved: the maps move along, the answer need not stay."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.analysis.digits import images, networks
from engine.analysis.digits.images import Images
from engine.analysis.digits.networks import CHOICES
from pages.ui import plate

FAR = 3  # cells
TITLES = {
    (1, 1): "stride 1, padding 1",
    (1, 0): "stride 1, padding 0",
    (2, 1): "stride 2, padding 1",
}


@st.cache_data(max_entries=4, show_spinner=False)
def shares(stride: int, padding: int, pooling: str) -> list[float]:
    """Percent read right, moved by -FAR to FAR cells to the right."""
    of = networks.shipped()
    held, net = of.held_out, of.network(stride, padding, pooling)
    return [
        100 * float(net.correct(Images(images.moved(held.cells, 0, by), held.digit)).mean())
        for by in range(-FAR, FAR + 1)
    ]


@st.cache_data(max_entries=2, show_spinner=False)
def steady(by: int) -> tuple[float, float]:
    """Shares of all maps of the first network whose largest sum stays the same where the image moves
    to the right, and of the answers that stay."""
    of = networks.shipped()
    net, held = of.network(*CHOICES[0]), of.held_out
    room = ~held.cells[:, :, -by:].any((1, 2))  # nothing leaves the square
    a = net.read(held.ink[room])
    b = net.read(images.moved(held.cells[room], 0, by) / images.FULL)
    most = [x.sum_NFPP.max((-2, -1)) for x in (a, b)]
    same = float(np.isclose(*most).mean())
    return same, float((a.logit_NK.argmax(1) == b.logit_NK.argmax(1)).mean())


def show() -> None:
    st.markdown(
        "A convolution is **equivariant**: an image moved by a cell gives the same map, moved by a cell."
        " That is not **invariance**: the dense layer has other weights for every place."
    )
    series = [
        (title, range(-FAR, FAR + 1), shares(stride, padding, "max"))
        for (stride, padding), title in TITLES.items()
    ]
    plate.show(
        plate.lines(
            "moved",
            "Percent of held-out digits read right, by how far they were moved to the right",
            series,
            "digits",
            "in training digits were moved by at most one cell",
            tight=True,
            whole=True,
            x="cells to the right",
            y="percent right",
            of_series="",
            low=0,
            high=100,
            model="digits",
        )
    )
    same, stays = steady(1)
    st.markdown(
        f"Moved by one cell, where no ink leaves the square, **{100 * same:.2f} %** of all maps keep their largest"
        f" sum, and **{100 * stays:.0f} %** of the answers stay. A network that pools over the whole map passes on"
        " only that largest number, and would not see the move; pooling of 2 × 2 forgives one inside its"
        " window, and no more."
    )
