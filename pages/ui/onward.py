"""Where one goes from a page: at the foot of a lesson to those before it and the next, from a page of before to
where its content stands now, to the door of a model that is worth having here, and to the training room."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from engine.course.base import Lesson
from engine.course.curriculum import LESSONS, MAP, lesson
from engine.course.topics.base import PANEL
from engine.lessons.former_pages import MOVED
from engine.live import cache
from engine.pretrained.packaged import PACKAGED
from engine.training import settings_in_address
from pages.ui import place
from pages.ui.language import told


def link_neighbours(here: Lesson) -> None:
    course = [item for item in LESSONS if item is not MAP]
    if here not in course:
        return
    with st.container(
        horizontal=True, vertical_alignment="center", gap="small", key="known_before"
    ):
        known = [lesson(id) for id in here.before]
        words = told("About {minutes} minutes.", minutes=here.minutes)
        before = f"{words} {told('Good to know before:')}" if known else words
        st.caption(before, width="content")
        for item in known:
            _link(item)
    at = course.index(here)
    with st.container(
        horizontal=True, horizontal_alignment="distribute", gap="small", key="previous_next"
    ):
        if at:
            _link(course[at - 1], "Previous")
        if at + 1 < len(course):
            _link(course[at + 1], "Next")


def _link(item: Lesson, which: str = "") -> None:
    title = told(item.title)
    label = f"{told(which)}: **{title}**" if which else title
    st.page_link(f"pages/{item.page}", label=label, help=told(item.question))


def lead_on(id: str) -> None:
    new, chosen = MOVED[id]
    asked = chosen(st.query_params.to_dict())
    st.switch_page(f"pages/{lesson(new).page}", query_params=asked)


def offer(name: str, opens: str = "") -> None:
    """A sentence and a link, to the door or, where the model is here, to the lesson `opens` with it; without
    one nothing, for the page's choice of models has it then."""
    about = PACKAGED[name]
    here = name in {run.id for run in cache.runs(None)}
    if here and not opens:
        return
    with st.container(
        horizontal=True, vertical_alignment="center", gap="small", key=f"offers.{name}"
    ):
        st.markdown(f"**{told(about.called)}**: {told(about.says)}", width="content")
        if here:
            label, page, query = told("Look into it"), opens, {"run": name}
        else:
            label = told("Add it in Runs: {size:,.0f} MB, once", size=about.size / 1e6)
            page, query = "runs", {PANEL: place.part_id("add")}
        icon = ":material/arrow_forward:"
        st.page_link(f"pages/{lesson(page).page}", label=label, icon=icon, query_params=query)


def train_with(
    settings: Mapping[str, Any],
    model: str = "lstm",
    text: str = "",
    label: str = "Train with this",
    where: Any = st,
    start: str = "",
) -> None:
    """Opens the training room with these settings in its form; nothing starts by itself.

    settings  by the names of the model's config; what is not named is at its default there
    text      id of a text; empty: the one that the room holds
    start     id of a run that it goes on from
    """
    asked = {
        "model": model,
        **({"corpus": text} if text else {}),
        settings_in_address.ASKED: settings_in_address.join_settings(settings),
    }
    asked |= {"start": start} if start else {}
    where.page_link(
        "pages/610_training.py",
        label=told(label),
        icon=":material/fitness_center:",
        query_params=asked,
    )
