"""What the map page draws: the kind of map, which words, how they are drawn from all, and with
which seed."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from engine.core.registry import projections
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


def ask() -> Choice:
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        kind = st.selectbox(
            "Map",
            projections.listed(),
            format_func=lambda id: projections.get(id).title,
            key="map_kind",
            bind="query-params",
            width=215,
        )
        seeded = not projections.get(kind).quick
        size = st.selectbox(
            "Words",
            list(SIZES),
            format_func="{:,}".format,
            key="map_size",
            bind="query-params",
            width=110,
        )
        drawn = st.selectbox(
            "Choice of words",
            list(DRAWN),
            format_func=DRAWN.__getitem__,
            key="map_drawn",
            bind="query-params",
            width=215,
        )
        seed = st.number_input("Seed", 0, 9_999, key="map_seed", bind="query-params", width=110)
        dims = (
            st.selectbox("Dimensions", [2, 3], key="map_dims", bind="query-params", width=110)
            if kind != "axes"
            else 2
        )
        starts = seeded and st.toggle(
            "Ten random starts",
            key="map_starts",
            bind="query-params",
            help=(
                f"Draws {SEEDED} words ten times; an ellipse shows how far chance alone moves"
                " each word."
            ),
        )
    ends: tuple[tuple[str, str], ...] = ()
    if kind == "axes":
        begin(**{key: word for key, _, word in ENDS})
        with st.container(horizontal=True, gap="small"):
            a, b, c, d = (
                st.text_input(label, key=key, max_chars=80, bind="query-params", width=170)
                for key, label, _ in ENDS
            )
        st.caption("Each end is a word, or a sum of words such as “king - man + woman”.")
        ends = (a, b), (c, d)
    return Choice(
        kind,
        min(size, SEEDED) if starts else size,
        drawn,
        int(seed),
        2 if starts else dims,
        bool(starts),
        ends,
    )
