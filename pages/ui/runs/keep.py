"""What can be done with a run's folder: save it as a zip, bring one, rename, delete."""

from __future__ import annotations

import tempfile
from pathlib import Path

import streamlit as st

from engine.live import cache
from engine.live.markdown import escape
from engine.runs import own, shared
from engine.runs.archive.pack import pack
from engine.runs.archive.unpack import unpack
from engine.runs.store import Run
from pages.ui import people

# that the page takes or gives: it holds the file in memory, which the command line does not
MOST_MB = 200


def show(run: Run, size_mb: float | None) -> None:
    left, middle, right = st.columns(3, gap="medium")
    with left:
        _save(run, size_mb or 0.0)
    with middle:
        bring()
    with right:
        _change(run)


def _save(run: Run, size_mb: float) -> None:
    st.markdown("**Export**")
    if size_mb > MOST_MB:
        st.caption(
            f"With {size_mb:,.0f} MB this run is too large for the page. In a terminal: `python"
            f" -m engine pack {run.id} {run.id}.zip`"
        )
        return

    def made() -> bytes:
        with tempfile.TemporaryDirectory() as folder:
            pack(run, path := Path(folder) / "run.zip")
            return path.read_bytes()

    st.download_button(
        "Export as zip",
        made,
        f"{run.id}.zip",
        "application/zip",
        key="runs_export",
        on_click="ignore",
        disabled=run.is_checkpoint,
    )
    st.caption(
        f"Weights, history and snapshots, {size_mb:.1f} MB, with a list of digests. Import it on"
        " another machine here, or with `python -m engine unpack FILE.zip`."
    )


def bring() -> None:
    st.markdown("**Import**")
    turn = st.session_state.setdefault("runs_turn", 0)  # an uploader is emptied by taking a new one
    words = "A zip exported here or elsewhere"
    given = st.file_uploader(words, "zip", key=f"runs_zip.{turn}", max_upload_size=MOST_MB)
    before, said = st.session_state.get("runs_refused", ("", ""))  # a file is tried once
    if given is not None and given.file_id == before:
        st.error(said)
    elif given is not None:
        try:
            with st.spinner("Checking every file against its digest, then opening the model …"):
                arrived = unpack(given)
        except ValueError as problem:
            said = f"{escape(given.name)}: {escape(str(problem))}."
            st.session_state["runs_refused"] = given.file_id, said
            st.error(said)
            return
        run = arrived.run
        words = (
            f"Imported: {escape(run.title)}, as {escape(run.id)}."
            if arrived.new
            else f"This run is already here, as {escape(run.id)}."
        )
        _again(run, words, turn + 1)
    st.caption(
        "Only the files that belong to a run are read, and nothing in the zip is executed. For"
        " larger zips: `python -m engine unpack FILE.zip`."
    )


def _change(run: Run) -> None:
    st.markdown("**Rename or delete**")
    if people.are_several() and shared.is_shared(run):
        _take_back(run)
        return
    if not own.is_own(run):
        st.caption("This run is shipped with Unrolled; it can't be renamed or deleted.")
        return
    if (one := people.person()) and (said := shared.by(run)) and said.person == one.id:
        _take_back(run)
    else:
        _share(run)
    title = st.text_input(
        "Title",
        run.title,
        key=f"runs_title.{run.id}",
        max_chars=own.MOST_TITLE,
        help="The id stays the same, so links to it still work.",
    )
    if st.button("Rename", key="runs_rename", disabled=title == run.title):
        try:
            own.rename(run, title)
        except (ValueError, OSError) as problem:
            st.error(f"{escape(str(problem)).capitalize()}.")
            return
        _again(run, "Renamed.")
    asked = st.session_state.get("runs_asked") == str(run.folder)
    if not asked and st.button("Delete", key="runs_delete"):
        st.session_state["runs_asked"] = str(run.folder)
        st.rerun()
    if asked:
        st.warning(
            f"Delete {escape(run.title)}, its weights and its history for good? It can't be brought"
            " back, unless you exported it."
        )
        yes, no = st.columns(2)
        if no.button("Keep it", key="runs_no"):
            del st.session_state["runs_asked"]
            st.rerun()
        if yes.button("Delete it", key="runs_yes"):
            del st.session_state["runs_asked"]
            try:
                own.delete(run)
            except (ValueError, OSError) as problem:
                st.error(f"{escape(str(problem)).capitalize()}.")
                return
            cache.forget(run)
            _again(None, f"{escape(run.title)} is deleted.")


def _share(run: Run) -> None:
    one = people.person()
    if one and st.button("Share with everybody on this server", key="runs_share"):
        try:
            with st.spinner("Copying it and checking every file …"):
                shared.share(run, one)
        except (ValueError, OSError) as problem:
            st.error(f"{escape(str(problem)).capitalize()}.")
            return
        _again(run, f"{escape(run.title)} is shared: everybody on this server can use it.")


def _take_back(run: Run) -> None:
    """A shared run, for whoever shared it; for anybody else a sentence."""
    said, one = shared.by(run), people.person()
    if said is None:
        st.caption("This run is shared by whoever runs this server.")
    elif one is None or said.person != one.id:
        st.caption(f"This run is shared by {escape(said.name)}; only they can take it back.")
    elif st.button("Take it back", key="runs_take_back"):
        try:
            shared.withdraw(run, one)
        except (ValueError, OSError) as problem:
            st.error(f"{escape(str(problem)).capitalize()}.")
            return
        cache.forget(run)
        _again(None, f"{escape(run.title)} is no longer shared.")


def _again(run: Run | None, words: str, turn: int | None = None) -> None:
    """Show the page anew with this run, and say what was done."""
    st.session_state["runs_said"] = words
    if turn is not None:
        st.session_state["runs_turn"] = turn
    st.session_state.pop("runs_of", None)
    if run:
        st.session_state["runs_of"] = str(run.folder)
        st.query_params["run"] = run.id
    else:
        st.query_params.pop("run", None)
    st.rerun()
