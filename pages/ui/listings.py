"""Programs that do not do what they say, beside their repair, with what both of them give."""

from __future__ import annotations

import math

import streamlit as st

from engine.analysis.listings import base
from engine.analysis.listings.base import Listing, Outcome
from engine.core.registry import listings
from engine.course.base import Lesson
from engine.views.base import number
from pages.ui import rows
from pages.ui.fragment import fragment
from pages.ui.language import told

SIDES = ("With the mistake", "Repaired")


def show_listings(lesson: Lesson) -> None:
    """Nothing where a lesson has none."""
    if ids := base.ids_of(lesson.id):
        few = (
            "A program that goes wrong, and its repair"
            if len(ids) == 1
            else "Programs that go wrong, and their repair"
        )
        _fold(few, ids)


@fragment
def _fold(title: str, ids: tuple[str, ...]) -> None:
    """Closed, it asks nothing of anybody."""
    if (opened := st.expander(told(title), key="fold.listings", on_change="rerun")).open:
        with opened:
            _all(ids)


def _all(ids: tuple[str, ...]) -> None:
    st.caption(
        told(
            "Mistakes that are easily made, and hard to see. Each program is as short as its mistake"
            " allows, and stands beside its repair; both are run, and what they give is below."
        )
    )
    for id in ids:
        _one(id, listings.get(id))


@st.cache_data(show_spinner=False)
def _outcomes(id: str) -> tuple[Outcome, Outcome]:
    listing = listings.get(id)
    return base.run(listing, listing.faulty), base.run(listing, listing.repaired)


def _one(id: str, listing: Listing) -> None:
    st.markdown(f"**{told(listing.title)}**")
    st.markdown(told(listing.happens))
    for column, side, code in zip(st.columns(2), SIDES, base.diff(listing), strict=True):
        column.caption(told(side))
        column.code(code, language="python", wrap_lines=True)
    with st.spinner(told("Running both programs")):
        found = _outcomes(id)
    st.markdown(table(*found))


def table(faulty: Outcome, repaired: Outcome) -> str:
    """Markdown: a row for each number; a program that fails has its error in place of all."""
    names = [*repaired.numbers]
    found = [
        (told(name), *(_said(outcome, name, first=not n) for outcome in (faulty, repaired)))
        for n, name in enumerate(names)
    ]
    return rows.written([("What they give", *SIDES), *found])


def _said(outcome: Outcome, name: str, first: bool) -> str:
    if outcome.error:
        return f"`{outcome.error}`" if first else ""
    value = outcome.numbers[name]
    return "no number (nan)" if math.isnan(value) else number(value)
