"""The frame around every page: tab title, menu by era, heading, sources."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine import ROOT
from engine.course import first_minute, planted
from engine.course.base import PLACE, Step, Try
from engine.course.curriculum import LESSONS, Lesson, lesson
from engine.language.message import _
from engine.live import cache
from engine.live.markdown import escape
from engine.live.stage import Opening
from engine.runs import own
from engine.runs.store import Run
from pages.ui import (
    device,
    language,
    listings,
    live,
    menu,
    onward,
    people,
    place,
    reading,
    timeline,
    typed,
)
from pages.ui import minute as forms_minute
from pages.ui.address import open_page
from pages.ui.language import labelled, told

LINKED = 2_000  # characters of a text that a link takes along
MOST_TRIES = 3  # of another lesson: the picture comes first
# What the theme has no setting for: a narrower menu, a head in one line, and its row of the page free
# for Streamlit's own buttons, which lie over it.  And the button that begins a training: Streamlit's
# own primary one has too little contrast in the dark.
STYLE = """<style>
.stMainBlockContainer { padding: 0.55rem 3.4rem 3rem 1.6rem; max-width: none; }
.stMainBlockContainer > .stVerticalBlock { gap: 0.6rem; }
header[data-testid="stHeader"] { height: 3rem; background: transparent; pointer-events: none; }
header[data-testid="stHeader"] * { pointer-events: none; }
header[data-testid="stHeader"] :is(button, a, button *, a *) { pointer-events: auto; }
section[data-testid="stSidebar"] { width: 216px !important; min-width: 0; }
[data-testid="stCaptionContainer"] { opacity: 1; color: var(--st-text-color); }
[data-testid="stCaptionContainer"] :is(p, li) { color: color-mix(in srgb, currentColor 80%, transparent); }
@media (min-width: 641px) { .katex-display { overflow: visible !important; } }
@media (max-width: 640px) { .stMainBlockContainer .katex-display > .katex { white-space: normal; } }
@media (max-width: 640px) { .katex-display .katex-html > .base { margin-block: 3px; } }
[data-testid="stForm"] [data-testid="InputInstructions"] { display: none; }
[data-testid="stMultiSelect"] span[title] { color: light-dark(#fff, #14181c); }
section[data-testid="stSidebar"] [data-testid="stSidebarHeader"] { height: 2.75rem; margin-bottom: 0; }
.stMainBlockContainer [data-testid="stPageLink-NavLink"] { padding-left: 0; padding-right: 0; }
.stMainBlockContainer [data-testid="stPageLink-NavLink"] p { color: light-dark(#0b6e99, #62b8dc); }
.stMainBlockContainer [data-testid="stPageLink-NavLink"]:focus-visible {
  outline: 2px solid light-dark(#0b6e99, #62b8dc); outline-offset: 2px;
}
.stMainBlockContainer [data-testid="stPageLink-NavLink"]:hover { background: transparent; text-decoration: underline; }
.st-key-head { min-height: 40px; }
[data-testid="stStatusWidget"] { position: fixed; right: 1rem; bottom: 0.5rem; }
[data-testid="stMetricValue"] { font-size: 1.5rem; }
.st-key-head :is([data-testid="stSelectbox"] *, [data-testid="stPopover"] p) { font-size: 14px; }
@media (max-width: 1500px) { .st-key-models [data-tag] span[title] { max-width: 158px; } }
.st-key-positions-head-positions, .st-key-positions > * { max-width: 100%; }
.st-key-positions-head-positions [role="radiogroup"] { flex-wrap: nowrap; overflow-x: auto; }
.st-key-positions-head-positions button { flex: none; padding: 0 0.5rem; }
.st-key-positions-head-positions button p { font-size: 13px; }
[data-testid="stLayoutWrapper"]:has(> .stVerticalBlock:empty), .stHorizontalBlock:empty { display: none; }
.stVerticalBlock:has(> * > .st-key-parts), [class*="st-key-part-"],
[class*="st-key-part-"] > * > .stVerticalBlock { gap: 0.6rem; }
.st-key-parts button { padding: 0 0.5rem; }
.st-key-parts button p { font-size: 13px; }
@media (max-width: 640px) { .st-key-parts [role="radiogroup"] { flex-wrap: nowrap; overflow-x: auto; } }
@media (max-width: 640px) { .st-key-parts button { flex: none; } }
.stTabs [role="tabpanel"] { padding-top: 0.25rem; }
.stTabs [role="tab"] { height: 2rem; }
.stTabs[class*="-tabs"] { position: relative; padding: 8px 14px 10px; border-radius: 10px; }
.stTabs[class*="-tabs"], .stTabs[class*="-tabs"] [role="tab"] { border: 1px solid light-dark(#dfe3e9, #39424b); }
.stTabs[class*="-tabs"] [role="tablist"] { position: absolute; z-index: 1; top: 8px; right: 14px; gap: 4px; }
.stTabs[class*="-tabs"] [role="tab"] { padding: 2px 10px; border-radius: 6px; }
.stTabs[class*="-tabs"] [role="tab"] p { font-size: 13px; }
.stTabs[class*="-tabs"] [role="tab"][aria-selected="true"] { border-color: light-dark(#0b6e99, #62b8dc); }
.stTabs[class*="-tabs"] .react-aria-SelectionIndicator { display: none; }
.stTabs[class*="-tabs"] [role="tabpanel"] { padding-top: 0; }
.stTabs[class*="-tabs"] [role="tabpanel"] > .stVerticalBlock { gap: 0.4rem; }
.stTabs[class*="-tabs"] [role="tabpanel"] > * > :first-child { min-height: 32px; padding: 4px 224px 0 0; }
@media (max-width: 640px) {
  .stMainBlockContainer .stHorizontalBlock { row-gap: 0.4rem; }
  .st-key-explained { flex-wrap: nowrap !important; }
  .st-key-explained > * { flex: 1 1 0; min-width: 0; }
  .stTabs[class*="-tabs"] { padding: 6px 8px 10px; }
  .stTabs[class*="-tabs"] [role="tablist"] { position: relative; top: 0; right: 0; justify-content: end; }
  .stTabs[class*="-tabs"] [role="tabpanel"] > * > :first-child { padding-right: 0; }
}
.st-key-head > * { min-width: 0; }
.st-key-head > :nth-child(2) { min-width: 120px; }
@media (min-width: 900px) {
  .st-key-head { flex-wrap: nowrap !important; }
  .st-key-head > :has([data-testid="stSelectbox"]) { flex-shrink: 1; min-width: 160px; }
}
@media (min-width: 641px) and (max-width: 1100px) {
  .st-key-head { flex-wrap: wrap !important; row-gap: 0.2rem; }
  .st-key-head > :nth-child(2) { flex-basis: 100%; order: 1; }
}
.st-key-head h2 { padding: 0; font-size: 24px; line-height: 32px; white-space: nowrap; }
.st-key-head p { font-size: 16px; line-height: 24px; }
.stApp:has([data-testid="stExpandSidebarButton"]) .st-key-head h2 { padding-left: 30px; }
.st-key-training-start button { background: light-dark(#0b6e99, #62b8dc); border: 0; }
.st-key-training-start button, .st-key-training-start button:hover { color: light-dark(#ffffff, #14181c); }
.st-key-training-start button:hover { background: light-dark(#085677, #8accea); }
[data-testid="stMarkdownContainer"] :is(th, td) { font-size: 14px; line-height: 20px; padding: 0.3rem 0.6rem; }
@media (max-width: 1100px) {
  [data-testid="stMarkdownContainer"] table { display: block; max-width: 100%; overflow-x: auto; }
}
@media (max-width: 1400px) { .st-key-head p { font-size: 14px; line-height: 18px; } }
@media (max-width: 640px) { .stMainBlockContainer { padding: 0.55rem 0.8rem 2rem; } }
@media (max-width: 640px) {
  .st-key-head h2 { font-size: 20px; line-height: 24px; white-space: normal; }
  [data-testid="stMarkdownContainer"] :is(th, td) { padding-inline: 0.3rem !important; font-size: 13px; }
  .st-key-head p { font-size: 14px; line-height: 18px }
  .st-key-head { padding-right: 2.4rem; row-gap: 0.3rem; }
  .st-key-head > :has([data-testid="stSelectbox"]) { flex: 1 1 10rem; width: auto; max-width: 100%; }
  .st-key-head > :nth-child(2) { flex-basis: 100%; order: 1; }
}
</style>"""
ICON = ROOT / "assets" / "icon.svg"


def frame(title: str, id: str = "") -> None:
    """What stands around every page; `id` is that of its lesson."""
    menu.follow(id)
    open_page(id)
    live.leave(id or "home")
    language.follow()
    st.set_page_config(
        page_title=told(title), page_icon=ICON, layout="wide", initial_sidebar_state="auto"
    )
    st.html(STYLE)
    people.enter()
    with st.sidebar:
        menu.show_menu(id)
        device.show_switch()
        language.switch()
        people.show_person()
        place.scroll_to(id)  # here, where it moves nothing that a browser would draw anew


def head(id: str) -> Lesson:
    """Draw the head of a lesson's page: its title and question in one line.  What is chosen for the
    whole page can follow in the same line: `with shell.bar():`."""
    here = lesson(id)
    frame(_("{title} · Unrolled", title=_(here.title)), id)
    top(here.title, here.question)
    forms_minute.show_first_minute(id, bar())
    return here


def top(title: str, question: str) -> None:
    """The line in which a page says what it is; `bar` goes on with it."""
    st.session_state["head"] = row = st.container(
        key="head", horizontal=True, vertical_alignment="center", gap="small"
    )
    row.header(told(title), anchor=False, width="content")
    row.markdown(told(question), width="stretch")


def bar() -> DeltaGenerator:
    """The line that the title of this page stands in."""
    found = st.session_state["head"]
    assert isinstance(found, DeltaGenerator)
    return found


def enter(id: str, also: Iterable[str] = ()) -> tuple[Lesson, Run]:
    """Draw the head of a lesson's page; returns the lesson and the run to show.  Stops the page
    when there is no run.

    also  ids of other models whose runs the page can show
    """
    here = head(id)
    runs = sorted(runs_of(here, also), key=lambda run: run.id != here.opens)
    return here, choose(runs, id, where=bar())


def runs_of(here: Lesson, also: Iterable[str] = ()) -> list[Run]:
    """Of the model of a lesson, or all.  Stops the page when there are none."""
    runs = cache.runs_of(here.model, *also) if here.model else cache.runs(None)
    if not runs:
        st.info(
            told(
                _(
                    "No {model} model has been trained yet. Train one with `python -m engine train"
                    " {model} --text FILE --out DIR`, or train all of them with `make zoo`.",
                    model=here.model,
                )
                if here.model
                else "There is no trained model yet. Train one in the training room, or with `make zoo`."
            )
        )
        st.stop()
    return runs


def opening(here: Lesson, run: Run | None = None, *shown: str) -> Opening:
    """What a page opens with: its examples, or those that fit what the run has learned; of another
    model than the lesson's own nothing is claimed.  `shown` as in `minute`.  A lesson of any model
    takes the examples of the one about this model: a translator's or a tagger's are of another kind."""
    if run is not None and not here.model:
        of = next((item for item in LESSONS if item.model == run.model and item.live), None)
        found = opening(of, run) if of else Opening(here.id, here.example, here.tries)
        tries = tuple(Try(t.text, "") for t in found.tries[:MOST_TRIES]) if of else here.tries
        return Opening(here.id, found.example, tries, steps=minute(here, run))
    name = "" if run is None or own.is_own(run) else run.folder.name
    if (
        run is not None
        and name not in here.true_of
        and (tries := planted.tries(here.id, run.note, name))
    ):
        return Opening(here.id, tries[0].text, tries, tries[0].link)
    shown_by = (here.model, *here.true_of)
    if run is not None and (own.is_own(run) or run.folder.name not in shown_by):
        return Opening(
            here.id,
            here.example,
            tuple(t.elsewhere for t in here.tries),
            "" if PLACE.search(here.first) else here.first,
            steps=minute(here, run, *shown),
        )
    return Opening(here.id, here.example, here.tries, here.first, steps=minute(here, run, *shown))


def minute(here: Lesson, run: Run | None = None, *shown: str) -> tuple[Step, ...]:
    """The first minute of a lesson, where the page shows what it speaks of.

    run    the only one that is shown
    shown  of a page with several, or with a choice of its own: what `Lesson.true_of` names
    """
    if run is not None:
        shown = ("" if own.is_own(run) else run.id, *shown)
    return first_minute.true_of(here.id, here.model, shown)


def choose(
    runs: list[Run],
    page: str = "",
    label: str = "Model",
    address: str = "run",
    where: DeltaGenerator | None = None,
) -> Run:
    """The run to show, as it was at the step that its timeline is at: a picker when there are
    several.

    address  where its id stands in the address, with the step behind it: run=lstm@120
    where    the line of the head that the picker stands in, there without a label

    Each page keeps its own: what a bound widget of the same name chose on one page would come along
    to the next.
    """
    by_id = {run.id: run for run in runs}
    key = f"{page}.run"
    if len(runs) == 1:
        return reading.choose_way(timeline.choose_step(runs[0], page, address), page)

    def changed() -> None:
        st.query_params[address] = timeline.named(st.session_state[key])

    if st.session_state.get(key) not in by_id:
        given = st.query_params.get(address, "")
        asked, __ = timeline.split(given, by_id)
        if asked and asked not in by_id:
            st.caption(
                told(
                    "This page cannot show a run “{given}”; another one is chosen.",
                    given=escape(given[:60]),
                )
            )
        st.session_state[key] = asked if asked in by_id else runs[0].id
    chosen = (where or st).selectbox(
        told(label),
        by_id,
        key=key,
        on_change=changed,
        **labelled(lambda id: _called(id, by_id)),
        width=306 if where else 420,
        label_visibility="collapsed" if where else "visible",
    )
    return reading.choose_way(timeline.choose_step(by_id[chosen], page, address), page)


def _called(id: str, among: Mapping[str, Run]) -> str:
    """The title of a run; where others have the same, with its id."""
    if id not in among:
        return id
    title = among[id].title
    alone = sum(run.title == title for run in among.values()) == 1
    return title if alone else _("{title} ({id})", title=_(title), id=id)


def describe_run(run: Run) -> str:
    """Where the numbers come from, in one line."""
    held_out = run.note.get("held_out", {}).get("bits_per_char")
    named = _("Model: {title} ({id})", title=_(run.title), id=run.id)
    read = run.note["corpus"].get("name", "a text of yours")
    if held_out:
        return _(
            "{named}, trained on {read}; {held_out:.2f} bits per character on text held"
            " out from training.",
            named=named,
            read=_(read),
            held_out=held_out,
        )
    return _("{named}, trained on {read}.", named=named, read=_(read))


def sources(here: Lesson, run: Run | None = None) -> None:
    with st.expander(told("Sources, and how this differs from the course notes")):
        st.markdown("\n".join(f"- {told(source)}" for source in here.sources))
        first, *more = told(here.differs).split("\n")  # a point, a line
        st.markdown("\n".join([first, *(f"- {point}" for point in more)]) if more else first)
        if run:
            st.caption(told(describe_run(run)))
    listings.show_listings(here)
    if run and here.id != "inspect" and run.id in {found.id for found in cache.runs(None)}:
        inspect(run)
    onward.link_neighbours(here)


def inspect(run: Run) -> None:
    """A link to every number of a run, with the text that stands in the box."""
    query = {"run": f"{run.id}@{run.step}" if run.step is not None else run.id}
    text = typed.text()[:LINKED]
    if text := text.encode(errors="ignore").decode():  # half of an emoji has no place in a link
        query["text"] = text
    st.page_link(
        f"pages/{lesson('inspect').page}",
        label=told("Inspect every number of this model"),
        query_params=query,
    )
