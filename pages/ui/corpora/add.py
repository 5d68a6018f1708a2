"""Files or a pasted text become a corpus: read one by one, shown before anything is stored, then
stored under a name."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st

from engine.live.markdown import escape, sentence
from engine.text import documents
from engine.text.collection import Library, reading
from engine.text.collection.job import Job
from engine.text.collection.reading import Read
from pages.ui import people, place
from pages.ui.choice import one_of
from pages.ui.corpora import hub, shown
from pages.ui.corpora import job as corpora_job
from pages.ui.corpora.upload import Upload, drop, given, large, staged, tables
from pages.ui.fragment import fragment

KINDS = {
    "text": "One text",
    "labelled": "Labelled: a label and a text",
    "parallel": "Parallel: a text and its translation",
    "tagged": "Tagged: words and their tags",
}
WRITTEN = {
    "labelled": "a table with a column of labels and one of texts, or lines with a label, a tab and"
    " a text",
    "parallel": "a table with two columns, two files that go together line by line, or lines with a"
    " tab between the two sides",
    "tagged": "a table with a column of words and one of tags, or lines such as the/DET cat/NOUN",
}
COLUMNS = {
    "labelled": ("labels", "texts"),
    "parallel": ("the texts", "the translations"),
    "tagged": ("words", "tags"),
}
# words in the names of columns, the likeliest first
TEXT = ("text", "content", "review", "sentence", "body")
FIRST, SECOND = ("label", "class", "source", "words", "tokens"), ("text", "target", "tags")
PATHS = (
    "A path leads into nested cells: a dot goes into an object, [] through a list. What a list has is"
    " joined by blanks, so that each row is one passage."
)
MOST_PASTED, SHOWN, WIDTH = 2_000_000, 6, 400


@fragment
def show() -> None:
    if done := st.session_state.pop("corpora.done", ""):
        st.success(done)
    turn = st.session_state.setdefault("corpora.turn", 0)
    begun = any(
        st.session_state.get(key)
        for key in (f"corpora.files.{turn}", f"corpora.paste.{turn}", hub.KEY)
    )
    with (
        place.panel("add"),
        st.expander("**Add a text**: a file, pasted words or a data set", expanded=begun),
    ):
        _ask(turn)


def _ask(turn: int) -> None:
    st.markdown(
        "A book, a chat, a table of reviews: it is read and stored **on this server**, in your own"
        " space. Then see what is in it, count it in the lessons, or train a model on it."
        if people.are_several()
        else "A book, a chat, a table of reviews: it is read and stored **on this computer** only;"
        " nothing is sent anywhere. Then see what is in it, count it in the lessons, or train a"
        " model on it."
    )
    left, right = st.columns((3, 2), gap="medium")
    dropped = left.file_uploader(
        f"Files, up to {documents.MOST_BYTES / 1e6:,.0f} MB each: {documents.labels()}",
        documents.endings(),
        accept_multiple_files=True,
        key=f"corpora.files.{turn}",
    )
    pasted = right.text_area(
        "Or paste a text",
        key=f"corpora.paste.{turn}",
        height=138,
        max_chars=MOST_PASTED,
        placeholder="Paste here, then press Ctrl + Enter",
    )
    files = [
        Upload(documents.shown(file.name), file.file_id, file.size, file.getvalue)
        for file in dropped or []
    ]
    if pasted and pasted.strip():
        files.append(Upload.pasted(pasted))
    with left:
        wanted = hub.show(turn)
    if not files and not wanted:
        drop()
        return
    with st.container(border=True):
        st.subheader("Before it is added", anchor=False)
        kind = one_of("Kind of text", KINDS, "corpora.kind")
        if kind in WRITTEN:
            st.caption(f"That is {WRITTEN[kind]}.")
        found, job = read(files, kind, wanted)
        if found is None:
            return
        for note in found.notes:
            st.caption(escape(note))
        for problem in found.problems:
            st.error(escape(problem))
        if found.characters:
            preview(found)
            add(found, kind, job)


def columns(names: tuple[str, ...], kind: str) -> tuple[str, ...] | None:
    """Those to take of a table, as the reader picks them."""
    if not names:
        return None
    row = st.container(horizontal=True, gap="large")
    told = PATHS if any("[" in name or "." in name for name in names) else None

    def column(what: str, likely: int, key: str) -> str:
        key, label = f"corpora.{key}", f"Column with {what}"
        return str(row.selectbox(label, names, likely, key=key, width=260, help=told))

    if kind == "text":
        return (column("the text", _likely(names, TEXT), "column"),)
    first, second = COLUMNS[kind]
    likely = _likely(names, FIRST)
    other = _likely(names, SECOND, likely)
    if other == likely:
        other = 1 - likely if likely < 2 and len(names) > 1 else 0
    return column(first, likely, f"first.{kind}"), column(second, other, f"second.{kind}")


def _likely(names: tuple[str, ...], wanted: tuple[str, ...], other: int = 0) -> int:
    return next((n for w in wanted for n, name in enumerate(names) if w in name.lower()), other)


def read(
    files: list[Upload], kind: str, wanted: tuple[str, str] | None
) -> tuple[Read | None, Job | None]:
    """Once for these files and this way of reading them; None as long as a process of its own is
    reading."""
    choose = partial(columns, kind=kind)
    try:
        if not files and wanted:
            job = staged(wanted, [])
            return corpora_job.read(job, kind, choose, hub=wanted[0], part=wanted[1]), job
        if large(files):
            job = staged(tuple(file.id for file in files), files)
            return corpora_job.read(job, kind, choose), job
    except ValueError as problem:
        st.error(escape(sentence(problem)))
        return None, None
    chosen = columns(tables(files), kind)
    key = (*(file.id for file in files), kind, chosen)
    known: tuple[Any, Read] | None = st.session_state.get("corpora.read")
    if known is None or known[0] != key:
        drop()
        found = reading.read(given(files), kind, chosen, lambda share, what: None)
        known = st.session_state["corpora.read"] = key, found
    return known[1], None


def preview(found: Read) -> None:
    words = {"train": "training", "validation": "validation", "test": "the test"}
    split = ", ".join(f"{found.sizes[name]:,} for {purpose}" for name, purpose in words.items())
    language = (
        f" Language: **{found.language.name}** ({found.language.sure}). {found.language.says}"
        if found.language
        else ""
    )
    st.markdown(
        f"**{found.characters:,} characters** in {sum(found.sizes.values()):,} passages:"
        f" {split}. The split is random, but the same every time.{language}"
    )
    first = found.first[:SHOWN]
    st.code("\n".join(line[:WIDTH] for line in first), language=None, wrap_lines=True)
    cut = f", {WIDTH} characters of each" if any(len(line) > WIDTH for line in first) else ""
    st.caption(f"The first {len(first)} passages{cut}.")


def add(found: Read, kind: str, job: Job | None) -> None:
    row = st.container(horizontal=True, vertical_alignment="bottom")
    name = row.text_input(
        "Name", found.name, max_chars=120, key=f"corpora.name.{hash(found.name)}", width=420
    )
    pressed = row.button("Add this text", key="corpora.add")
    if job:
        if stored := corpora_job.add(job, name or found.name, kind, pressed):
            added(stored["id"], stored["title"], stored["known"])
    elif pressed:
        try:
            there = {corpus.id for corpus in Library().all()}
            one = Library().add(
                found.pages or "",
                name or found.name,
                source=found.source,
                kind=kind,
                notes=found.notes,
            )
        except (ValueError, LookupError) as problem:
            st.error(escape(sentence(problem)))
            return
        added(one.id, one.title, one.id in there)


def added(id: str, title: str, known: bool) -> None:
    """Said, shown below, and the boxes begin again empty."""
    st.session_state["corpora.done"] = (
        f"This text is here already, under the name “{escape(title)}”."
        if known
        else f"“{escape(title)}” is added, and shown below."
    )
    st.session_state["corpora.turn"] += 1
    st.session_state.pop(hub.KEY, None)
    drop()
    st.session_state[shown.NEXT] = id
    st.rerun()
