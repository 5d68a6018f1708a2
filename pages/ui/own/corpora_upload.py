"""What was dropped or pasted, read file by file: one that can't be read costs only its own sentence."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice

import streamlit as st

from engine import documents
from engine.library import counting, gather, pairs, parts
from engine.library.language import Language, guess

PASTED = "pasted text"
FIRST = 20  # passages that are kept to be shown


@dataclass(frozen=True)
class Upload:
    """`name` is fit to be shown, not to be a path; `take` gives the bytes."""

    name: str
    id: str
    take: Callable[[], bytes] = field(repr=False)

    @classmethod
    def pasted(cls, text: str) -> Upload:
        raw = text.encode("utf-8", "replace")
        return cls(PASTED, hashlib.sha256(raw).hexdigest(), lambda: raw)


@dataclass(frozen=True)
class Read:
    """What all files together give; `content` None where none could be read.  problems: a sentence for each file that could not."""

    content: str | list[tuple[str, str]] | None
    source: tuple[str, ...]
    notes: tuple[str, ...]
    problems: tuple[str, ...]
    name: str = ""
    characters: int = 0
    sizes: dict[str, int] = field(default_factory=dict)
    language: Language | None = None
    first: tuple[str, ...] = ()


@st.cache_data(max_entries=32, show_spinner="Reading the columns …")
def _columns(id: str, _file: Upload) -> tuple[str, ...]:
    try:
        sheet = documents.columns(_file.name, _file.take())
    except ValueError:  # said when it is read
        return ()
    return tuple(name for name in sheet.names if name not in sheet.nested) if sheet else ()


def tables(files: Sequence[Upload]) -> tuple[str, ...]:
    """The columns of the tables among the files, each once."""
    return tuple(dict.fromkeys(name for file in files for name in _columns(f"{file.id} {file.name}", file)))


def read_all(files: Sequence[Upload], kind: str, columns: tuple[str, ...] | None, tell: Callable[[float, str], None]) -> Read:
    found: list[gather.Gathered] = []
    problems = []
    together = [files] if kind == "parallel" and len(files) == 2 and columns is None else [[file] for file in files]
    for n, some in enumerate(together):
        def told(share: float, what: str, n: int = n) -> None:
            tell((n + share) / len(together), what)

        name = " and ".join(file.name for file in some)
        told(0.0, f"reading {name}")
        try:
            one = gather.gather([(file.name, file.take()) for file in some], kind, columns, told)
            if kind != "text" and isinstance(one.content, str):
                pairs.check(one.content, kind)
            found.append(one)
        except ValueError as error:
            problems.append(f"{name}: {error}.")
        except MemoryError:
            problems.append(f"{name}: there is not enough memory to read it; cut it into parts.")
    if not found:
        return Read(None, (), (), tuple(problems))
    source = tuple(name for one in found for name in one.source if name != PASTED)
    notes = tuple(note for one in found for note in _said(one))
    try:
        content = _joined([one.content for one in found], kind)
        text, more = (content, []) if isinstance(content, str) else pairs.written(content, kind)
        if not text.strip():
            raise ValueError("there is no text in it")
        if len(text) > documents.MOST_BYTES:
            raise ValueError(f"together it has {len(text) / 1e6:,.0f} million characters, and {documents.MOST_BYTES / 1e6:,.0f} million can be stored; add the files one by one")
    except ValueError as error:
        return Read(None, source, notes, (*problems, f"This can't be added: {error}."))
    first = tuple(islice((line for line in text.split("\n") if line.strip()), FIRST))
    name = (source[0].rpartition("/")[2].rpartition(".")[0] or source[0]) if source else " ".join(first[0].split()[:5])
    more = [f"{note}." for note in more]
    return Read(content, source, (*notes, *more), tuple(problems), name[:60], len(text), parts.sizes(text, 0), guess(counting.without(text, kind)), first)


def _said(one: gather.Gathered) -> list[str]:
    """What was done to a file in one sentence; of several files each note names its own."""
    if len(one.source) > 1:
        return [f"{note}." for note in one.notes]
    return [f"{one.source[0]}: {'; '.join(one.notes)}."] if one.notes else []


def _joined(contents: Sequence[str | list[pairs.Pair]], kind: str) -> str | list[pairs.Pair]:
    """One text; pairs as soon as one of them is pairs."""
    if all(isinstance(content, str) for content in contents):
        return "".join(str(content) for content in contents)
    return [row for content in contents for row in (pairs.read(content, kind) if isinstance(content, str) else content)]
