"""How long a training will take: measured on its first steps, in a process of its own; and settings
for a time that the reader has."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Any

import numpy as np
import streamlit as st

from engine.core.registry import models
from engine.live.markdown import escape
from engine.nn.plan import Repeated, Stepped
from engine.training.timing import Probe, Probed
from pages.ui.training import form

# name, what is said of it, seconds, factor of the sizes
PRESETS = (
    ("Quick look", "about a minute", 60, 0.5),
    ("Coffee break", "about ten minutes", 600, 1.0),
    ("An evening", "about three hours", 10_800, 2.0),
)
SIZES = ("units", "width", "layers")
# do not change how long a step takes
FREE = ("steps", "epochs", "rate", "patience", "held_out_every", "schedule", "warmup")


@st.cache_resource(show_spinner=False)
def timed() -> dict[str, tuple[Probed, Any]]:
    """What was measured, by model, text and the settings that a step's time depends on; with the
    config it was measured with."""
    return {}


def timing() -> bool:
    return st.session_state.get("training.probe") is not None


def presets(model: str, text: str, key: str) -> None:
    """Sizes and steps for a time that the reader has; none for a model that counts."""
    made = models.get(model)
    names = {one.name for one in fields(made.config_type)}
    if not names & {"steps", "epochs"}:
        return

    def choose(seconds: int, factor: float) -> None:
        form.reset(key)
        sizes = {}
        usual = asdict(made.config_type())
        for one in fields(made.config_type):
            if one.name in SIZES and factor != 1:
                wanted = usual[one.name] * (factor**0.6 if one.name == "layers" else factor)
                sizes[one.name] = int(np.clip(wanted, one.metadata["min"], one.metadata["max"]))
        form.set_to(key, sizes)
        st.session_state["training.wish"] = (model, text, seconds)

    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        st.markdown("How much time do you have?")
        for name, says, seconds, factor in PRESETS:
            st.button(
                f"{name}: {says}",
                key=f"training.preset.{name}",
                on_click=choose,
                args=(seconds, factor),
                disabled=timing(),
            )


def offer(model: str, text: str, config: Any, about: str, measured: bool) -> None:
    """The button that starts measuring, or the one that ends it."""
    if timing():
        st.caption("Timing the first steps …")
        if st.button("Stop", key="training.probe.stop"):
            _, probe, _ = st.session_state.pop("training.probe")
            probe.stop()
            st.session_state.pop("training.wish", None)
            st.rerun(scope="app")
    elif not measured and st.button(
        "Measure the time",
        key="training.time",
        help="Runs the first steps in a separate process; takes some seconds.",
    ):
        st.session_state["training.probe"] = (about, Probe(model, config, text), config)
        st.rerun(scope="app")


def seconds_of(measured: tuple[Probed, Any], config: Any) -> float:
    probed, then = measured
    if isinstance(config, Stepped) and config.steps:
        return probed.seconds(config.steps)
    if isinstance(config, Repeated):
        return probed.seconds(round(probed.steps * config.epochs / then.epochs))
    return probed.seconds(probed.steps)


def probing(model: str, text: str, config: Any, about: str, key: str) -> None:
    """Start what a preset asked for, hear what a probe found, and choose the steps that fit the
    time."""
    wish = st.session_state.get("training.wish")
    if running := st.session_state.get("training.probe"):
        of, probe, then = running
        if (state := probe.state) is None:
            return
        if isinstance(state, str):
            st.session_state.pop("training.wish", None)
            st.session_state["training.probe.problem"] = state
        else:
            timed()[of] = (state, then)
        st.session_state.pop("training.probe")
        st.rerun(scope="app")
    if problem := st.session_state.pop("training.probe.problem", ""):
        st.warning(f"The time could not be measured: {escape(problem)}.")
    if not wish:
        return
    if wish[:2] != (model, text):  # the reader has gone on to something else
        st.session_state.pop("training.wish")
        return
    if not (measured := timed().get(about)):
        st.session_state["training.probe"] = (about, Probe(model, config, text), config)
        st.rerun(scope="app")
    st.session_state.pop("training.wish")
    form.set_to(key, steps_for(measured, config, wish[2]))
    st.rerun(scope="app")


def steps_for(measured: tuple[Probed, Any], config: Any, seconds: float) -> dict[str, int]:
    """How many steps, or epochs, fit into a time; measured on held-out text about fifteen times on
    the way."""
    probed, then = measured
    limits = {one.name: one.metadata for one in fields(config)}
    left = max(1.0, seconds - probed.first)
    if isinstance(config, Repeated):
        epoch = probed.steps * probed.step / then.epochs
        return {"epochs": int(min(max(1, left / max(epoch, 1e-6)), limits["epochs"]["max"]))}
    # the rest for held-out text, samples and snapshots
    steps = int(min(max(10, 0.85 * left / max(probed.step, 1e-6)), limits["steps"]["max"]))
    steps = round(steps, 1 - len(str(steps)) + 1)
    found = {"steps": steps}
    if "held_out_every" in limits:
        found["held_out_every"] = max(1, min(500, steps // 15))
    return found
