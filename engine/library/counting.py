"""Counting: the statistics of a corpus made by a process of its own, and kept on disk by what the text is.

    <root>/<key>.json   what was counted; written last, so it means done
          /<key>.told   {share, what, problem} while the process counts

What      kept(corpus): what is there · begin([corpus]): a niced process counts what is not there · state(corpus): how far it is
Differs   Of pairs the texts alone are counted: no labels, no tags.  A stored corpus is known by its digest, a built-in one by the files
          that write it and by the Python that runs them; so nothing is ever counted twice, in whatever process.

    python -m engine.library.counting ID [ID ...]
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from engine import child, library
from engine.arrays import write_bytes
from engine.child import State
from engine.corpora.base import Corpus
from engine.library import pairs
from engine.library.duplicates import Duplicates
from engine.library.frequencies import Curve, Frequencies
from engine.library.language import guess
from engine.library.scan import Lengths
from engine.library.statistics import Statistics, measure
from engine.library.store import Stored

VERSION = 1
SILENT = 30.0  # seconds without a sign after which the process counts as dead
KEPT = 200  # the newest
ALIKE = ("labelled", "tagged")


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
    """All of a text, one passage a line: without the labels and tags of pairs.  LookupError as `Stored.whole`."""
    text = corpus.whole() if isinstance(corpus, Stored) else corpus.text()
    return without(text, library.kind_of(corpus))


def without(text: str, kind: str) -> str:
    """Lines of a kind without their labels or tags."""
    return "".join(f"{row[kind == 'labelled']}\n" for row in pairs.read(text, kind)) if kind in ALIKE else text


def kept(corpus: Corpus) -> Counted | None:
    path = _place(corpus, "json")
    try:
        return _read(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError):  # not there, or damaged: it is counted again
        return None


def count(corpus: Corpus, tell: Callable[[float, str], None] = lambda share, what: None) -> Counted:
    """Here and now; kept where the disk takes it.  ValueError or LookupError with a sentence."""
    text = plain(corpus)
    if not text:
        raise ValueError("there is nothing to count")
    language = guess(text)
    found = Counted(measure(text, tell), (language.name, language.sure), len(text.encode()))
    with contextlib.suppress(OSError):  # a full disk costs only the next one its time
        _root().mkdir(parents=True, exist_ok=True)
        write_bytes(_place(corpus, "json"), json.dumps(asdict(found), default=np.ndarray.tolist).encode())
        for old in sorted(_root().glob("*.json"), key=lambda p: -p.stat().st_mtime)[KEPT:]:
            old.unlink(missing_ok=True)
    return found


def begin(some: Sequence[Corpus]) -> None:
    """In one process of its own, one after the other, those that are neither there nor on their way.  OSError where the disk is full."""
    some = [c for c in some if not _place(c, "json").is_file() and not state(c).running]
    if some:
        _root().mkdir(parents=True, exist_ok=True)
        for corpus in some:
            _tell(corpus, what="waiting")
        _children[:] = [one for one in _children if one.poll() is None]
        _children.append(child.start("engine.library.counting", *(c.id for c in some)))


_children: list[subprocess.Popen[bytes]] = []


def state(corpus: Corpus) -> State:
    path = _place(corpus, "told")
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
        quiet = time.time() - path.stat().st_mtime
    except (OSError, ValueError):
        return State()
    running = quiet < SILENT and not told["problem"] and not _place(corpus, "json").is_file()
    return State(running, told["share"], told["what"], told["problem"])


def _tell(corpus: Corpus, share: float = 0.0, what: str = "", problem: str = "") -> None:
    write_bytes(_place(corpus, "told"), json.dumps({"share": share, "what": what, "problem": problem}).encode())


def _root() -> Path:
    from engine.runs import home

    return home() / "counted"


def _place(corpus: Corpus, ending: str) -> Path:
    key = str(corpus.about["digest"])[:32] if isinstance(corpus, Stored) else f"{corpus.id}-{_sources()}"
    return _root() / f"{key}-{VERSION}.{ending}"


@cache
def _sources() -> str:
    found = hashlib.sha256(sys.version.encode())
    for path in sorted((Path(__file__).parents[1] / "corpora").glob("*.py")):
        found.update(path.read_bytes())
    return found.hexdigest()[:16]


def _read(told: dict[str, Any]) -> Counted:
    s = told["statistics"]
    lengths = {name: Lengths(np.array(found["counts"], np.int64), found["total"], found["longest"]) for name, found in s["lengths"].items()}
    f = s["frequencies"]
    zipf, heaps = (Curve(np.array(c["x"], np.int64), np.array(c["y"], np.int64), c["scale"], c["exponent"]) for c in (f["zipf"], f["heaps"]))
    ngrams = {int(n): _rows(rows) for n, rows in f["ngrams"].items()}
    frequencies = Frequencies(**{**f, "zipf": zipf, "heaps": heaps, "words": tuple(f["words"]), "ngrams": ngrams})
    twice = Duplicates(**{**s["duplicates"], "most": _rows(s["duplicates"]["most"])})
    more = {"classes": _rows(s["classes"]), "commonest": _rows(s["commonest"]), "notes": tuple(s["notes"])}
    return Counted(Statistics(**{**s, **more, "lengths": lengths, "duplicates": twice, "frequencies": frequencies}), tuple(told["language"]), told["size_bytes"])


def _rows(rows: list[Any]) -> tuple[tuple[str, int], ...]:
    return tuple((what, often) for what, often in rows)


def run(ids: Sequence[str]) -> None:
    """The work of the process."""
    child.niced()
    some = [library.find(id) for id in ids]

    def tell(corpus: Corpus, share: float, what: str) -> None:
        with contextlib.suppress(OSError):
            _tell(corpus, share, what)
            for other in some[some.index(corpus) + 1 :]:
                os.utime(_place(other, "told"))  # still waiting

    for corpus in some:
        try:
            count(corpus, lambda share, what, corpus=corpus: tell(corpus, share, what))  # type: ignore[misc]
            _place(corpus, "told").unlink(missing_ok=True)
        except (ValueError, LookupError) as error:
            _tell(corpus, problem=str(error))
        except MemoryError:
            _tell(corpus, problem="there is not enough memory to count so long a text")


if __name__ == "__main__":
    run(sys.argv[1:])
