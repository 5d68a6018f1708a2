"""The door for models of others: one that a package holds, or files from the browser, become a run
by a process of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from engine.pretrained.packaged import PACKAGED
from engine.runs.adding import Adding
from engine.runs.store import Run, RunStore
from pages.ui import place, waiting
from pages.ui.language import told

JOB = "runs.adding"  # goes with the session
ENDINGS = ["zip", "gguf", "json", "safetensors", "txt", "model"]
MOST_MB = 1_000


def ask_for_models(runs: Sequence[Run], arrived: Callable[[Run, bool], None]) -> None:
    """`arrived` is told the run that was made, and whether it was not here before."""
    job: Adding | None = st.session_state.get(JOB)
    words = "**Add a model**: SmolLM2, which reads and writes English, or one from files"
    key = f"runs.add.files.{st.session_state.get('runs_turn', 0)}"  # emptied by another one
    begun = job is not None or bool(st.session_state.get(key))
    with place.panel("add"), st.expander(told(words), expanded=begun):
        ended = job and not job.state.alive
        found = waiting.find_answer(job, "add") if job else None
        if ended:
            st.session_state.pop(JOB).close()
        if found:
            arrived(RunStore().find(found["id"]), found["new"])
        if JOB not in st.session_state:
            _packaged("smollm2", runs)
            _files(key)


def _begin(model: str = "", *given: tuple[str, bytes]) -> None:
    if waiting.try_it(lambda: st.session_state.update({JOB: Adding(model, *given)})):
        st.rerun()


def _packaged(name: str, runs: Sequence[Run]) -> None:
    about = PACKAGED[name]
    st.markdown(told("**SmolLM2, a real language model**"))
    st.markdown(
        told(
            "It reads and writes English, has 135 million numbers in 30 layers with 9 heads each,"
            " and is free to use (Apache-2.0). The button fetches {size:,.0f} MB from the Python"
            " index; nothing is fetched unasked.",
            size=about.size / 1e6,
        )
    )
    if name in {run.id for run in runs}:
        st.caption(told("This run is already here, as {id}.", id=name))
    elif st.button(told("Add {title}", title=about.title), key="runs.add.packaged"):
        _begin(name)


def _files(key: str) -> None:
    given = st.file_uploader(
        told(
            "Or files: a zip of a run exported here or elsewhere; a .gguf; or config.json,"
            " tokenizer.json and .safetensors together"
        ),
        ENDINGS,
        accept_multiple_files=True,
        key=key,
        max_upload_size=MOST_MB,
    )
    st.caption(
        told(
            "Only files that belong to a model are read, and nothing in them is executed. For"
            " larger ones: `python -m engine unpack FILE.zip`, `python -m engine import NAME`."
        )
    )
    if given and st.button(told("Add these files"), key="runs.add.given"):
        with st.spinner(told("Adding the model …")):
            _begin("", *((file.name, file.getvalue()) for file in given))
