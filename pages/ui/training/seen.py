"""What was seen of a model while it learned: samples at the same prompts, and histograms of its
weights and activations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from engine.core.trace import Field, Kind
from engine.live.markdown import escape
from engine.storage.run_folder import PROBES
from engine.training import job as jobs
from engine.training import probes
from pages.ui import plate, rows
from pages.ui.choice import one_of
from pages.ui.plate import Plate
from pages.ui.training import overview

BINS = 40
MOST = 200  # moments that are shown: twice as many as a training can be asked for


@st.cache_resource(max_entries=24, show_spinner=False)
def _moments(folder: str, size: int) -> list[dict[str, Any]]:
    return probes.read(Path(folder))[-MOST:]


def show(folder: Path) -> None:
    """Nothing where nothing was looked at yet."""
    try:
        moments = _moments(str(folder), (folder / PROBES).stat().st_size)
    except OSError:
        return
    if not moments:
        return
    _samples(folder, moments)
    _histograms(folder, moments)


def _samples(folder: Path, moments: list[dict[str, Any]]) -> None:
    written = [
        (row["step"], prompt, text)
        for row in moments
        for prompt, text in _pairs(row.get("samples"))
    ]
    prompts = list(dict.fromkeys(prompt for _, prompt, _ in written))
    if not prompts:
        return
    st.markdown("**Samples during training**")
    prompt = prompts[0]
    if len(prompts) > 1:
        key = f"training.prompt.{folder.name}"
        prompt = str(st.selectbox("Prompt", prompts, key=key, label_visibility="collapsed"))
    lines = [
        (f"{step:,}", escape(" ⏎ ".join(text.splitlines())))
        for step, at, text in written
        if at == prompt
    ]
    head = ("step", f"goes on from “{escape(prompt)}”")
    # st.table breaks lines at 400 pixels
    st.markdown(rows.written([head, *lines], "--: | :--", texts=True))
    st.caption(
        f"All samples use the same random numbers, at temperature {probes.TEMPERATURE:g}. So any"
        " difference between two lines comes from the model."
    )


def _pairs(found: Any) -> list[tuple[str, str]]:
    pairs = found if isinstance(found, list) else []
    return [(str(p[0]), str(p[1])) for p in pairs if isinstance(p, list) and len(p) == 2]


def _histograms(folder: Path, moments: list[dict[str, Any]]) -> None:
    kinds = {
        kind: list(dict.fromkeys(name for row in moments for name in _of(row, kind)))
        for kind in ("weights", "activations")
    }
    kinds = {kind: names for kind, names in kinds.items() if names}
    if not kinds:
        return
    st.markdown("**Weights and activations during training**")
    left, right = st.columns((1, 3))
    bare: Any = {"label_visibility": "collapsed"}
    kind = one_of("Histograms of", [*kinds], f"training.kind.{folder.name}", where=left, **bare)
    key = f"training.which.{folder.name}.{kind}"
    name = str(right.selectbox("Of which", kinds[kind], key=key, **bare))
    found = {row["step"]: _of(row, kind)[name] for row in moments if name in _of(row, kind)}
    low, high = min(h["low"] for h in found.values()), max(h["high"] for h in found.values())
    if not high > low:
        st.caption(f"All numbers of {escape(name)} are {low:g}.")
        return
    edges = np.linspace(low, high, BINS + 1)
    count = np.stack([100 * rebinned(h, edges) / sum(h["counts"]) for h in found.values()])
    field = Field.of(
        "histogram",
        Kind.COUNT,
        {
            "step": (f"{step:,}" for step in found),
            "bin": (f"{x:.3g}" for x in (edges[1:] + edges[:-1]) / 2),
        },
        count,
        f"How many of 100 numbers of {name} lie in each of {BINS} equal ranges, at each step that"
        " was looked at",
        unit="of 100",
    )
    job = jobs.read(folder)
    histograms = Plate(
        "training.histogram",
        "heatmap",
        (field,),
        folder.name,
        overview.title(folder),
        options={"domain": (0.0, float(np.ceil(field.values.max())))},
        model=job.model if job else "",
        kept=f"{folder.name} {kind} {name} {len(found)} {low} {high} {count.sum():.6g}",
        fluid=True,
    )
    plate.show(histograms)


def _of(row: dict[str, Any], kind: str) -> dict[str, Any]:
    """Histograms that are sound: somebody may have changed the file."""
    found = row.get(kind)
    if not isinstance(found, dict):
        return {}
    return {str(name): h for name, h in found.items() if isinstance(h, dict) and _sound(h)}


def _sound(histogram: dict[str, Any]) -> bool:
    counts, ends = histogram.get("counts"), (histogram.get("low"), histogram.get("high"))
    numbers: list[Any] = [*ends, *counts] if isinstance(counts, list) else [None]
    return (
        all(isinstance(n, int | float) and np.isfinite(n) for n in numbers) and sum(numbers[2:]) > 0
    )


def rebinned(histogram: dict[str, Any], edges: np.ndarray) -> np.ndarray:
    """Counts (C,) of one histogram in other ranges, as if its numbers lay evenly within each of its
    own."""
    counts = np.asarray(histogram["counts"], float)
    low, high = float(histogram["low"]), float(histogram["high"])
    if not high > low:
        low, high = low - 1e-12, low + 1e-12
    below = np.concatenate([[0.0], np.cumsum(counts)])
    found: np.ndarray = np.diff(np.interp(edges, np.linspace(low, high, len(counts) + 1), below))
    return found
