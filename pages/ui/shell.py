"""The frame around every page: tab title, menu by era, heading, sources."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

import streamlit as st

from engine import ROOT
from engine.lessons import planted
from engine.lessons.base import PLACE
from engine.lessons.curriculum import LESSONS, Lesson, lesson
from engine.lessons.finding import MAP
from engine.live import cache
from engine.live.markdown import escape
from engine.live.stage import Opening
from engine.runs import own
from engine.runs.store import Run
from pages.ui import device, place, timeline, typed

LINKED = 2_000  # characters of a text that a link takes along
# What the theme has no setting for: less empty space around the page, a narrower menu.
STYLE = """<style>
.stMainBlockContainer { padding: 2.6rem 2rem 3rem; max-width: 1560px; }
section[data-testid="stSidebar"] { width: 216px !important; min-width: 0; }
@media (max-width: 640px) { .stMainBlockContainer { padding: 3rem 0.8rem 2rem; } }
</style>"""
ICON = ROOT / "assets" / "icon.svg"


def frame(title: str, id: str = "") -> None:
    """What stands around every page; `id` is that of its lesson."""
    st.set_page_config(
        page_title=title, page_icon=ICON, layout="wide", initial_sidebar_state="auto"
    )
    st.html(STYLE)
    with st.sidebar:
        st.page_link("app.py", label="**Unrolled**")
        st.page_link(f"pages/{MAP.page}", label=MAP.title)
        menu = (item for item in LESSONS if item is not MAP)
        for era, lessons in groupby(menu, key=lambda item: item.era):
            st.caption(era)
            for item in lessons:
                st.page_link(f"pages/{item.page}", label=item.title)
        device.show()
    place.go(id)


def head(id: str) -> Lesson:
    """Draw the head of a lesson's page."""
    here = lesson(id)
    frame(f"{here.title} · Unrolled", id)
    st.header(here.title, anchor=False)
    st.markdown(f"**{here.question}**")
    return here


def enter(id: str, also: Iterable[str] = ()) -> tuple[Lesson, Run]:
    """Draw the head of a lesson's page; returns the lesson and the run to show.  Stops the page
    when there is no run.

    also  ids of other models whose runs the page can show
    """
    here = head(id)
    runs = cache.runs_of(here.model, *also)
    if not runs:
        st.info(
            f"No {here.model} model has been trained yet. Train one with `python -m engine"
            f" train {here.model} --text FILE --out DIR`, or train all of them with `make"
            " zoo`."
        )
        st.stop()
    return here, choose(runs, id)


def opening(here: Lesson, run: Run | None = None) -> Opening:
    """What a page opens with: its examples, or those that fit what the run has learned; of another
    model than the lesson's own nothing is claimed."""
    if run is not None and (
        tries := planted.tries(here.id, run.note, "" if own.is_own(run) else run.folder.name)
    ):
        return Opening(here.id, tries[0].text, tries, tries[0].link)
    if run is not None and (own.is_own(run) or run.folder.name != here.model):
        return Opening(
            here.id,
            here.example,
            tuple(t.elsewhere for t in here.tries),
            "" if PLACE.search(here.first) else here.first,
        )
    return Opening(here.id, here.example, here.tries, here.first)


def choose(runs: list[Run], page: str = "", label: str = "Model", address: str = "run") -> Run:
    """The run to show, as it was at the step that its timeline is at: a picker when there are
    several.

    address  where its id stands in the address, with the step behind it: run=lstm@120

    Each page keeps its own: what a bound widget of the same name chose on one page would come along
    to the next.
    """
    by_id = {run.id: run for run in runs}
    key = f"{page}.run"
    if len(runs) == 1:
        return timeline.at(runs[0], page, address)

    def changed() -> None:
        st.query_params[address] = timeline.named(st.session_state[key])

    if st.session_state.get(key) not in by_id:
        given = st.query_params.get(address, "")
        asked, _ = timeline.split(given, by_id)
        if asked and asked not in by_id:
            st.caption(
                f"This page cannot show a run “{escape(given[:60])}”; another one is chosen."
            )
        st.session_state[key] = asked if asked in by_id else runs[0].id
    # the id first: it stands in the address, and titles may repeat
    chosen = st.selectbox(
        label,
        by_id,
        key=key,
        on_change=changed,
        format_func=lambda id: f"{id} · {by_id[id].title}" if id in by_id else id,
        width=420,
    )
    return timeline.at(by_id[chosen], page, address)


def about(run: Run) -> str:
    """Where the numbers come from, in one line."""
    held_out = run.note.get("held_out", {}).get("bits_per_char")
    quality = (
        f"; {held_out:.2f} bits per character on text held out from training" if held_out else ""
    )
    return (
        f"Model: {run.title} ({run.id}), trained on"
        f" {run.note['corpus'].get('name', 'a text of yours')}{quality}."
    )


def sources(here: Lesson, run: Run | None = None) -> None:
    with st.expander("Sources, and how this differs from the course notes"):
        st.markdown("\n".join(f"- {source}" for source in here.sources))
        st.markdown(here.differs)
        if run:
            st.caption(about(run))
    if run and here.id != "inspect" and run.id in {found.id for found in cache.runs(None)}:
        inspect(run)


def inspect(run: Run) -> None:
    """A link to every number of a run, with the text that stands in the box."""
    query = {"run": f"{run.id}@{run.step}" if run.step is not None else run.id}
    text = typed.text()[:LINKED]
    if text := text.encode(errors="ignore").decode():  # half of an emoji has no place in a link
        query["text"] = text
    st.page_link(
        f"pages/{lesson('inspect').page}",
        label="Inspect every number of this model",
        query_params=query,
    )
