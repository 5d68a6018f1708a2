"""What a training will cost, before it starts: parameters, memory, disk, and time as measured on its first steps."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import streamlit as st

from engine import library
from engine.training import estimate
from engine.training.estimate import Estimate
from pages.ui.own import training_list, training_time
from pages.ui.own.training_kept import Kept
from pages.ui.plain import escape

PARTS = {
    "program": "Python and torch", "text": "the text, as lines and as numbers", "weights": "parameters, 4 bytes each", "gradients": "a gradient for each, 4 bytes",
    "optimiser": "what the optimiser keeps for each, 4 bytes a number", "activations": "what the way back through one batch needs", "output": "gradients of the outputs",
    "best": "the best model so far", "checkpoint": "to go on from after a stop", "snapshots": "the model on its way",
}  # fmt: skip


@st.cache_resource(max_entries=1, ttl=120, show_spinner=False)  # it may be large
def text_of(id: str) -> str:
    return library.find(id).text()


@st.cache_resource(max_entries=128, show_spinner="Counting tokens and parameters …")
def _estimated(model: str, text: str, settings: str, snapshots: int, _config: Any) -> Estimate | str:
    """Or why not, in one sentence."""
    try:
        return estimate.estimate(model, _config, text_of(text), snapshots)
    except (ValueError, LookupError) as problem:
        return str(problem)


def show(model: str, text: str, config: Any, kept: Kept, key: str) -> bool:
    """False where it can't be trained, which is then said."""
    settings = {k: v for k, v in asdict(config).items() if k not in training_time.FREE}
    about = json.dumps([model, text, settings], sort_keys=True)
    found = _estimated(model, text, about + str(getattr(config, "steps", "")), kept.snapshots, config)
    if isinstance(found, str):
        st.error(f"This can't be trained: {escape(found)}.")
        return False
    training_time.probing(model, text, config, about, key)
    measured = training_time.timed().get(about)
    seconds = training_time.seconds_of(measured, config) if measured else None
    boxes = st.columns(4)
    cut, sign = found.cut, "" if found.cut.whole else "about "
    if found.parameters:
        boxes[0].metric("Parameters", f"{found.parameters:,}", help=f"Numbers that it learns, for a vocabulary of {sign}{cut.vocabulary:,} tokens.")
    else:
        boxes[0].metric("N-grams", f"{sum(cut.ngrams):,}", help="Different runs of tokens: " + ", ".join(f"{n:,} of {m}" for m, n in enumerate(cut.ngrams, 1)))
    memory = found.memory_bytes or (measured[0].memory_bytes if measured else 0)
    boxes[1].metric("Memory", size(memory) if memory else "not yet", help="While it is trained. An estimate; what it really takes is shown while it runs."
                    + (f" Beyond {kept.memory:g} GB it is ended." if kept.memory else ""))  # fmt: skip
    boxes[2].metric("Disk", size(found.disk_bytes) if found.disk_bytes else "a few MB", help="With its snapshots, and the checkpoint that goes when it is done.")
    boxes[3].metric("Time", training_list.lasting(seconds) if seconds is not None else "not yet",
                    help="Seconds of a step, measured on the first ones, times the steps. Others at work on this computer make it longer.")  # fmt: skip
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f"{sign.capitalize()}{cut.tokens:,} tokens to learn from, {sign}{cut.vocabulary:,} different ones"
                   + (f", {cut.labels} labels" if cut.labels else "") + f"; {found.characters:,} characters.")  # fmt: skip
        training_time.offer(model, text, config, about, bool(measured))
    _warn(found, config, memory, 1e9 * kept.memory)
    if found.memory or found.disk:
        with st.expander("How this is estimated", key="training.how"):
            rows = [{"of": of, "part": part, "what": PARTS[part], "MB": value / 1e6} for of, some in (("memory", found.memory), ("disk", found.disk)) for part, value in some.items()]
            st.dataframe(rows, hide_index=True, height="content", column_config={"MB": st.column_config.NumberColumn(format="%.1f")}, key="training.parts")
    return True


def _warn(found: Estimate, config: Any, memory: int, most: float) -> None:
    free, disk = estimate.room(training_list.root())
    if memory > free:
        st.warning(f"It will take about {size(memory)} of memory, and {size(free)} are free: take a smaller batch, span or model, accumulate or recompute.")
    elif memory > most > 0:
        st.warning(f"It will take about {size(memory)} of memory, more than the {size(most)} that it may take, and be ended there. "
                   "Take a smaller batch, span or model, or raise the limit under “Name, seed, samples and snapshots”.")  # fmt: skip
    if found.disk_bytes > disk:
        st.warning(f"It will take about {size(found.disk_bytes)} on the disk, and {size(disk)} are free: take fewer snapshots or a smaller model.")
    step = getattr(config, "batch", 0) * getattr(config, "span", 0)
    if step > found.cut.tokens:
        st.info(f"The text has {found.cut.tokens:,} tokens, fewer than one step reads ({config.batch} × {config.span}). The model will soon know it by heart.")


def size(count: float) -> str:
    return f"{count / 1e9:,.1f} GB" if count >= 1e9 else f"{count / 1e6:,.0f} MB" if count >= 1e6 else f"{count / 1e3:,.0f} kB"
