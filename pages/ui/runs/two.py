"""Two runs: which one stands beside, and what tells them apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from engine.course.curriculum import lesson
from engine.runs.store import Run
from pages.ui import rows
from pages.ui.runs.curves import config
from pages.ui.runs.one import ABSENT, duration, said, stated

FACTS: dict[str, Callable[[Run], Any]] = {
    "model": lambda run: run.model,
    "corpus": lambda run: stated(run, "corpus.name"),
    "its characters": lambda run: stated(run, "corpus.characters"),
    "its digest": lambda run: str(stated(run, "corpus.digest") or "")[:12],
    "seed": lambda run: stated(run, "seed"),
    "device": lambda run: stated(run, "device"),
    "training": lambda run: (
        duration(seconds) if isinstance(seconds := stated(run, "seconds"), int | float) else None
    ),
}


def beside(runs: Sequence[Run], run: Run) -> Run | None:
    """The picker of the run to compare with; its id stands in the address as `with`."""
    others = {other.id: other for other in runs if other.id != run.id}

    def note() -> None:
        chosen = st.session_state["runs_with"]
        if chosen:
            st.query_params["with"] = chosen
        else:
            st.query_params.pop("with", None)

    if "runs_with" not in st.session_state:
        st.session_state["runs_with"] = st.query_params.get("with")
    if st.session_state["runs_with"] not in others:
        st.session_state["runs_with"] = None
    chosen = st.selectbox(
        "Compare with",
        others,
        key="runs_with",
        index=None,
        on_change=note,
        placeholder="another run",
        format_func=lambda id: f"{others[id].title} ({id})",
        width=420,
    )
    return others.get(str(chosen))


def differences(one: Run, other: Run) -> None:
    """Only what differs, side by side."""

    a, b = (config(run) for run in (one, other))
    both = [(name, find(one), find(other)) for name, find in FACTS.items()]
    both += [(name, a.get(name), b.get(name)) for name in {**a, **b}]
    apart = [{"what": name, one.id: said(x), other.id: said(y)} for name, x, y in both if x != y]
    st.markdown("**What differs**")
    if apart:
        rows.show(apart, "runs_apart", height=min(400, 36 * len(apart) + 40))
    same = sum(name in b and b[name] == value for name, value in a.items())
    st.caption(
        f"{'Nothing differs; ' if not apart else ''}{same}"
        f" {'setting is' if same == 1 else 'settings are'} the same in both. {ABSENT} means that"
        " the run has no such setting, or does not record it."
    )
    if all("bits_per_char" in (stated(run, "held_out") or {}) for run in (one, other)):
        query = {"runs": f"{one.id},{other.id}"}
        page = f"pages/{lesson('compare').page}"
        st.page_link(page, label="Compare both on a text", query_params=query)
