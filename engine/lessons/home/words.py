"""The typed words, each with its true nearest neighbours in a table of word vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.core.trace import Table
from engine.live import cache
from engine.live.reply import Extra, Reading
from engine.live.request import Request
from engine.live.shown import Shown

MOST = 6  # neighbours of a word


@dataclass(frozen=True)
class Near:
    """What is sent of one reader with a vector for each word."""

    def read(self, found: Reading, shown: Shown, request: Request) -> Reading:
        """With the neighbours of each new token: [word, cosine]."""
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
            if rank <= MOST and position >= before:
                notes[int(position) - before].append([str(word), round(float(cosine), 4)])
        return found.add(Extra(notes=notes))
