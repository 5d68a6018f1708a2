"""Find by example: mark a phrase in a text, and see where else the units that are on in it are on
together."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import streamlit as st

from engine.analysis.units import example
from engine.analysis.units.example import Switch
from engine.live.markdown import escape
from engine.views import theme
from engine.views.base import number
from pages.ui import address
from pages.ui import ask as asked
from pages.ui.choice import one_of
from pages.ui.units.passages import found_places
from pages.ui.units.source import Chosen

EXAMPLE = 'She said "yes" and went to London.'
PHRASE = (10, 13)  # characters from 1 on: the opening mark and the word
LONGEST, LISTED, NAMED = 400, 8, 12
BESIDE = {"anything": (), "off before": (-1,), "off before and after": (-1, 1)}


def ask(chosen: Chosen) -> None:
    typed = asked.text("Your text", "example", LONGEST, value=EXAMPLE)
    trace = chosen.model.trace(typed, fields=(chosen.field,))
    solid = [t for t, (start, stop) in enumerate(trace.spans) if stop > start]
    if len(solid) < 2:
        st.info("Type at least two characters, then mark some of them.")
        return
    units = len(chosen.tested.reading.state_UN)
    state_LUT = np.moveaxis(trace.field(chosen.field).values, 1, 2)
    state_UT = state_LUT.reshape(units, -1)[:, solid]
    labels = [trace.tokens[t] for t in solid]
    start, stop = mark(len(labels), typed == EXAMPLE)
    pieces = [
        escape("".join(map(theme.visible, part)))
        for part in (labels[: start - 1], labels[start - 1 : stop], labels[stop:])
    ]
    st.markdown(f"{pieces[0]}**:blue-background[{pieces[1]}]**{pieces[2]}")
    row = st.container(horizontal=True, gap="medium", vertical_alignment="bottom")
    words = "On: among the highest (or lowest) … % of its values"
    share = asked.slider(words, "share", 1, 40, 20, 1, row, width=420)
    outside = "Just outside the phrase"
    beside = one_of(outside, [*BESIDE], "beside", "off before", where=row, link=True)
    low_U, high_U = bounds(chosen.key, share, chosen)
    found = example.switches(state_UT, (start - 1, stop), low_U, high_U, BESIDE[beside])
    if not found:
        st.info(
            "No unit is on throughout this phrase and off next to it. Mark a shorter phrase,"
            " raise the share, or loosen the condition outside."
        )
        return
    names = [f"{chosen.name(s.row)} {'high' if s.sign > 0 else 'low'}" for s in found]
    more = f" and {len(found) - NAMED:,} more" if len(found) > NAMED else ""
    st.markdown(
        f"**{len(found):,} unit{'s are' if len(found) > 1 else ' is'} on throughout it:**"
        f" {'; '.join(names[:NAMED])}{more}."
    )
    list_matches(chosen, found, stop - start + 1)


def mark(length: int, is_first: bool) -> tuple[int, int]:
    """The phrase as (first, last) token from 1 on; its ends stand in the address."""
    first, last = PHRASE if is_first and length >= PHRASE[1] else (1, max(1, length // 2))
    names = ("from", "to", "phrase")  # the last in the session alone
    address.follow(*names)
    if not isinstance(
        st.session_state.get("phrase"), tuple | list
    ):  # nothing, or a text of another page
        address.recall("from", first, (1, length))
        address.recall("to", last, (1, length))
        st.session_state["phrase"] = (st.session_state["from"], st.session_state["to"])
    a, b = sorted(int(max(1, min(length, n))) for n in st.session_state["phrase"])
    # set only where it must be: it would undo what is being dragged
    if (a, b) != tuple(st.session_state["phrase"]):
        st.session_state["phrase"] = (a, b)
    found: Any = st.slider("The phrase: from token … to token …", 1, length, key="phrase")
    a, b = found
    st.session_state.update({"from": a, "to": b})
    address.write_all({"from": (str(a), str(first)), "to": (str(b), str(last))})
    address.leave(*names)
    return a, b


def list_matches(chosen: Chosen, found: list[Switch], length: int) -> None:
    of = chosen.tested.reading
    least = first = math.ceil(0.75 * len(found))
    if len(found) > 1:
        gone_back = address.follow("least")
        if not gone_back and st.session_state.get("least_of", len(found)) != len(found):
            st.session_state["least"] = first
        st.session_state["least_of"] = len(found)
        address.recall("least", first, (1, len(found)))
        least = st.slider("Minimum number on at once", 1, len(found), key="least", width=420)
        address.remember("least", first)
        address.leave("least")
    on_DN = np.stack([s.on(of.state_UN) for s in found])
    matches = example.matches(on_DN, of.piece_N, least, length)
    places = int((on_DN.sum(0) >= least).sum())
    st.markdown(
        f"**In {escape(chosen.title)}** this happens at {places:,} of {len(of):,} positions, in"
        f" {len(matches):,} stretch{'es' * (len(matches) != 1)}."
        f" {chance(chosen, on_DN, least, places)}"
    )
    if matches:
        spans = [(m.start, m.stop) for m in matches[:LISTED]]
        says = f"The {len(spans)} best of {len(matches):,} matches"
        found_places(chosen, spans, on_DN.sum(0), len(found), says)
        st.caption(
            "Matches with many units on, and of about the length of your phrase, come first."
            " The match is underlined."
        )


def chance(chosen: Chosen, on_DN: np.ndarray, least: int, places: int) -> str:
    """The same count for units that know nothing of each other."""
    if len(on_DN) == 1:
        return (
            "How often a single unit is on follows from your own setting, so there is no"
            " chance level to compare with."
        )
    by_chance = example.by_chance(on_DN, least)
    times = (
        f" The actual number is {number(places / by_chance.mean())} times as large."
        if by_chance.mean() > 0 and places
        else ""
    )
    return (
        f"**By chance** it would be {number(by_chance.mean())} (mean of {len(by_chance)}"
        f" trials, at most {by_chance.max():,}): each unit keeps its own sequence of values,"
        f" shifted along the text by a random distance.{times}"
    )


@st.cache_resource(max_entries=8, show_spinner=False)
def bounds(key: str, share: int, _chosen: Chosen) -> tuple[np.ndarray, np.ndarray]:
    return example.bounds(_chosen.tested.reading.state_UN, share / 100)
