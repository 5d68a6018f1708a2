"""What the map page draws: the kind of map, which words, how they are drawn from all, and with
which seed."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine.core.registry import projections
from pages.ui import ask as box
from pages.ui.address import begin

SIZES = (500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 200_000)
DRAWN = {"frequency": "evenly by frequency", "random": "at random"}
SEEDED = 500  # words of which ten maps are compared
ENDS = (
    ("map_left", "Left end", "man"),
    ("map_right", "Right end", "woman"),
    ("map_low", "Lower end", "small"),
    ("map_high", "Upper end", "large"),
)


@dataclass(frozen=True, slots=True)
class Choice:
    """`ends` of the axes, in pairs; empty for other maps.  `starts`: ten random starts laid over
    each other."""

    kind: str
    size: int
    drawn: str
    seed: int
    dims: int
    starts: bool
    ends: tuple[tuple[str, str], ...] = ()


def ask(where: DeltaGenerator) -> Choice:
    """What is chosen behind a button in the line `where`."""
    titles = {id: projections.get(id).title for id in projections.listed()}
    with where.popover("Map settings"):
        kind = box.pick("Map", titles, "map_kind", width=215)
        seeded = not projections.get(kind).quick
        size = box.pick("Words", {n: f"{n:,}" for n in SIZES}, "map_size", width=110)
        drawn = box.pick("Choice of words", DRAWN, "map_drawn", width=215)
        seed = box.between(st.number_input, "Seed", "map_seed", 0, 9_999, 0, width=110)
        dims = box.pick("Dimensions", (2, 3), "map_dims", width=110) if kind != "axes" else 2
        says = f"Draws {SEEDED} words ten times; an ellipse shows how far chance alone moves each word."
        starts = seeded and box.toggle("Ten random starts", "map_starts", help=says)
    ends: tuple[tuple[str, str], ...] = ()
    if kind == "axes":
        begin(**{key: word for key, _, word in ENDS})
        with st.container(horizontal=True, gap="small"):
            a, b, c, d = (box.text(label, key, 80, width=170) for key, label, _ in ENDS)
        st.caption("Each end is a word, or a sum of words such as “king - man + woman”.")
        ends = (a, b), (c, d)
    if starts:
        size, dims = min(size, SEEDED), 2
    return Choice(kind, size, drawn, seed, dims, starts, ends)
