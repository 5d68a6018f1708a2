"""Files, a pasted text or a data set of the hub become a corpus: read one by one, shown before anything is stored,
then stored under a name; what takes long is read and stored by a process of its own."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import streamlit as st

from engine.language.message import _
from engine.live.markdown import escape, sentence
from engine.text import documents
from engine.text.collection import Library, reading
from engine.text.collection import job as jobs
from engine.text.collection.job import Job
from engine.text.collection.reading import Read
from pages.ui import people, place, waiting
from pages.ui.fragment import fragment
from pages.ui.language import told
from pages.ui.widgets import one_of

HUB = "corpora.hub"
BUSY = "corpora.busy"  # whether this page looks again and again how far a process is
# the id of the text to show from the next run on: a widget's own value can't be changed once it is
# drawn
NEXT = "corpora.next"
# bytes of all files together that are read here: of texts and tables, and where one has to be unpacked
PLAIN, PACKED = 2_000_000, 20_000
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
def ask_for_texts() -> None:
    if done := st.session_state.pop("corpora.done", ""):
        st.success(told(done))
    turn = st.session_state.setdefault("corpora.turn", 0)
    begun = any(
        st.session_state.get(key) for key in (f"corpora.files.{turn}", f"corpora.paste.{turn}", HUB)
    )
    with (
        place.panel("add"),
        st.expander(told("**Add a text**: a file, pasted words or a data set"), expanded=begun),
    ):
        _ask(turn)


def _ask(turn: int) -> None:
    st.markdown(
        told(
            "A book, a chat, a table of reviews: it is read and stored **on this server**, in your own"
            " space. Then see what is in it, count it in the lessons, or train a model on it."
            if people.are_several()
            else "A book, a chat, a table of reviews: it is read and stored **on this computer** only;"
            " nothing is sent anywhere. Then see what is in it, count it in the lessons, or train a"
            " model on it."
        )
    )
    left, right = st.columns((3, 2), gap="medium")
    dropped = left.file_uploader(
        told(
            "Files, up to {most:,.0f} MB each: {labels}",
            most=documents.MOST_BYTES / 1000000.0,
            labels=documents.labels(),
        ),
        documents.endings(),
        accept_multiple_files=True,
        key=f"corpora.files.{turn}",
    )
    pasted = right.text_area(
        told("Or paste a text"),
        key=f"corpora.paste.{turn}",
        height=138,
        max_chars=MOST_PASTED,
        placeholder=told("Paste here, then press Ctrl + Enter"),
    )
    files = [
        Upload(documents.shorten_name(file.name), file.file_id, file.size, file.getvalue)
        for file in dropped or []
    ]
    if pasted and pasted.strip():
        files.append(Upload.pasted(pasted))
    with left:
        wanted = of_hub(turn)
    if not files and not wanted:
        drop()
        return
    with st.container(border=True):
        st.subheader(told("Before it is added"), anchor=False)
        kind = one_of("Kind of text", KINDS, "corpora.kind")
        if kind in WRITTEN:
            st.caption(told("That is {written}.", written=_(WRITTEN[kind])))
        found, job = read(files, kind, wanted)
        if found is None:
            return
        for note in found.notes:
            st.caption(escape(told(note)))
        for problem in found.problems:
            st.error(escape(told(problem)))
        if found.characters:
            preview(found)
            add_text(found, kind, job)


def columns(names: tuple[str, ...], kind: str) -> tuple[str, ...] | None:
    """Those to take of a table, as the reader picks them."""
    if not names:
        return None
    row = st.container(horizontal=True, gap="large")
    hint = told(PATHS) if any("[" in name or "." in name for name in names) else None

    def column(what: str, likely: int, key: str) -> str:
        key, label = f"corpora.{key}", _("Column with {what}", what=_(what))
        return str(row.selectbox(told(label), names, likely, key=key, width=260, help=hint))

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
            with st.spinner(told("Adding the text …")):
                job = staged(wanted, [])
            return read_by_job(job, kind, choose, hub=wanted[0], part=wanted[1]), job
        if are_large(files):
            with st.spinner(told("Adding the text …")):
                job = staged(tuple(file.id for file in files), files)
            return read_by_job(job, kind, choose), job
    except ValueError as problem:
        st.error(escape(sentence(told(str(problem)))))
        return None, None
    chosen = columns(tables(files), kind)
    key = (*(file.id for file in files), kind, chosen)
    known: tuple[Any, Read] | None = st.session_state.get("corpora.read")
    if known is None or known[0] != key:
        drop()
        found = reading.read(take_files(files), kind, chosen, lambda share, what: None)
        known = st.session_state["corpora.read"] = key, found
    return known[1], None


def preview(found: Read) -> None:
    words = {"train": "training", "validation": "validation", "test": "the test"}
    split = ", ".join(
        told("{sizes:,} for {purpose}", sizes=found.sizes[name], purpose=_(purpose))
        for name, purpose in words.items()
    )
    language = (
        _(
            " Language: **{name}** ({sure}). {says}",
            name=_(found.language.name),
            sure=found.language.sure,
            says=_(found.language.says),
        )
        if found.language
        else ""
    )
    st.markdown(
        told(
            "**{characters:,} characters** in {values:,} passages: {split}. The split is"
            " random, but the same every time.{language}",
            characters=found.characters,
            values=sum(found.sizes.values()),
            split=split,
            language=language,
        )
    )
    first = found.first[:SHOWN]
    st.code("\n".join(line[:WIDTH] for line in first), language=None, wrap_lines=True)
    cut = (
        _(", {width} characters of each", width=WIDTH)
        if any(len(line) > WIDTH for line in first)
        else ""
    )
    st.caption(told("The first {first} passages{cut}.", first=len(first), cut=cut))


def add_text(found: Read, kind: str, job: Job | None) -> None:
    row = st.container(horizontal=True, vertical_alignment="bottom")
    name = row.text_input(
        told("Name"), found.name, max_chars=120, key=f"corpora.name.{hash(found.name)}", width=420
    )
    pressed = row.button(told("Add this text"), key="corpora.add")
    if job:
        if stored := add_by_job(job, name or found.name, kind, pressed):
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
            st.error(escape(sentence(told(str(problem)))))
            return
        added(one.id, one.title, one.id in there)


def added(id: str, title: str, known: bool) -> None:
    """Said, shown below, and the boxes begin again empty."""
    st.session_state["corpora.done"] = (
        _("This text is here already, under the name “{title}”.", title=escape(title))
        if known
        else _("“{title}” is added, and shown below.", title=escape(title))
    )
    st.session_state["corpora.turn"] += 1
    st.session_state.pop(HUB, None)
    drop()
    st.session_state[NEXT] = id
    st.rerun()


def of_hub(turn: int) -> tuple[str, str] | None:
    """(name, part) of what was asked for."""
    with (
        st.expander(told("Or a data set from the Hugging Face hub, by name")),
        st.form(f"corpora.hub.{turn}", border=False),
    ):
        row = st.container(horizontal=True, vertical_alignment="bottom")
        name = row.text_input(
            told("Data set"),
            placeholder=told("owner/name"),
            max_chars=201,
            key=f"corpora.hub.name.{turn}",
            width=320,
        )
        part = row.text_input(
            told("Split"),
            "train",
            max_chars=60,
            key=f"corpora.hub.part.{turn}",
            width=140,
            help=told(
                "Most data sets have a split called train; many also have validation and test."
            ),
        )
        if row.form_submit_button(told("Fetch it")):
            st.session_state[HUB] = name.strip(), part.strip() or "train"
        st.caption(
            told(
                "This needs a network connection and the package `datasets`. The hub sees which"
                " data set you ask for; none of your texts is sent. Data sets that contain a"
                " program are refused. To cancel, clear the name and press the button."
            )
        )
    asked = st.session_state.get(HUB)
    return asked if asked and asked[0] else None


def read_by_job(
    job: Job, kind: str, choose: Callable[[tuple[str, ...]], tuple[str, ...] | None], **more: str
) -> Read | None:
    """None as long as it is read, and where it can't be; both are shown.  `choose` asks for the
    columns of a table, once they are known."""
    how = {"kind": kind, "columns": choose(job.columns), "look": not job.columns, **more}
    found = find_answer(job, "read") if waiting.try_it(job.ask, "read", **how) else None
    if found is None:
        return None
    if found["read"] is None:
        job.columns = tuple(found["columns"])
        return read_by_job(job, kind, choose, **more)
    return jobs.unpack(found["read"])


def add_by_job(job: Job, name: str, kind: str, pressed: bool) -> dict[str, Any] | None:
    """What is known of the stored text; None as long as nothing was asked for, it is stored, or it
    can't be."""
    if pressed and not job.state.alive:
        job.forget("add")
        waiting.try_it(job.ask, "add", name=name, kind=kind)
    return find_answer(job, "add") if job.doing == "add" else None


def find_answer(job: Job, do: str) -> Any:
    """What came of it; else how far it is, or the sentence why it ended."""
    found = waiting.find_answer(job, do)
    if job.state.alive:
        st.session_state[BUSY] = True
    elif found is None and do == "read" and st.button(told("Read again"), key="corpora.again"):
        job.forget(do)
        st.rerun()
    return found


@dataclass(frozen=True, slots=True)
class Upload:
    """`name` is fit to be shown, not to be a path; `take` gives the bytes."""

    name: str
    id: str
    size: int
    take: Callable[[], bytes] = field(repr=False)

    @classmethod
    def pasted(cls, text: str) -> Upload:
        raw = text.encode("utf-8", "replace")
        return cls(reading.PASTED, hashlib.sha256(raw).hexdigest(), len(raw), lambda: raw)


def are_large(files: Sequence[Upload]) -> bool:
    packed = any(documents.is_packed(file.name, file.take()[:1024]) for file in files)
    return sum(file.size for file in files) > (PACKED if packed else PLAIN)


@st.cache_data(max_entries=32, show_spinner=False)
def _columns(id: str, _file: Upload) -> tuple[str, ...]:
    return reading.tables([(_file.name, _file.take())])


def tables(files: Sequence[Upload]) -> tuple[str, ...]:
    """The columns of the tables among the files, each once."""
    with st.spinner(told("Reading the columns …")):
        found = [_columns(f"{file.id} {file.name}", file) for file in files]
    return tuple(dict.fromkeys(name for names in found for name in names))


def take_files(files: Sequence[Upload]) -> list[tuple[str, bytes]]:
    return [(file.name, file.take()) for file in files]


@st.cache_resource(
    scope="session",
    max_entries=1,
    show_spinner=False,
    validate=lambda job: job.folder.is_dir(),
    on_release=lambda job: job.close(),
)
def staged(key: tuple[str, ...], _files: Sequence[Upload]) -> Job:
    """The job of these files, one for a session; it goes with the session.  ValueError where the
    disk does not take them."""
    return Job(take_files(_files))


def drop() -> None:
    """What was read, and what the process of it left."""
    st.session_state.pop("corpora.read", None)
    staged.clear()
