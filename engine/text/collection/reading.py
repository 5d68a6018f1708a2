"""Reading: what a person brings, files or a data set of the hub, as one text with what is to be
known before it is stored.

What      a file that can't be read costs only its own sentence; the others become one text of the
          kind that is asked for
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from engine.language.message import _
from engine.text import documents
from engine.text.collection import gather, hub, pairs, parts
from engine.text.collection.language import SAMPLE, Language, guess
from engine.text.paged import Paged, first_lines

PASTED = "pasted text"
FIRST, SHOWN = 20, 1_000  # passages that are kept to be shown, and characters of each
PLACES = 20  # of which the language is guessed
READING = 0.7  # of the work; the rest is looking at the text

Files = Sequence[tuple[str, bytes | Path]]
Tell = Callable[[float, str], None]


@dataclass(frozen=True, slots=True)
class Read:
    """What all files together give.  characters: 0 where none could be read; problems: a sentence
    for each file that could not.

    pages  the text as it is stored, a passage or a pair a line; None where it stands in a file
    """

    source: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    name: str = ""
    characters: int = 0
    sizes: dict[str, int] = field(default_factory=dict)
    language: Language | None = None
    first: tuple[str, ...] = ()
    pages: Paged | None = field(default=None, repr=False, compare=False)


def tables(files: Files) -> tuple[str, ...]:
    """The columns of the tables among the files, each once."""
    found: dict[str, None] = {}
    for name, raw in files:
        try:
            sheet = documents.columns(name, raw)
        except ValueError:  # said when it is read
            continue
        found |= (
            dict.fromkeys(column for column in sheet.names if column not in sheet.nested)
            if sheet
            else {}
        )
    return tuple(found)


def read(files: Files, kind: str, columns: Sequence[str] | None, tell: Tell) -> Read:
    """Files of any format; two of them may go together line by line."""
    found: list[gather.Gathered] = []
    problems = []
    together = (
        [files]
        if kind == "parallel" and len(files) == 2 and columns is None
        else [[file] for file in files]
    )
    for n, some in enumerate(together):

        def told(share: float, what: str, n: int = n) -> None:
            tell(READING * (n + share) / len(together), what)

        name = " and ".join(file for file, __ in some)
        told(0.0, _("reading {name}", name=name))
        try:
            found.append(gather.gather(some, kind, columns, told))
        except ValueError as error:
            problems.append(f"{name}: {error}.")
        except MemoryError:
            problems.append(
                _("{name}: there is not enough memory to read it; cut it into parts.", name=name)
            )
        if sum(len(one.content) for one in found) > documents.MOST_BYTES:
            problems.append(
                _(
                    "This can't be added: together the files have more than {most:,.0f} million"
                    " characters; add them one by one.",
                    most=documents.MOST_BYTES / 1000000.0,
                )
            )
            return Read(problems=tuple(problems))
    return _together(found, kind, tuple(problems), tell)


def fetched(name: str, kind: str, columns: Sequence[str] | None, part: str, tell: Tell) -> Read:
    """A data set by its name at the hub.  ValueError with one sentence."""
    piece = hub.load(
        name, columns, part=part, progress=lambda share, what: tell(READING * share, what)
    )
    return _together([gather.piece(piece, kind, name)], kind, (), tell)


def _together(
    found: list[gather.Gathered], kind: str, problems: tuple[str, ...], tell: Tell
) -> Read:
    if not found:
        return Read(problems=problems)
    source = tuple(name for one in found for name in one.source if name != PASTED)
    notes = tuple(note for one in found for note in _said(one))
    tell(READING, "looking at what it is")
    text = gather.join([one.content for one in found])
    found.clear()
    try:
        if text.is_blank():
            raise ValueError("there is no text in it")
        parts.check(text)
    except ValueError as error:
        return Read(source, notes, (*problems, _("This can't be added: {error}.", error=error)))
    first = first_lines(text.blocks(), FIRST, SHOWN)
    name = (
        (source[0].rpartition("/")[2].rpartition(".")[0] or source[0])
        if source
        else " ".join(first[0].split()[:5])
    )
    return Read(
        source,
        notes,
        problems,
        name[:60],
        len(text),
        parts.sizes(text, 0),
        guess(_texts(text, kind)),
        first,
        text,
    )


def _texts(text: Paged, kind: str) -> str | Paged:
    """Of pairs lines from all over the text, without their labels and tags."""
    if kind not in pairs.ALIKE:
        return text
    step = max(len(text) // PLACES, SAMPLE // PLACES)
    some = []
    for at in range(0, len(text), step):
        lines = text[at : at + 2 * SAMPLE // PLACES]
        some.append(lines.partition("\n")[2] if at else lines)
    return "".join(pairs.strip_labels(lines[: lines.rfind("\n") + 1], kind) for lines in some)


def _said(one: gather.Gathered) -> list[str]:
    """What was done to a file in one sentence; of several files each note names its own."""
    if len(one.source) > 1:
        return [f"{note}." for note in one.notes]
    return [f"{one.source[0]}: {'; '.join(one.notes)}."] if one.notes else []
