"""The picture that opens the page: a digit, drawn or picked, and the trained network that reads it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np
import streamlit as st

from engine.analysis.digits import images, networks, sums
from engine.analysis.digits.networks import FILTERS, KERNEL, POOL, Network, Shipped
from engine.core.trace import FieldSpec, Kind
from pages.ui import address, ask, board, language

T = TypeVar("T", int, str)
FIRST = 30  # of the held-out images
DRAWING, FILTER = "drawing", "filter"  # in the session and in the address
INK = FieldSpec("ink", Kind.PROBABILITY, ("unit",), "The ink of a cell.")
SUM = FieldSpec("sum", Kind.STATE, ("unit",), "A sum of products.")
BOARD = board.Board("convolution/digit.js", "convolution/convolution.css")


def show(of: Shipped) -> None:
    address.follow(DRAWING, FILTER)
    row = ask.line()
    image = ask.between(
        row.number_input,
        "Held-out digit",
        "image",
        1,
        len(of.held_out),
        FIRST,
        step=1,
        width=180,
        on_change=_picked,
    )
    stride = ask.pick("Stride", (1, 2), "stride", 1, row, width=90)
    padding = ask.pick("Padding", (1, 0), "padding", 1, row, width=90)
    pooling = ask.pick("Pooling", sums.POOLINGS, "pooling", "max", row, width=120)
    net = of.network(stride, padding, pooling)
    row.button(
        "Next one misread", on_click=_misread, args=(of, net), help="By the network that is chosen."
    )
    cells = _cells(of, int(image))
    drawn = bool(st.session_state[DRAWING])
    chosen = _filter()
    address.leave(DRAWING, FILTER)
    digit = int(of.held_out.digit[int(image) - 1])
    BOARD.show(
        {
            "net": networks.plain(net),
            "drawing": images.written(cells),
            "filter": chosen - 1,
            "name": language.say("your drawing") if drawn else language.say(f"a held-out {digit}"),
            "scales": scales(net),
        },
        lambda asked: heard(asked, of),
    )
    st.markdown(said(net, cells, len(of.held_out), None if drawn else digit))


def said(net: Network, cells: np.ndarray, held_out: int, digit: int | None) -> str:
    """What it reads, how often it is right, and what it has learned."""
    p_K = net.read(cells[None] / images.FULL).probability_NK[0]
    best = int(p_K.argmax())
    is_one = "" if digit is None else f" (it is a {digit})"
    kernels = sums.learned(KERNEL, 1, FILTERS)
    maps = FILTERS * net.side**2
    dense = sums.learned_dense(images.SIDE**2, maps)
    half = net.side // POOL
    return (
        f"Read as **{best}**, {100 * p_K[best]:.1f} %{is_one}. Of {held_out} held-out digits this network reads"
        f" **{net.right}** right, **{100 * net.right / held_out:.1f} %**. Its maps have {net.side} × {net.side}"
        f" places, pooled {half} × {half}. The {FILTERS} filters learn **{kernels}** numbers; a dense layer to"
        f" as many places would learn {dense:,}."
    )


def scales(net: Network) -> dict[str, dict[str, Any]]:
    """Of the ink, and of kernels and products: as wide as its largest weight."""
    most = float(np.abs(net.kernel_FKK).max())
    return {"ink": board.scale(INK, 0.0, 1.0), "kernel": board.scale(SUM, -most, most)}


def heard(asked: Mapping[str, Any], of: Shipped) -> None:
    """What was drawn and chosen in the picture."""
    address.choosing(DRAWING, FILTER)
    text, filter_ = asked.get("drawing"), asked.get("filter")
    if isinstance(text, str) and images.read(text) is not None:
        picked = images.written(of.held_out.cells[int(st.session_state.get("image", FIRST)) - 1])
        _keep(DRAWING, "" if text == picked else text, "")
    if isinstance(filter_, int) and 0 <= filter_ < FILTERS:
        _keep(FILTER, filter_ + 1, 1)


def _filter() -> int:
    """From 1 on: what was chosen, else what the address says."""
    asked = st.session_state.get(FILTER, st.query_params.get(FILTER, "1"))
    found = int(asked) if str(asked) in map(str, range(1, FILTERS + 1)) else 1
    _keep(FILTER, found, 1)
    return found


def _cells(of: Shipped, image: int) -> np.ndarray:
    """The drawing, or the held-out image."""
    asked = st.session_state.get(DRAWING, st.query_params.get(DRAWING, ""))
    found = images.read(str(asked))
    _keep(DRAWING, "" if found is None else str(asked), "")
    return of.held_out.cells[image - 1] if found is None else found


def _keep(name: str, value: T, first: T) -> None:
    """In the session, and in the address where it is not what a page begins with."""
    st.session_state[name] = value
    address.write(name, str(value), str(first))


def _picked() -> None:
    address.choosing(DRAWING, FILTER)
    _keep(DRAWING, "", "")


def _misread(of: Shipped, net: Network) -> None:
    """The next held-out image that is misread, after the one that is shown."""
    address.choosing(DRAWING, FILTER)
    wrong = np.flatnonzero(~net.correct(of.held_out)) + 1
    now = int(st.session_state.get("image", FIRST))
    later = wrong[wrong > now]
    st.session_state["image"] = int(later[0] if len(later) else wrong[0])
    _keep(DRAWING, "", "")
