"""The typed words on the map of a table of word vectors, each with its true nearest neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from engine.core.trace import Field, FieldSpec, Table, Trace
from engine.live import cache
from engine.live.reply import Extra, Reading
from engine.live.request import Request
from engine.live.shown import Shown

NEAR = 4  # neighbours of a word


class Places(Protocol):
    """A flat map of a run's words (pages/ui/wordmap.py)."""

    spec: FieldSpec
    flat: str

    def place(self, trace: Trace) -> tuple[Field, ...]: ...
    def of(self, word: str) -> list[float]: ...
    def background(self) -> dict[str, Any]: ...


@dataclass(frozen=True)
class Words:
    """What is sent of one reader with a vector for each word."""

    places: Places

    def read(self, found: Reading, shown: Shown, request: Request) -> Reading:
        """With the neighbours of each new token: [word, cosine, x, y]."""
        first, stop = shown.window
        fresh = (first + shown.keep, stop)
        notes: list[list[list[Any]]] = [[] for _ in range(*fresh)]
        # a word that is being typed is often none yet: then there is nothing to look up
        if {*range(shown.keep, len(shown.part))} <= {*shown.part.unknown}:
            return found.add(Extra(notes=notes))
        trace = cache.newest_of(shown)
        table, before = trace["neighbours"], fresh[0] - trace.offset
        assert isinstance(table, Table)
        names = ("position", "rank", "word", "cosine")
        for position, rank, word, cosine in zip(*(table.columns[n] for n in names), strict=True):
            if rank <= NEAR and position >= before:
                near = [str(word), round(float(cosine), 4), *self.places.of(str(word))]
                notes[int(position) - before].append(near)
        return found.add(Extra(notes=notes))
