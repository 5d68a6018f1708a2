"""What a training will cost, before it starts: parameters, memory, disk, and time as measured on
its first steps."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import streamlit as st

from engine.live.markdown import escape
from engine.nn.plan import Batched, Stepped
from engine.text import collection
from engine.training import estimate
from engine.training.estimate import Estimate
from engine.training.job import Job
from pages.ui import rows
from pages.ui.training import estimate as training_time
from pages.ui.training import overview

PARTS = {
    "program": "Python and torch",
    "text": "the text, as lines and as numbers",
    "weights": "parameters, 4 bytes each",
    "gradients": "a gradient for each, 4 bytes",
    "optimiser": "optimiser state, 4 bytes a number",
    "activations": "activations kept for backpropagation through one batch",
    "output": "gradients of the outputs",
    "best": "the best model so far",
    "checkpoint": "checkpoint to resume from",
    "snapshots": "snapshots during training",
}


@st.cache_resource(max_entries=1, ttl=120, show_spinner=False)  # it may be large
def text_of(id: str) -> str:
    return collection.find(id).text()


@st.cache_resource(max_entries=128, show_spinner="Counting tokens and parameters …")
def _estimated(
    model: str, text: str, settings: str, snapshots: int, _config: Any
) -> Estimate | str:
    """Or why not, in one sentence."""
    try:
        return estimate.estimate(model, _config, text_of(text), snapshots)
    except (ValueError, LookupError) as problem:
        return str(problem)


def show(job: Job, config: Any, key: str) -> bool:
    """False where it can't be trained, which is then said."""
    model, (text,) = job.model, job.texts
    settings = {k: v for k, v in asdict(config).items() if k not in training_time.FREE}
    about = json.dumps([model, text, settings], sort_keys=True)
    steps = str(config.steps if isinstance(config, Stepped) else "")
    found = _estimated(model, text, about + steps, job.snapshots, config)
    if isinstance(found, str):
        st.error(f"This can't be trained: {escape(found)}.")
        return False
    training_time.probing(model, text, config, about, key)
    measured = training_time.timed().get(about)
    seconds = training_time.seconds_of(measured, config) if measured else None
    boxes = st.columns(4)
    cut, sign = found.cut, "" if found.cut.whole else "about "
    if found.parameters:
        boxes[0].metric(
            "Parameters",
            f"{found.parameters:,}",
            help=f"Numbers that are learned, for a vocabulary of {sign}{cut.vocabulary:,} tokens.",
        )
    elif cut.ngrams:
        counts = ", ".join(f"{n:,} of {m}" for m, n in enumerate(cut.ngrams, 1))
        says = f"Different runs of tokens: {counts}"
        boxes[0].metric("N-grams", f"{sum(cut.ngrams):,}", help=says)
    else:
        says = "This model counts; it has no real-valued parameters."
        boxes[0].metric("Parameters", "none", help=says)
    memory = found.memory_bytes or (measured[0].memory_bytes if measured else 0)
    boxes[1].metric(
        "Memory",
        size(memory) if memory else "not yet",
        help="During training. An estimate; the true figure is shown while it runs."
        + (f" Above {job.memory:g} GB the training is stopped." if job.memory else ""),
    )
    boxes[2].metric(
        "Disk",
        size(found.disk_bytes) if found.disk_bytes else "a few MB",
        help="With snapshots, and a checkpoint that is deleted at the end.",
    )
    boxes[3].metric(
        "Time",
        overview.lasting(seconds) if seconds is not None else "not yet",
        help="Time per step, measured on the first ones, times the number of steps. Other jobs"
        " on this computer make it longer.",
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        says = (
            f"{cut.tokens:,} tokens to learn from, {cut.vocabulary:,} different ones"
            if cut.whole
            else f"About {cut.tokens:,} tokens to learn from, about {cut.vocabulary:,} different ones"
        )
        labels = f"; {cut.labels} labels" if cut.labels else ""
        st.caption(f"{says}{labels}; {found.characters:,} characters.")
        training_time.offer(model, text, config, about, bool(measured))
    _warn(found, config, memory, 1e9 * job.memory)
    if found.memory or found.disk:
        with st.expander("How this is estimated", key="training.how"):
            parts = [
                {"of": of, "part": part, "what": PARTS[part], "MB": value / 1e6}
                for of, some in (("memory", found.memory), ("disk", found.disk))
                for part, value in some.items()
            ]
            rows.show(parts, "training.parts", {"MB": "%.1f"}, height="content")
    return True


def _warn(found: Estimate, config: Any, memory: int, most: float) -> None:
    free, disk = estimate.room(overview.root())
    if memory > free:
        st.warning(
            f"Training needs about {size(memory)} of memory, and {size(free)} is free. Choose a"
            " smaller batch, span or model, or use gradient accumulation or recomputation."
        )
    elif memory > most > 0:
        st.warning(
            f"Training needs about {size(memory)} of memory, above the limit of {size(most)},"
            " and will be stopped there. Choose a smaller batch, span or model, or raise the"
            " limit under “Name, seed, samples and snapshots”."
        )
    if found.disk_bytes > disk:
        st.warning(
            f"Training needs about {size(found.disk_bytes)} of disk space, and {size(disk)} is"
            " free. Choose fewer snapshots or a smaller model."
        )
    if isinstance(config, Batched) and config.batch * config.span > found.cut.tokens:
        st.info(
            f"The text has {found.cut.tokens:,} tokens, fewer than one step reads"
            f" ({config.batch} × {config.span}). The model will soon memorise it."
        )


def size(count: float) -> str:
    if count >= 1e9:
        return f"{count / 1e9:,.1f} GB"
    return f"{count / 1e6:,.0f} MB" if count >= 1e6 else f"{count / 1e3:,.0f} kB"
