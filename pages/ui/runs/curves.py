"""The curves of one or two trainings: their history, against steps, seconds or tokens read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from engine.core.registry import models
from engine.core.trace import Table, TableSpec
from engine.models.abilities import Translates
from engine.runs.store import Run
from engine.storage.run_folder import HISTORY, PACE
from engine.training import history
from engine.training.history import Curve
from pages.ui import plate
from pages.ui.plate import Plate

MOST_POINTS = 200  # of a curve; more are drawn as means of so many stretches
LOSS, BITS = "Loss in nats", "Bits per character"
UNITS = {
    LOSS: "nats",
    BITS: "bits per character",
    "Right answers": "share",
    "Learning rate": "learning rate",
    "Gradient norm": "norm",
}
STEPS, SECONDS, TOKENS = "Steps", "Seconds", "Tokens read"


def group(metric: str) -> str:
    """Under which heading a metric of the history is drawn; what has one unit shares a picture."""
    if metric.endswith("nats"):
        return LOSS
    if metric.endswith(("bits_per_character", "bits_per_char")):
        return BITS
    if metric.endswith(("accuracy", "exact")):
        return "Right answers"
    if metric == "rate":
        return "Learning rate"
    return (
        "Gradient norm"
        if metric.startswith("gradient_norm")
        else metric.replace("_", " ").capitalize()
    )


@st.cache_data(max_entries=16, show_spinner=False)
def _read(path: str, written: int) -> dict[str, Curve]:
    return history.read(Path(path))


def curves(run: Run) -> dict[str, Curve]:
    """{metric: (steps, values)}; nothing where the file is not there."""
    path = run.folder / HISTORY
    return _read(str(path), path.stat().st_mtime_ns) if path.is_file() else {}


def show(runs: Sequence[Run]) -> None:
    found = [curves(run) for run in runs]
    every = [{m for m in of if group(m) == g} for of in found for g in {group(m) for m in of}]
    drawn = {
        g
        for metrics in every
        for g in map(group, metrics)
        if any(len(of[m][0]) > 1 for of in found for m in metrics if m in of)
    }
    groups = sorted(drawn, key=lambda g: (list(UNITS).index(g) if g in UNITS else 9, g))
    if not groups:
        st.caption(
            "No training curves were saved for this run."
            if len(runs) == 1
            else "No training curves were saved for either run."
        )
        return
    row = st.container(horizontal=True, gap="medium", vertical_alignment="bottom")
    foreign = len({str(config(run).get("tokenizer")) for run in runs}) > 1
    what = row.selectbox(
        "Curve",
        groups,
        groups.index(BITS) if foreign and BITS in groups else 0,
        key="runs_curve",
        width=200,
    )
    ways = [
        along
        for along in (STEPS, SECONDS, TOKENS)
        if all(_along(run, along, np.ones(1)) is not None for run in runs)
    ]
    along = (
        row.segmented_control("Against", ways, key="runs_along", default=STEPS, required=True)
        if len(ways) > 1
        else STEPS
    )
    scale = row.checkbox("Logarithmic", key="runs_log", value=False, help="Both axes logarithmic")
    columns: dict[str, list[Any]] = {"series": [], "x": [], "value": []}
    for run, of in zip(runs, found, strict=True):
        for metric in sorted(
            (m for m in of if group(m) == what), key=lambda m: (m.startswith("held_out"), m)
        ):
            steps, values = thinned(*of[metric])
            x = _along(run, along, steps)
            kind = (
                "held-out text"
                if metric.startswith("held_out")
                else "training text"
                if what in (LOSS, "Loss")
                else ""
            )
            name = ", ".join(filter(None, (run.id if len(runs) > 1 else "", kind))) or what
            columns["series"] += [name] * len(steps)
            columns["x"] += [] if x is None else x.tolist()
            columns["value"] += values.tolist()
    made = {k: np.array(v, object if k == "series" else float) for k, v in columns.items()}
    table = Table(
        TableSpec(
            "history",
            tuple(made),
            f"{what} during training" if len(runs) == 1 else f"{what} during both training runs",
        ),
        made,
    )
    ids = " and ".join(run.id for run in runs)
    options = {
        "x": along.lower(),
        "y": UNITS.get(what, what.lower()),
        "of_series": "",
        "log_x": scale,
        "log_y": scale,
        "tight": True,
    }
    longest = max(len(of[m][0]) for of in found for m in of if group(m) == what)
    means = (
        f" Curves with more than {MOST_POINTS} points are drawn as the means of {MOST_POINTS}"
        " stretches."
        if longest > MOST_POINTS
        else ""
    )
    means += (
        " The tokens differ, so nats per token cannot be compared; bits per character can."
        if foreign and what == LOSS
        else ""
    )
    means += "".join(
        f" {run.id} has no such curve."
        for run, of in zip(runs, found, strict=True)
        if what not in map(group, of)
    )
    model = ", ".join(dict.fromkeys(run.model for run in runs))
    plate.show(
        Plate(
            "history",
            "curve",
            (table,),
            f"{ids}-{what}",
            f"Runs: {ids}.{means}",
            options=options,
            model=model,
            fluid=True,
        )
    )


def thinned(steps: np.ndarray, values: np.ndarray) -> Curve:
    """At most MOST_POINTS points: the means of as many stretches of equal length; what is not
    finite makes its stretch so."""
    if len(steps) <= MOST_POINTS:
        return steps, values
    edges = np.linspace(0, len(steps), MOST_POINTS + 1).round().astype(int)
    means = [(steps[a:b].mean(), values[a:b].mean()) for a, b in pairwise(edges)]
    return np.array([m[0] for m in means]), np.array([m[1] for m in means])


def _along(run: Run, along: str, steps: np.ndarray) -> np.ndarray | None:
    """Where these steps lie on the axis; None where nothing tells."""
    if along == STEPS:
        return steps.astype(float)
    if along == SECONDS:
        pace = _pace(run)
        return np.interp(steps, *pace) if len(pace[0]) > 1 else None
    each = tokens_per_step(run)
    return None if each is None else steps * float(each)


def _pace(run: Run) -> Curve:
    """(steps, seconds), as they were noted once a second; nothing where they were not."""
    try:
        lines = (run.folder / PACE).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return np.zeros(0), np.zeros(0)
    rows = [
        (float(step), float(seconds))
        for step, _, seconds in (line.partition(",") for line in lines)
        if step.isdecimal() and seconds.replace(".", "", 1).isdecimal()
    ]
    return np.array([0.0, *(r[0] for r in rows)]), np.array([0.0, *(r[1] for r in rows)])


def config(run: Run) -> Mapping[str, Any]:
    """Its settings; none where somebody changed run.json by hand."""
    found = run.note["config"]
    return found if isinstance(found, dict) else {}


def tokens_per_step(run: Run) -> int | None:
    """How many tokens one step reads, for the models that read windows of a stream; None for
    others."""
    from engine.models.neural import NeuralLanguageModel

    batch, span = config(run).get("batch"), config(run).get("span")
    if run.model not in models.ids() or not isinstance(batch, int) or not isinstance(span, int):
        return None
    kind = models.get(run.model)
    windows = issubclass(kind, NeuralLanguageModel) and not issubclass(kind, Translates)
    return batch * span if windows else None
