"""The time machine: one slider, with the loss curve as its track, that takes a run back to a step
that was kept on its way."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from engine.analysis import first_reached
from engine.live import snapshots
from engine.live.markdown import escape
from engine.live.stage import colours
from engine.runs.store import SHIPPED, Run
from engine.storage.run_folder import HISTORY
from engine.training import history, probes
from pages.ui import loader
from pages.ui.language import told

_component = loader.Component(
    "unrolled_timeline", loader.import_script("timeline/timeline.js", "timeline/timeline.css")
)
LOSS = "loss_nats"
COLUMNS = 240  # of the curve
NEIGHBOURS = 3  # snapshots on either side that are opened ahead
NONE_KEPT = (
    "This run kept no snapshots, so its training cannot be rewound. To keep some, turn on"
    " snapshots in the training room."
)


def choose_step(run: Run, page: str, address: str = "run") -> Run:
    """Draw the slider of a run that kept steps on its way; returns the run as it was at the chosen
    one.

    address  where its id and the step stand in the address
    """
    steps = [*run.snapshots]
    track = (
        _track(
            str(run.folder),
            str(run.note.get("recipe")),
            int(run.note.get("steps") or 0),
            tuple(steps),
        )
        if steps or _own(run)
        else None
    )
    if track is None or len(track["steps"]) < 2:
        if track is not None and len(track["train"]) > 1:
            st.caption(told(NONE_KEPT))
        return run
    # by run: a step goes along to the next page
    key, chosen = (f"{page}.time", st.session_state.setdefault("moments", {}))
    _from_address(run, f"{page}.asked", address, chosen)
    asked = (st.session_state.get(key) or {}).get("at") or {}
    if asked.get("run") == run.id and asked.get("seq") != st.session_state.get(f"{key}.seq"):
        st.session_state[f"{key}.seq"] = asked.get("seq")
        chosen[run.id] = asked.get("step")
    now = chosen.get(run.id)
    if isinstance(now, int) and now not in track["steps"]:
        st.caption(
            told(
                "Step {now:,} of {id} was not kept as a snapshot; the finished run is shown.",
                now=now,
                id=escape(run.id),
            )
        )
    if now not in track["steps"] or now == track["end"]:
        now = None
    data = {
        **track,
        "run": run.id,
        "now": now,
        "seq": st.session_state.get(f"{key}.seq"),
        "address": address,
        "colours": {"light": colours(False)["line"], "dark": colours(True)["line"]},
    }
    _component(data=data, key=key, on_at_change=lambda: None)
    near = sorted(
        (s for s in steps if s != now),
        key=lambda s: abs(steps.index(s) - (steps.index(now) if now in steps else len(steps))),
    )
    snapshots.open_ahead(run, near[: 2 * NEIGHBOURS])
    return run if now is None else run.at(now)


def split(asked: str, ids: Mapping[str, Any]) -> tuple[str, int | None]:
    """The id of a run and a step, of what an address says: "lstm@120"; an id that is not among
    `ids` stays as it is."""
    whole, mark, step = asked.rpartition("@")
    return (
        (whole, int(step))
        if mark and asked not in ids and whole in ids and step.isdecimal() and len(step) < 10
        else (asked, None)
    )


def named(id: str) -> str:
    """A run as the address names it, with the step that its timeline is at."""
    step = st.session_state.get("moments", {}).get(id)
    return id if step is None else f"{id}@{step}"


def _from_address(run: Run, key: str, address: str, chosen: dict[str, int | None]) -> None:
    """The browser writes the step into the address; what stands there counts when it has changed
    since it was read last."""
    raw = st.query_params.get(address, "")
    if raw != st.session_state.get(key):
        st.session_state[key] = raw
        id, step = split(raw, {run.id: run})
        if id == run.id:
            chosen[run.id] = step


def _own(run: Run) -> bool:
    return not run.is_checkpoint and run.folder.parent != SHIPPED


@st.cache_data(max_entries=64, show_spinner=False)
def _track(folder: str, recipe: str, steps: int, kept: tuple[int, ...]) -> dict[str, Any]:
    """What the browser draws: the steps, `end` among them the finished run's, the curves, the
    marks."""
    place = Path(folder)
    curves = history.read(place / HISTORY)
    end = steps or max(kept, default=0)
    train = curves.get(LOSS, (np.zeros(0, int), np.zeros(0)))
    held = curves.get(first_reached.HELD_OUT, (np.zeros(0, int), np.zeros(0)))
    marks = first_reached.marks(probes.read(place), probes.describe_text(place), curves)
    return {
        "steps": sorted({*kept, end}),
        "end": end,  # later ones: it was stopped, and its best step taken
        "total": int(max([end, *kept, *train[0][-1:].tolist()])),
        "train": thin(*train),
        "held": [
            [int(s), round(float(v), 4)] for s, v in zip(*held, strict=True) if np.isfinite(v)
        ],
        "marks": [{"step": mark.step, "title": mark.title, "rule": mark.rule} for mark in marks],
    }


def thin(steps: np.ndarray, values: np.ndarray) -> list[list[float]]:
    """[step, mean, least, most] of columns that are evenly wide on a logarithmic axis; what is no
    number is left out."""
    fine = np.isfinite(values) & (steps > 0)
    steps, values = steps[fine], values[fine]
    if not len(steps):
        return []
    width = max(1e-9, float(np.log(steps[-1] / steps[0])))
    column = np.minimum(COLUMNS - 1, (np.log(steps / steps[0]) / width * COLUMNS).astype(int))
    starts = np.flatnonzero(np.r_[True, np.diff(column) > 0])
    many = np.diff(np.r_[starts, len(values)])
    means = [np.add.reduceat(x, starts) / many for x in (steps.astype(float), values)]
    rows = np.stack(
        [*means, np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)], 1
    )
    return [[round(float(step), 1), *(float(f"{x:.4g}") for x in nats)] for step, *nats in rows]
