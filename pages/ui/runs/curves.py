"""The curves of one or two trainings: their history, against steps, seconds or tokens read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from engine.core.registry import models
from engine.models.abilities import Translates
from engine.runs.store import Run
from engine.storage.run_folder import HISTORY
from engine.training import history
from engine.training.history import Curve
from pages.ui import plate
from pages.ui.choice import one_of
from pages.ui.training import verdict

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
    if metric.startswith("gradient_norm"):
        return "Gradient norm"
    return "Learning rate" if metric == "rate" else metric.replace("_", " ").capitalize()


@st.cache_data(max_entries=16, show_spinner=False)
def _read(path: str, written: int) -> dict[str, Curve]:
    return history.read(Path(path))


def curves(run: Run) -> dict[str, Curve]:
    """{metric: (steps, values)}; nothing where the file is not there."""
    path = run.folder / HISTORY
    return _read(str(path), path.stat().st_mtime_ns) if path.is_file() else {}


def show(runs: Sequence[Run]) -> None:
    found = [curves(run) for run in runs]
    drawn = {group(m) for of in found for m, (steps, _) in of.items() if len(steps) > 1}
    groups = sorted(drawn, key=lambda g: (list(UNITS).index(g) if g in UNITS else 9, g))
    if not groups:
        whose = "this run" if len(runs) == 1 else "either run"
        st.caption(f"No training curves were saved for {whose}.")
        return
    row = st.container(horizontal=True, gap="medium", vertical_alignment="bottom")
    foreign = len({str(config(run).get("tokenizer")) for run in runs}) > 1
    first = groups.index(BITS) if foreign and BITS in groups else 0
    what = row.selectbox("Curve", groups, first, key="runs_curve", width=200)
    ways = [
        along
        for along in (STEPS, SECONDS, TOKENS)
        if all(_along(run, along, np.ones(1)) is not None for run in runs)
    ]
    along = one_of("Against", ways, "runs_along", where=row) if len(ways) > 1 else STEPS
    scale = row.checkbox("Logarithmic", key="runs_log", value=False, help="Both axes logarithmic")
    series = []
    for run, of in zip(runs, found, strict=True):
        mine = (m for m in of if group(m) == what)
        for metric in sorted(mine, key=lambda m: (m.startswith("held_out"), m)):
            steps, values = thinned(*of[metric])
            kind = "training text" if what in (LOSS, "Loss") else ""
            kind = "held-out text" if metric.startswith("held_out") else kind
            name = ", ".join(filter(None, (run.id if len(runs) > 1 else "", kind))) or what
            x = _along(run, along, steps)
            assert x is not None  # every run can be drawn against each of `ways`
            series.append((name, x, values))
    ids = " and ".join(run.id for run in runs)
    longest = max(len(of[m][0]) for of in found for m in of if group(m) == what)
    means = ""
    if longest > MOST_POINTS:
        means += f" Curves with more than {MOST_POINTS} points are drawn as the means of"
        means += f" {MOST_POINTS} stretches."
    if foreign and what == LOSS:
        means += " The tokens differ, so nats per token cannot be compared; bits per character can."
    means += "".join(
        f" {run.id} has no such curve."
        for run, of in zip(runs, found, strict=True)
        if what not in map(group, of)
    )
    figure = plate.lines(
        "history",
        f"{what} during {'training' if len(runs) == 1 else 'both training runs'}",
        series,
        f"{ids}-{what}",
        f"Runs: {ids}.{means}",
        x=along.lower(),
        y=UNITS.get(what, what.lower()),
        of_series="",
        log_x=scale,
        log_y=scale,
        tight=True,
        every=True,
        model=", ".join(dict.fromkeys(run.model for run in runs)),
        fluid=True,
    )
    plate.show(figure)
    if len(runs) == 1 and what == LOSS:
        verdict.show(found[0].get("loss_nats"), found[0].get("held_out_nats"))


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
        noted, seconds = history.pace(run.folder)
        return np.interp(steps, np.r_[0, noted], np.r_[0, seconds]) if len(noted) else None
    each = tokens_per_step(run)
    return None if each is None else steps * float(each)


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
