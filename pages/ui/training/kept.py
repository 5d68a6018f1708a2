"""What a training is called, what is kept of it on its way, and how much memory it may take."""

from __future__ import annotations

from functools import partial

import streamlit as st

from engine.core.registry import models
from engine.models.abilities import Knows
from engine.training.job import Job
from pages.ui import texts

PROMPTS = 3
LONGEST = 200  # characters of a prompt
SHARE = 0.8  # of the computer's memory


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


def ask(model: str, text: str, kind: str, label: str) -> tuple[str, Job]:
    """Draw the controls; returns the name, and the training with all but its settings."""
    prompts, learns = "", models.get(model).stepwise
    title = f"{models.get(model).card.title} on {label}"
    with st.expander("Name, seed, samples and snapshots", key="training.keep"):
        left, right = st.columns(2)
        name = left.text_input(
            "Name", key="training.name", persist_state="session", max_chars=80, placeholder=title
        )
        if writes(model, kind):
            if st.session_state.get("training.prompts.of") != text:
                st.session_state["training.prompts.of"] = text
                st.session_state["training.prompts"] = beginnings(text)
            prompts = right.text_area(
                f"Prompts, one a line, {PROMPTS} at most",
                key="training.prompts",
                persist_state="session",
                height=90,
                max_chars=PROMPTS * LONGEST,
                help="During training, the model continues each of them, so you can see it improve.",
            )
        a, b, c, d = (partial(box.number_input, persist_state="session") for box in st.columns(4))
        seed = a(
            "Seed",
            0,
            2**31 - 1,
            0,
            key="training.seed",
            help="For all random numbers. The same seed, text and settings give the same model.",
        )
        snapshots = b(
            "About how many snapshots",
            0,
            200,
            24,
            key="training.snapshots",
            disabled=not learns,
            help="How many steps of the training are kept, most of them early; steps that fall"
            " together are kept once. Lessons can go back to each.",
        )
        probes = c(
            "About how many probes",
            0,
            100,
            12,
            key="training.probes",
            disabled=not learns,
            help="How often samples are written and histograms of weights and activations are made.",
        )
        memory = d(
            "Memory limit, GB",
            0.0,
            10_000.0,
            _memory(),
            1.0,
            key="training.memory",
            format="%g",
            help="Above this limit the training stops with a message, before the computer runs"
            " out of memory. 0: no limit.",
        )
        words = "Write event files for TensorBoard too"
        tensorboard = st.toggle(words, key="training.tensorboard", persist_state="session")
        st.caption(
            "Everyone who uses Unrolled on this computer can see its training runs, with names,"
            " prompts and samples."
        )
    said = tuple(line.strip()[:LONGEST] for line in prompts.split("\n") if line.strip())[:PROMPTS]
    return name.strip(), Job(
        model,
        (text,),
        title=name.strip() or title,
        seed=int(seed or 0),
        snapshots=int(snapshots or 0) if learns else 0,
        probes=int(probes or 0) if learns else 0,
        prompts=said,
        memory=float(memory or 0),
        tensorboard=tensorboard,
        queue=True,
    )


@st.cache_resource(show_spinner=False)
def _memory() -> float:
    from engine.training.estimate import whole_memory

    return max(1.0, float(round(SHARE * whole_memory() / 1e9)))
