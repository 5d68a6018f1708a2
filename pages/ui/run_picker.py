"""The picker of a page that shows several models."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine.frame.part import Compared
from engine.language.message import _
from engine.live import cache
from engine.live.markdown import escape
from engine.runs.store import Run
from pages.ui import timeline, widgets
from pages.ui.language import labelled, told

FEWEST, MOST = 2, 5


def earlier(id: str, runs: Mapping[str, Run]) -> Run | None:
    """The run that an id like lstm@120 names: one of `runs` as it was at a step that it kept."""
    whole, step = timeline.split(id, runs)
    run = runs.get(whole)
    return run.at(step) if run and step is not None and step in run.snapshots else None


def choose(page: str, of: Compared) -> list[Run]:
    """The picker; the ids chosen stand in the address as `runs`.  Stops the page, with a sentence,
    where there is nothing to compare.  `page`: id of its lesson."""
    by_id, key = {run.id: run for run in cache.runs(None) if of.fits(run)}, f"{page}.runs"
    by_id |= {run.id: run for run in of.more()}
    if len(by_id) < FEWEST:
        st.info(
            told(
                "There is nothing to compare yet: fewer than two language models have been trained."
                " Train some in the training room, or all shipped ones with `make zoo`."
            )
        )
        st.stop()

    # a step of a training is listed once it is chosen: with all of them the list would be endless
    asked = [*st.query_params.get("runs", "").split(","), *st.session_state.get(key, ())]
    by_id |= {id: one for id in asked[: 50 + MOST] if (one := earlier(id, by_id))}

    def note() -> None:
        st.query_params["runs"] = ",".join(st.session_state[key])

    if not set(st.session_state.get(key, ["?"])) <= set(by_id):
        asked = list(dict.fromkeys(filter(None, st.query_params.get("runs", "").split(","))))[:50]
        kept = [id for id in asked if id in by_id][:MOST]
        if missing := [id for id in asked if id not in by_id]:
            more = _(" and {missing} more", missing=len(missing) - 5) if len(missing) > 5 else ""
            st.caption(
                told(
                    "Not here, so left out: {id}{more}.",
                    id=escape(", ".join(id[:40] for id in missing[:5])),
                    more=more,
                )
            )
        st.session_state[key] = kept or of.before(by_id)
    titles = [run.title for run in by_id.values()]
    row = st.container(key="models", horizontal=True, vertical_alignment="center", gap="small")
    chosen = row.multiselect(
        told("Models: two to five"),
        list(by_id),
        key=key,
        on_change=note,
        max_selections=MOST,
        select_all=False,
        filter_mode="contains",
        label_visibility="collapsed",
        **labelled(
            lambda id: (
                by_id[id].title
                if titles.count(by_id[id].title) == 1
                else _("{title} ({id})", title=_(by_id[id].title), id=id)
            )
        ),
    )
    pick_several(row, by_id, note, key, of.presets)
    rewind(row, by_id, note, page)
    if len(chosen) < FEWEST:
        st.info(
            told(
                "Choose at least two models: any shipped ones, your own, or one model at two steps of"
                " its training."
            )
        )
        st.stop()
    return [by_id[id] for id in chosen]


def pick_several(
    where: DeltaGenerator,
    by_id: Mapping[str, Run],
    note: Callable[[], None],
    key: str,
    presets: Mapping[str, Sequence[str]],
) -> None:
    """A menu that chooses several runs at once."""
    here = {
        words: [*filter(None, (find_id(id, by_id) for id in presets[words]))] for words in presets
    }
    if not any(here.values()):
        return

    menu = f"{key}.ready"

    def choose_all(ids: list[str]) -> None:
        st.session_state[key] = ids
        widgets.renew(menu)
        note()

    says = "Models chosen together, for one question"
    with where.popover(told("A comparison"), help=told(says), key=widgets.key(menu)):
        for words, ids in here.items():
            if len(ids) >= FEWEST:
                st.button(told(words), key=f"{key}.{words}", on_click=choose_all, args=(ids,))


def find_id(id: str, runs: Mapping[str, Run]) -> str:
    """The id, where its run is there; of one that ends in @ that of the earliest step kept."""
    whole, at, step = id.partition("@")
    run = runs.get(whole)
    if run and at and not step and run.snapshots:
        return f"{whole}@{min(run.snapshots)}"
    return id if id in runs or earlier(id, runs) else ""


def rewind(
    where: DeltaGenerator, by_id: Mapping[str, Run], note: Callable[[], None], page: str
) -> None:
    """A menu that adds one of the runs as it was at a step of its training."""
    kept = {id: run for id, run in by_id.items() if run.step is None and run.snapshots}
    if not kept:
        return

    def add() -> None:
        one = f"{st.session_state[f'{page}.of']}@{st.session_state[f'{page}.step']}"
        key = f"{page}.runs"
        already = st.session_state[key]
        if one not in already and len(already) < MOST:
            st.session_state[key] = [*already, one]
            widgets.renew(menu)
            note()

    menu, says = f"{page}.rewind", "A model as it was at a step of its training"
    with where.popover(told("An earlier step"), help=told(says), key=widgets.key(menu)):
        id = st.selectbox(
            told("Model"), list(kept), **labelled(lambda id: kept[id].title), key=f"{page}.of"
        )
        steps = [step for step in kept[id].snapshots if step != kept[id].note.get("steps")]
        st.selectbox(told("Step"), steps, key=f"{page}.step", **labelled(lambda step: f"{step:,}"))
        st.button(told("Add it"), key=f"{page}.add", on_click=add, disabled=not steps)
