"""Counting: the statistics of a corpus made by a process of its own, and kept on disk by what the
text is.

    <root>/<key>.json   what was counted; written last, so it means done
          /<key>.job/status.json   how far it is, while the process counts

What      read_counted(corpus): what is there · start_counting([corpus]): a niced process counts what
          is not there · state(corpus): how far it is
Differs   Of pairs the texts alone are counted: no labels, no tags.  A stored corpus is known by its
          digest, a built-in one by the files that write it and by the Python that runs them; so
          nothing is ever counted twice, in whatever process.

    python -m engine.text.collection.counting ID [ID ...]
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os.path
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from engine.jobs import detached, status
from engine.jobs.status import FINISHED, WAITING, Status
from engine.storage import record
from engine.storage.disk_cache import DiskCache
from engine.storage.home import base
from engine.text import collection
from engine.text.collection import pairs
from engine.text.collection.duplicates import Duplicates
from engine.text.collection.frequencies import Curve, Frequencies
from engine.text.collection.language import guess
from engine.text.collection.paged import PagedCorpus
from engine.text.collection.scan import Lengths
from engine.text.collection.statistics import Statistics, measure
from engine.text.collection.store import Stored
from engine.text.corpora.base import Corpus
from engine.text.paged import blocks_of

VERSION = 2  # 2: words and characters of all scripts
MOST_BYTES = 100_000_000  # of what is kept; the statistics of one text take half a megabyte


@dataclass(frozen=True, slots=True)
class Counted:
    """`language`: its name and how sure that is."""

    statistics: Statistics
    language: tuple[str, str]
    size_bytes: int

    @property
    def words(self) -> int:
        return self.statistics.lengths["word"].number

    @property
    def sentences(self) -> int:
        return self.statistics.lengths["sentence"].number


def plain(corpus: Corpus) -> str:
    """All of a text, one passage a line: without the labels and tags of pairs.  LookupError as
    `Stored.whole`."""
    text = corpus.whole() if isinstance(corpus, Stored) else corpus.text()
    return pairs.strip_labels(text, collection.kind_of(corpus))


def read_counted(corpus: Corpus) -> Counted | None:
    raw = _cache().read(_key(corpus))
    try:
        return None if raw is None else _read(record.parse(raw))
    except (ValueError, KeyError, TypeError):  # damaged: it is counted again
        return None


def count(corpus: Corpus, tell: Callable[[float, str], None] = lambda share, what: None) -> Counted:
    """Here and now; kept where the disk takes it.  ValueError or LookupError with a sentence."""
    found = _count(corpus, tell)
    with contextlib.suppress(OSError):  # a full disk costs only the next one its time
        _keep(corpus, found)
    return found


def _count(corpus: Corpus, tell: Callable[[float, str], None]) -> Counted:
    text = PagedCorpus(corpus) if isinstance(corpus, Stored) else plain(corpus)
    if not len(text):
        raise ValueError("there is nothing to count")
    language = guess(text)
    size = sum(len(block.encode()) for block in blocks_of(text))
    return Counted(measure(text, tell), (language.name, language.sure), size)


def _keep(corpus: Corpus, found: Counted) -> None:
    _cache().write(_key(corpus), json.dumps(asdict(found), default=np.ndarray.tolist).encode())


def start_counting(some: Sequence[Corpus]) -> None:
    """In one process of its own, one after the other, those that are neither there nor on their
    way.  OSError where the disk is full."""
    some = [c for c in some if not os.path.isfile(_cache().path(_key(c))) and not state(c).alive]
    if some:
        folders = [_folder(c) for c in some]
        for folder in folders:
            folder.mkdir(parents=True, exist_ok=True)
        detached.start(
            folders[0],
            "engine.text.collection.counting",
            *(c.id for c in some),
            others=tuple(folders[1:]),
            first=Status(WAITING, message="waiting"),
        )


def state(corpus: Corpus) -> Status:
    if os.path.isfile(_cache().path(_key(corpus))):  # `Path.is_file` raises where nobody may look
        return Status(FINISHED)
    return status.read(_folder(corpus), Status) or Status()


def _cache() -> DiskCache:
    return DiskCache(base() / "counted", "*.json", MOST_BYTES)


def _folder(corpus: Corpus) -> Path:
    return _cache().root / f"{_key(corpus)}.job"


def _key(corpus: Corpus) -> str:
    key = (
        str(corpus.about["digest"])[:32]
        if isinstance(corpus, Stored)
        else f"{corpus.id}-{_sources()}"
    )
    return f"{key}-{VERSION}"


@cache
def _sources() -> str:
    found = hashlib.sha256(sys.version.encode())
    for path in sorted((Path(__file__).parents[1] / "corpora").glob("*.py")):
        found.update(path.read_bytes())
    return found.hexdigest()[:16]


def _read(told: dict[str, Any]) -> Counted:
    s = told["statistics"]
    lengths = {
        name: Lengths(np.array(found["counts"], np.int64), found["total"], found["longest"])
        for name, found in s["lengths"].items()
    }
    f = s["frequencies"]
    zipf, heaps = (
        Curve(np.array(c["x"], np.int64), np.array(c["y"], np.int64), c["scale"], c["exponent"])
        for c in (f["zipf"], f["heaps"])
    )
    ngrams = {int(n): _rows(rows) for n, rows in f["ngrams"].items()}
    frequencies = Frequencies(
        **{**f, "zipf": zipf, "heaps": heaps, "words": tuple(f["words"]), "ngrams": ngrams}
    )
    twice = Duplicates(**{**s["duplicates"], "most": _rows(s["duplicates"]["most"])})
    more = {
        "classes": _rows(s["classes"]),
        "commonest": _rows(s["commonest"]),
        "notes": tuple(s["notes"]),
    }
    return Counted(
        Statistics(
            **{**s, **more, "lengths": lengths, "duplicates": twice, "frequencies": frequencies}
        ),
        tuple(told["language"]),
        told["size_bytes"],
    )


def _rows(rows: list[Any]) -> tuple[tuple[str, int], ...]:
    return tuple((what, often) for what, often in rows)


def run(ids: Sequence[str]) -> None:
    """The work of the process."""
    for corpus in [collection.find(id) for id in ids]:
        with detached.working(
            _folder(corpus), memory="there is not enough memory to count a text of this length"
        ) as tell:
            _keep(corpus, _count(corpus, tell))  # nobody else hears of a full disk
        if os.path.isfile(_cache().path(_key(corpus))):
            shutil.rmtree(_folder(corpus), ignore_errors=True)


if __name__ == "__main__":
    run(sys.argv[1:])
