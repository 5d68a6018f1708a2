"""Which models the Compare page compares: its picker, short names for them, and the models
themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from engine.core.registry import models
from engine.live import cache
from engine.live.markdown import escape
from engine.runs.store import Run

if TYPE_CHECKING:
    from engine.models.base import Model

FIRST, FEWEST, MOST = ("lstm", "transformer", "ngram"), 2, 5
LONGEST_NAME = 13  # as much as the pictures have room for


def speaks(run: Run) -> bool:
    """Whether a run of this model says what comes next, as far as that can be told without opening
    it."""
    if run.is_checkpoint:
        return True
    if measured := run.note.get("held_out"):
        return "bits_per_char" in measured
    try:
        kind = models.get(run.model)
    except KeyError:
        return False
    return kind.foretells


def options() -> dict[str, Run]:
    """Every run that can be compared, by id; after each run what it was on the way, as in
    lstm@120."""
    found: dict[str, Run] = {}
    for run in cache.runs(None):
        if speaks(run):
            found |= {one.id: one for one in (run, *(run.at(step) for step in run.snapshots))}
    return found


def choose() -> list[Run]:
    """The picker; the ids chosen stand in the address as `runs`.  Stops the page, with a sentence,
    where there is nothing to compare."""
    by_id = options()
    if len(by_id) < FEWEST:
        st.info(
            "There is nothing to compare yet: fewer than two language models have been trained."
            " Train some in the training room, or all shipped ones with `make zoo`."
        )
        st.stop()

    def note() -> None:
        st.query_params["runs"] = ",".join(st.session_state["compare.runs"])

    if not set(st.session_state.get("compare.runs", ["?"])) <= set(by_id):
        asked = list(dict.fromkeys(filter(None, st.query_params.get("runs", "").split(","))))[:50]
        kept = [id for id in asked if id in by_id][:MOST]
        if missing := [id for id in asked if id not in by_id]:
            more = f" and {len(missing) - 5} more" if len(missing) > 5 else ""
            st.caption(
                f"Not here, so left out: {escape(', '.join(id[:40] for id in missing[:5]))}{more}."
            )
        first = [id for id in FIRST if id in by_id]
        st.session_state["compare.runs"] = kept or (
            first if len(first) >= FEWEST else list(by_id)[:3]
        )
    chosen = st.multiselect(
        "Models: two to five",
        list(by_id),
        key="compare.runs",
        on_change=note,
        max_selections=MOST,
        format_func=lambda id: id if by_id[id].title == id else f"{id} · {by_id[id].title}",
    )
    if len(chosen) < FEWEST:
        st.info(
            "Choose at least two models: any shipped ones, your own, or one model at two steps of"
            " its training."
        )
        st.stop()
    return [by_id[id] for id in chosen]


def names(runs: Sequence[Run]) -> list[str]:
    """Short names that tell the runs apart."""
    short = [
        run.id if len(run.id) <= LONGEST_NAME else f"{run.id[: LONGEST_NAME - 5]}…{run.id[-4:]}"
        for run in runs
    ]
    return [name if short.count(name) == 1 else f"{n} {name}" for n, name in enumerate(short, 1)]


def opened(run: Run) -> Model[Any]:
    """The model.  ValueError where it can't be opened, or says nothing of what comes next."""
    model = cache.model(run)
    if not model.foretells:
        raise ValueError(f"{run.id} does not say what comes next, so it can't be compared here")
    return model
