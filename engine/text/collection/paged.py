"""Paged: a stored text that stays in its file; what is asked for is read from there, a block at a
time.

What      len(text), text[at], text[start:stop], text.lines(start, stop), as if the text were one
          string
Shapes    B = blocks
Differs   Of pairs the texts alone are there, a line each, as in `counting.plain`.  No step works on
          more than a block, so the interpreter is never held for long; in memory are where the
          blocks begin and the last ones that were used.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from threading import Lock

from engine.text.collection import counting
from engine.text.collection.store import Stored

BLOCK = 1 << 20  # bytes
KEPT = 4  # blocks


class Paged:
    """LookupError with one sentence where the file is gone or was changed."""

    def __init__(self, corpus: Stored, block: int = BLOCK) -> None:  # of four bytes or more
        self.corpus, self.at_B, self.start_B, self.line_B = corpus, [0], [0], [0]
        self._kept: dict[int, str] = {}
        self._lock = Lock()
        with corpus.opened() as file:
            while raw := file.read(block):
                if corpus.kind in counting.ALIKE:
                    raw += file.readline()
                elif len(raw) == block and (last := _last(raw)):
                    file.seek(-last, os.SEEK_CUR)
                    raw = raw[:-last]
                text = self._decoded(raw)
                self.at_B.append(self.at_B[-1] + len(raw))
                self.start_B.append(self.start_B[-1] + len(text))
                self.line_B.append(self.line_B[-1] + text.count("\n"))

    def __len__(self) -> int:
        return self.start_B[-1]

    def __getitem__(self, at: slice | int) -> str:
        if isinstance(at, int):
            return self[at : at + 1]
        start, stop, _ = at.indices(len(self))
        found = []
        for k in range(max(bisect_right(self.start_B, start) - 1, 0), len(self.at_B) - 1):
            if self.start_B[k] >= stop:
                break
            found.append(self._block(k)[max(start - self.start_B[k], 0) : stop - self.start_B[k]])
        return "".join(found)

    def lines(self, start: int, stop: int) -> int:
        """How many lines end there."""
        return self._before(stop) - self._before(start)

    def _before(self, at: int) -> int:
        k = min(bisect_right(self.start_B, at), len(self.at_B) - 1) - 1
        return self.line_B[k] + self._block(k).count("\n", 0, at - self.start_B[k]) if k >= 0 else 0

    def _block(self, k: int) -> str:
        with self._lock:
            if k not in self._kept:
                with self.corpus.opened() as file:
                    file.seek(self.at_B[k])
                    self._kept[k] = self._decoded(file.read(self.at_B[k + 1] - self.at_B[k]))
                if len(self._kept) > KEPT:
                    del self._kept[next(iter(self._kept))]
            return self._kept[k]

    def _decoded(self, raw: bytes) -> str:
        return counting.without(raw.decode("utf-8", "replace"), self.corpus.kind)


def _last(raw: bytes) -> int:
    """How many of the last three bytes belong to a sign of several bytes, which may go on behind
    them."""
    return next((k for k in (1, 2, 3) if raw[-k] >= 0xC0), 0)
