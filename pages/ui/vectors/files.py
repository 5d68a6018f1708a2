"""Word vectors in and out: a file of vectors becomes a run, a run's vectors become a file; a child
process does the work."""

from __future__ import annotations

import tempfile
from pathlib import Path

import streamlit as st

from engine.cli import worker
from engine.live.markdown import escape
from engine.runs.store import Run
from engine.vectors.projector import METADATA
from pages.ui.fragment import fragment

FORMATS = {
    "word2vec text (.txt, also .vec)": ("word2vec", "txt"),
    "word2vec binary (.bin)": ("binary", "bin"),
    "GloVe text (.txt)": ("glove", "glove.txt"),
}
ENDINGS = ("txt", "vec", "bin", "glove", "w2v", "csv", "tsv", "gz", "bz2", "xz", "zip")
LARGEST, PATIENCE = 1000, 900  # MB of an upload, seconds


def engine(*arguments: str) -> dict[str, object]:
    """One command of the engine in a child process.  ValueError with the sentence it ended with."""
    try:
        return worker.run(list(arguments), PATIENCE)
    except TimeoutError as error:
        raise ValueError(
            f"it took longer than {PATIENCE // 60} minutes; use the command line"
        ) from error


@fragment
def show(run: Run, page: str) -> None:
    st.subheader("Import and export vectors", anchor="files")
    left, right = st.columns(2, gap="medium")
    with left:
        _bring(page)
        for note in run.note.get("vectors", {}).get("notes", ()):
            st.caption(escape(str(note)))
    with right:
        _take(run)


def _bring(page: str) -> None:
    given = st.file_uploader(
        "A file of word vectors",
        ENDINGS,
        key="vec_file",
        max_upload_size=LARGEST,
        accept_multiple_files=True,
    )
    st.caption(
        "word2vec text or binary, GloVe text, fastText .vec or .bin, a table of commas or tabs; of"
        " the Embedding Projector tensors.tsv together with metadata.tsv. A zip or another packed"
        " file is read too. Only the first 100,000 words of a file are read. For more:"
        " `python -m engine import FILE --words N`."
    )
    if not given or not st.button(
        "Read the file and show it on the word-vector pages", key="vec_read"
    ):
        return
    tables = [file for file in given if not METADATA.fullmatch(file.name)] or given
    name = tables[0].name
    if len(tables) > 1 or len(given) > 2:
        st.error("Choose one file of word vectors, or tensors.tsv and metadata.tsv.")
        return
    try:
        with st.spinner("Reading …"), tempfile.TemporaryDirectory() as folder:
            for file in given:
                (Path(folder) / (Path(file.name).name or "vectors")).write_bytes(file.getbuffer())
            path = Path(folder) / (Path(name).name or "vectors")
            found = engine("import", str(path), "--title", name)
    except (ValueError, OSError) as error:
        st.error(f"{escape(name)}: {escape(str(error))}.")
        return
    st.session_state.pop(f"{page}.run", None)
    st.query_params["run"] = str(found["run"])
    st.rerun()


def _take(run: Run) -> None:
    chosen = st.selectbox("Format", FORMATS, key="vec_format")
    format, ending = FORMATS[chosen]

    def made() -> bytes:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"vectors.{ending}"
            which = str(run.folder) if run.step is None else f"{run.folder}@{run.step}"
            engine("vectors", which, "--save", str(path), "--format", format)
            return path.read_bytes()

    st.download_button(
        "Save these vectors",
        made,
        f"{run.id}.{ending}",
        "application/octet-stream",
        key="vec_save",
        on_click="ignore",
    )
    st.caption(
        "For gensim, spaCy or your own program: one word and its numbers per line, most"
        " frequent word first."
    )
