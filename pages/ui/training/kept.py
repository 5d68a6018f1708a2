"""What a training is called, what is kept of it on its way, and how much memory it may take."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from engine.core.registry import models
from engine.models.abilities import Knows
from pages.ui import texts

PROMPTS = 3
LONGEST = 200  # characters of a prompt
SHARE = 0.8  # of the computer's memory


@dataclass(frozen=True, slots=True)
class Kept:
    name: str
    title: str
    seed: int
    snapshots: int
    probes: int
    prompts: tuple[str, ...]
    memory: float
    tensorboard: bool


def writes(model: str, kind: str) -> bool:
    """Whether samples can be drawn from it while it learns."""
    made = models.get(model)
    return kind == "text" and made.foretells and made.stepwise and not issubclass(made, Knows)


@st.cache_data(max_entries=32, show_spinner=False)
def beginnings(text: str) -> str:
    """The first words of some passages, one a line."""
    try:
        pieces = texts.stretches(text, 2, 200)
    except (LookupError, ValueError):
        return ""
    starts = [" ".join(piece.split()[:3]) for piece in pieces]
    return "\n".join(start[:60] for start in dict.fromkeys(starts) if start)


def ask(model: str, text: str, kind: str, label: str) -> Kept:
    """Draw the controls."""
    prompts, learns = "", models.get(model).stepwise
    title = f"{models.get(model).card.title} on {label}"
    with st.expander("Name, seed, samples and snapshots", key="training.keep"):
        left, right = st.columns(2)
        name = left.text_input(
            "Name", key="training.name", persist_state="session", max_chars=80, placeholder=title
        )
        if writes(model, kind):
            if st.session_state.get("training.prompts.of") != text:
                st.session_state["training.prompts"], st.session_state["training.prompts.of"] = (
                    beginnings(text),
                    text,
                )
            prompts = right.text_area(
                f"Prompts, one a line, {PROMPTS} at most",
                key="training.prompts",
                persist_state="session",
                height=90,
                max_chars=PROMPTS * LONGEST,
                help=(
                    "During training, the model continues each of them, so you can see it improve."
                ),
            )
        boxes = st.columns(4)
        seed = boxes[0].number_input(
            "Seed",
            0,
            2**31 - 1,
            0,
            key="training.seed",
            persist_state="session",
            help="For all random numbers. The same seed, text and settings give the same model.",
        )
        snapshots = boxes[1].number_input(
            "Snapshots",
            0,
            200,
            24,
            key="training.snapshots",
            persist_state="session",
            disabled=not learns,
            help=(
                "Approximate number of snapshots kept during training, most of them early."
                " Lessons can go back to each."
            ),
        )
        probes = boxes[2].number_input(
            "Probes",
            0,
            100,
            12,
            key="training.probes",
            persist_state="session",
            disabled=not learns,
            help=(
                "Approximate number of times that samples are written and histograms of weights"
                " and activations are made."
            ),
        )
        most = _memory()
        memory = boxes[3].number_input(
            "Memory limit, GB",
            0.0,
            10_000.0,
            most,
            1.0,
            key="training.memory",
            persist_state="session",
            format="%g",
            help=(
                "Above this limit the training stops with a message, before the computer runs"
                " out of memory. 0: no limit."
            ),
        )
        tensorboard = st.toggle(
            "Write event files for TensorBoard too",
            key="training.tensorboard",
            persist_state="session",
        )
        st.caption(
            "Everyone who uses Unrolled on this computer can see its training runs, with names,"
            " prompts and samples."
        )
    said = tuple(line.strip()[:LONGEST] for line in prompts.split("\n") if line.strip())[:PROMPTS]
    return Kept(
        name.strip(),
        name.strip() or title,
        int(seed or 0),
        int(snapshots or 0) if learns else 0,
        int(probes or 0) if learns else 0,
        said,
        float(memory or 0),
        tensorboard,
    )


@st.cache_resource(show_spinner=False)
def _memory() -> float:
    from engine.training.estimate import whole_memory

    return max(1.0, float(round(SHARE * whole_memory() / 1e9)))
