"""Store: a person's own corpora on disk, one folder each, named by what is in it.

    <root>/<id>/text.txt     the text, UTF-8, one passage a line
               /about.json   name, source, kind, counts, seed, notes; written last, so it means done

What      id = the name in small letters, and 8 hexadecimal digits of the text's digest:
          my-novel-1a2b3c4d.  Where several people use one server, 16 digits: what is worked out of
          a text is kept under its id, and nobody can make another text with that of a stranger's
Differs   A corpus is made in a folder whose name begins with a dot, and that folder is then
          renamed: whatever happens on the way, a corpus is there whole or not at all.  The same
          text is never stored twice.  Renaming changes the name, never the id.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import re
import secrets
import shutil
import unicodedata
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, Literal

from msgspec import Struct

from engine.language.message import _, refusal
from engine.people import limits
from engine.storage import files, record
from engine.storage.files import (
    discard,
    disk_errors,
    is_full,
    new_folder,
    reason,
    reserve_room,
    write_bytes,
    writing,
)
from engine.storage.home import home, person
from engine.text.collection import pairs as lines_of
from engine.text.collection import parts
from engine.text.collection.gather import join
from engine.text.paged import Paged, Spool
from engine.text.read import read
from engine.text.segmentation import first, unspaced
from engine.text.slug import slug

# being made, being deleted, holds an upload that is read (job.py)
NEW, GONE, READ = ".new", ".gone", ".read"
WHERE = "the folder of the corpora"  # in what is said of a disk that refuses
VERSION = 1
KINDS = ("text", "labelled", "parallel", "tagged")
TEXT, ABOUT = "text.txt", "about.json"
ID = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*-[0-9a-f]{8}(?:[0-9a-f]{8})?")
DIGITS, MANY_DIGITS = 8, 16  # of the digest; the second where several people use one server
UNCLEAN = "\r\0\x0b\x0c\x85\u2028\u2029"
CHUNK, FAST = 1 << 20, 1  # bytes that are copied at a time; of the nine levels of packing
MOST_ID = 60
MOST_NAME = 120
QUOTA_MB = 2000.0


class LanguageFacts(Struct, frozen=True):
    """What a text's language was taken for, and how sure that is."""

    name: str = ""
    sure: str = ""
    says: str = ""


class CorpusRecord(Struct, frozen=True, kw_only=True):
    """about.json.  `passages`: how many each part has."""

    version: int
    name: str
    source: list[str]
    kind: Literal["text", "labelled", "parallel", "tagged"]
    size_bytes: int
    characters: int
    words: int
    sentences: int
    passages: dict[str, int]
    language: LanguageFacts
    seed: int
    added: str
    notes: list[str]
    digest: str


@dataclass(frozen=True, slots=True)
class Stored:
    """One stored corpus; a `Corpus` as in engine/text/corpora/base.py.  `about` is its about.json."""

    folder: Path
    about: Mapping[str, Any]

    @property
    def id(self) -> str:
        return self.folder.name

    @property
    def title(self) -> str:
        return str(self.about["name"])

    @property
    def kind(self) -> str:
        return str(self.about["kind"])

    @property
    def seed(self) -> int:
        return int(self.about["seed"])

    @property
    def says(self) -> str:
        source = ", ".join(self.about["source"]) or "pasted text"
        return _(
            "Your own text, from {source}: {about:,} words.",
            source=source,
            about=self.about["words"],
        )

    @property
    def licence(self) -> str:
        return "your own; see where it came from"

    def raw(self) -> bytes:
        """All of it.  LookupError where the file is gone or was changed."""
        with self.opened() as file:
            return file.read()

    def whole(self) -> str:
        return self.raw().decode("utf-8", "replace")

    @contextlib.contextmanager
    def opened(self) -> Iterator[BinaryIO]:
        """Its file.  LookupError as `raw`."""
        try:
            with (self.folder / TEXT).open("rb") as file:
                size = os.fstat(file.fileno()).st_size
                if size != self.about["size_bytes"]:
                    raise LookupError(
                        _(
                            "the corpus {id} is damaged: {text} has {size:,} bytes, not {about:,}; delete"
                            " it and add it again",
                            id=self.id,
                            text=TEXT,
                            size=size,
                            about=self.about["size_bytes"],
                        )
                    )
                yield file
        except OSError as error:
            if is_full(error):  # of whoever copies it
                raise
            raise LookupError(
                _("the corpus {id} can't be read: {error}", id=self.id, error=reason(error))
            ) from error

    def text(self) -> str:
        """What training may read: all but the test part."""
        return parts.trainable(self.whole(), self.seed)

    def part(self, which: str) -> str:
        """ "train", "validation" or "test", one passage a line."""
        return parts.part(self.whole(), which, self.seed)

    def pairs(self) -> list[tuple[str, str]]:
        """(label, text), (text, translation) or (words, tags) of every line.  LookupError for a
        plain text."""
        if self.kind == "text":
            raise LookupError(_("the corpus {id} is a plain text and has no pairs", id=self.id))
        return lines_of.read(self.whole(), self.kind)


class Library:
    """The stored corpora under one folder."""

    def __init__(self, root: Path | None = None, made_in: Path | None = None) -> None:
        """made_in: where what is not finished stands; beside the others, if not said."""
        if root is None:
            root = home() / "corpora"
        self.root, self.made_in = root, made_in or root

    def all(self, kind: str | None = None) -> list[Stored]:
        """By name; a damaged one does not hide the others."""
        found = []
        for place in files.find_all(self.root, f"*/{ABOUT}"):
            with contextlib.suppress(ValueError, OSError):
                if ID.fullmatch(place.parent.name):
                    found.append(_open(place.parent))
        return sorted(
            (c for c in found if kind in (None, c.kind)), key=lambda c: (c.title.casefold(), c.id)
        )

    def find(self, id: str) -> Stored:
        """LookupError with one sentence when there is none; ValueError when its about.json is
        damaged."""
        if len(id) <= MOST_ID and ID.fullmatch(id) and os.path.isfile(self.root / id / ABOUT):
            return _open(self.root / id)
        have = ", ".join(c.id for c in self.all()[:20]) or "none yet"
        raise LookupError(
            _("there is no stored corpus {id}; there are: {have}", id=repr(id[:MOST_ID]), have=have)
        )

    def add(
        self,
        content: str | Paged | Sequence[tuple[str, str]],
        name: str,
        *,
        source: Sequence[str] = (),
        kind: str = "text",
        notes: Sequence[str] = (),
        seed: int = 0,
        tell: Callable[[float, str], None] = lambda share, what: None,
    ) -> Stored:
        """Store a text, or pairs for the kinds labelled, parallel and tagged.  What is there
        already is found, with its old name.

        ValueError with one sentence: nothing in it, not of its kind, no room; then nothing was
        changed.
        """
        if kind not in KINDS:
            raise refusal("no kind {kind}; there are {KINDS}", kind=repr(kind))
        text, more = self._given(content, kind)
        if text.is_blank():
            raise ValueError("there is no text to store; give some lines of text")
        parts.check(text)
        if kind != "text":
            lines_of.check(text, kind)
        found = hashlib.sha256(kind.encode() + b"\0")
        for raw in text.raw():
            found.update(raw)
        digest, size = found.hexdigest(), text.at_B[-1]
        name = _named(name)
        for there in self.all():
            if there.about["digest"] == digest:
                return there
        about = {
            "version": VERSION,
            "name": name,
            "source": [_named(s) for s in source],
            "kind": kind,
            "size_bytes": size,
            **_counted(text, seed, tell),
            "seed": seed,
            "added": datetime.now(UTC).isoformat(timespec="seconds"),
            "notes": [*notes, *more, *filter(None, [unspaced(text)])],
            "digest": digest,
        }
        note = record.dump(about)
        self._check_room(size + len(note))
        limits.check_room(size + len(note))
        tell(0.9, "storing")
        id = f"{slug(name) or 'text'}-{digest[: DIGITS if person() is None else MANY_DIGITS]}"
        with self._made() as folder:
            save(text, folder / TEXT)
            write_bytes(folder / ABOUT, note)
            self._settle(folder, id)
        return self.find(id)

    def _given(
        self, content: str | Paged | Sequence[tuple[str, str]], kind: str
    ) -> tuple[Paged, list[str]]:
        """A text with an end of its last line, and what was done to it."""
        if isinstance(content, Paged):
            return join([content]), []
        if not isinstance(content, str):
            return lines_of.written(content, kind if kind != "text" else "parallel")
        if not any(sign in content for sign in UNCLEAN):
            return join([Spool(content).close()]), []
        text, notes = read(content.encode("utf-8", "replace"))  # pasted, not read out of a file
        return join([Spool(text).close()]), list(notes)

    def take(self, corpus: Stored) -> Stored:
        """A copy of a corpus of another library; what is there already is found.  ValueError with
        one sentence: no room, or it is damaged."""
        for there in self.all():
            if there.about["digest"] == corpus.about["digest"]:
                return there
        self._check_room(int(corpus.about["size_bytes"]))
        with self._made() as folder, corpus.opened() as text:
            size = int(corpus.about["size_bytes"])
            with reserve_room(folder / TEXT, size), writing(folder / TEXT) as copy:
                shutil.copyfileobj(text, copy, CHUNK)
            record.save(folder / ABOUT, corpus.about)
            self._settle(folder, corpus.id)
        return self.find(corpus.id)

    def rename(self, id: str, name: str) -> Stored:
        """Another name; the id stays, so that what was trained on it still finds it."""
        corpus = self.find(id)
        about = {**corpus.about, "name": _named(name)}
        with disk_errors(WHERE):
            record.save(corpus.folder / ABOUT, about)
        return self.find(id)

    def delete(self, id: str) -> None:
        """For good; a damaged one too."""
        with contextlib.suppress(ValueError):
            self.find(id)
        with disk_errors(WHERE):
            discard(self.root / id, self._aside())

    def export(self, id: str, packed: bool = False) -> tuple[str, bytes]:
        """(file name, bytes): the text, or with `packed` a zip of the text and its about.json."""
        corpus = self.find(id)
        if not packed:
            return f"{corpus.id}.txt", corpus.raw()
        buffer = io.BytesIO()
        with (
            corpus.opened() as text,
            zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=FAST) as file,
        ):
            with file.open(TEXT, "w") as packing:
                shutil.copyfileobj(text, packing, CHUNK)
            file.writestr(ABOUT, record.dump(corpus.about))
        return f"{corpus.id}.zip", buffer.getvalue()

    def _aside(self) -> Path:
        return self.root / f"{GONE}-{secrets.token_hex(8)}"

    @property
    def used_bytes(self) -> int:
        return sum(c.about["size_bytes"] for c in self.all())

    @property
    def quota_bytes(self) -> int:
        """2 GB; UNROLLED_QUOTA_MB says otherwise."""
        try:
            return int(float(os.environ.get("UNROLLED_QUOTA_MB", QUOTA_MB)) * 1e6)
        except (ValueError, OverflowError):
            return int(QUOTA_MB * 1e6)

    def _check_room(self, size: int) -> None:
        used, most = self.used_bytes, self.quota_bytes
        if used + size > most:
            raise refusal(
                "this corpus takes {size:,.1f} MB, and {used:,.1f} of the {most:,.0f} MB for"
                " corpora are used; delete one, or set UNROLLED_QUOTA_MB to more before the start",
                size=size / 1000000.0,
                used=used / 1000000.0,
                most=most / 1000000.0,
            )

    @contextlib.contextmanager
    def _made(self) -> Iterator[Path]:
        """A new folder to fill; what is left of it when something fails goes."""
        with disk_errors(WHERE):
            sweep(self.root)
            with new_folder(self.made_in / f"{NEW}-{secrets.token_hex(8)}") as folder:
                yield folder

    def _settle(self, folder: Path, id: str) -> None:
        """To its place, out of which only a damaged one has to go: somebody may have stored the same
        text meanwhile, and read it now."""
        place = self.root / id
        while True:
            try:
                folder.rename(place)
            except OSError:
                if not place.exists():
                    raise
            else:
                return
            with contextlib.suppress(LookupError, ValueError):
                self.find(id)
                return
            with contextlib.suppress(FileNotFoundError):  # another was faster
                place.rename(self._aside())


def _open(folder: Path) -> Stored:
    try:
        about = record.load(folder / ABOUT)
        record.convert(about, CorpusRecord)
    except (ValueError, OSError) as error:
        raise refusal(
            "{folder} is damaged: {said}; delete the corpus and add its text again",
            folder=folder / ABOUT,
            said=str(error).removeprefix(f"{folder / ABOUT} is damaged: "),
        ) from error
    return Stored(folder, about)


def sweep(root: Path) -> None:
    """The folder of the corpora is there, and what was abandoned in it is not."""
    root.mkdir(parents=True, exist_ok=True)
    files.sweep(root, *(f"{name}-*" for name in (NEW, GONE, READ)))


def save(text: Paged, path: Path) -> None:
    """Its bytes, block by block."""
    with reserve_room(path, text.at_B[-1]), writing(path) as file:
        for raw in text.raw():
            file.write(raw)


def _counted(text: Paged, seed: int, tell: Callable[[float, str], None]) -> dict[str, Any]:
    """Characters, words, sentences, passages of each part, and the language."""
    from engine.text.collection.language import guess
    from engine.text.collection.scan import characters, scan

    seen, language = scan(text, lambda share: tell(0.1 + 0.4 * share, "counting")), guess(text)
    each = characters(text, lambda share: tell(0.5 + 0.2 * share, "counting"))
    return {
        "characters": each.total(),
        "words": seen.words,
        "sentences": seen.sentences,
        "passages": parts.sizes(text, seed),
        "language": {"name": language.name, "sure": language.sure, "says": language.says},
    }


def _named(name: str) -> str:
    """A name on one line, of letters that can be seen."""
    seen = "".join(
        c if unicodedata.category(c)[0] != "C" or c in "\u200c\u200d" else " " for c in name
    )
    return first(" ".join(seen.split()), MOST_NAME) or "untitled"
