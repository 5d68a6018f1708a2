"""What was dropped or pasted: read here where that takes no time, by a process of its own where it
does."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import streamlit as st

from engine.text import documents
from engine.text.collection import reading
from engine.text.collection.job import Job

# bytes of all files together that are read here: of texts and tables, and where one has to be unpacked
PLAIN, PACKED = 2_000_000, 20_000


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


def large(files: Sequence[Upload]) -> bool:
    packed = any(documents.packed(file.name, file.take()[:1024]) for file in files)
    return sum(file.size for file in files) > (PACKED if packed else PLAIN)


@st.cache_data(max_entries=32, show_spinner="Reading the columns …")
def _columns(id: str, _file: Upload) -> tuple[str, ...]:
    return reading.tables([(_file.name, _file.take())])


def tables(files: Sequence[Upload]) -> tuple[str, ...]:
    """The columns of the tables among the files, each once."""
    return tuple(
        dict.fromkeys(name for file in files for name in _columns(f"{file.id} {file.name}", file))
    )


def given(files: Sequence[Upload]) -> list[tuple[str, bytes]]:
    return [(file.name, file.take()) for file in files]


@st.cache_resource(
    scope="session",
    max_entries=1,
    show_spinner="Adding the text …",
    validate=lambda job: job.folder.is_dir(),
    on_release=lambda job: job.close(),
)
def staged(key: tuple[str, ...], _files: Sequence[Upload]) -> Job:
    """The job of these files, one for a session; it goes with the session.  ValueError where the
    disk does not take them."""
    return Job(given(_files))


def drop() -> None:
    """What was read, and what the process of it left."""
    st.session_state.pop("corpora.read", None)
    staged.clear()
