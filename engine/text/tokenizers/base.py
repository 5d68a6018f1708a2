"""Tokenizer: text to numbered pieces and back, knowing where in the text each piece lies."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    """A text cut into T pieces.

    ids      (T,) int64, positions in the vocabulary
    labels   T strings, as the reader sees them: an unknown word keeps its own spelling
    spans    T pairs (start, stop) of characters of the text; (0, 0) for a start mark, which covers
             nothing
    unknown  positions of pieces that are not in the vocabulary
    source   the pieces of another text that is read beside these (a translation's original); they
             are no part of T
    lost     (start, stop) of characters that no piece and no unknown mark stands for, in their
             order: the model reads nothing there
    """

    ids: np.ndarray
    labels: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    unknown: tuple[int, ...] = ()
    source: Tokens | None = None
    lost: tuple[tuple[int, int], ...] = ()

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, part: slice) -> Tokens:
        start, stop, _ = part.indices(len(self))
        unknown = tuple(u - start for u in self.unknown if start <= u < stop)
        lost = self._lost(start, stop) if self.lost else ()
        return Tokens(
            self.ids[part], self.labels[part], self.spans[part], unknown, self.source, lost
        )

    def _lost(self, start: int, stop: int) -> tuple[tuple[int, int], ...]:
        """What was lost where these tokens stand: before the next one, and after the last one
        before them."""
        low = max((b for _, b in self.spans[:start]), default=0) if start else 0
        high = min((a for a, b in self.spans[stop:] if b), default=None)
        return tuple(
            (a, b) for a, b in self.lost if (a >= low or not start) and (high is None or a < high)
        )

    def after(self, id: int, label: str) -> Tokens:
        """The same pieces behind a start mark."""
        return Tokens(
            np.concatenate([np.array([id], np.int64), self.ids]),
            (label, *self.labels),
            ((0, 0), *self.spans),
            tuple(u + 1 for u in self.unknown),
            self.source,
            self.lost,
        )

    def moved(self, by: int) -> Tokens:
        """The same pieces where the text stands `by` characters further on."""
        return replace(
            self,
            spans=tuple((a + by, b + by) for a, b in self.spans),
            lost=tuple((a + by, b + by) for a, b in self.lost),
        )

    @property
    def strange(self) -> int:
        """How many places of the text have no piece: unknown, or lost."""
        return len(self.unknown) + len(self.lost)


def passages(text: str) -> list[str]:
    """The lines of a text that are not blank: one passage each."""
    return [line for line in text.split("\n") if line.strip()]


def split(
    lines: list[str], seed: int = 0, most_characters: int = 400_000
) -> tuple[list[str], list[str]]:
    """(train, held out): about one passage in twenty is held out, `most_characters` at most, the
    same for every model.

    A text of fewer than twenty passages gives up its last one, a text of one passage none.
    """
    chosen = held_out(np.fromiter(map(len, lines), np.int64, len(lines)), seed, most_characters)
    return [x for x, c in zip(lines, chosen, strict=True) if not c], [
        x for x, c in zip(lines, chosen, strict=True) if c
    ]


def held_out(size_N: np.ndarray, seed: int = 0, most_characters: int = 400_000) -> np.ndarray:
    """(N,) bool: which passages of these lengths `split` holds out."""
    n = len(size_N)
    chosen_N = np.zeros(n, bool)
    if n < 20:
        chosen_N[n - 1 :] = n > 1
        return chosen_N
    at = np.flatnonzero(np.random.default_rng((seed, 20)).random(n) < 0.05)
    chosen_N[at] = size_N[at].cumsum(dtype=np.int64) <= most_characters
    return chosen_N


class Tokenizer(ABC):
    """`vocab[id]` is the piece with that id.  `boundary` is the id of the mark between passages
    (the line end).

    `opens`: whether every text is read behind the mark `opening`; else an empty one alone.
    `talks`: whether a text is read as the turns of a conversation (engine/text/chat.py).
    `unknown` is the id of what is not in the vocabulary; -1 where everything is.
    `start`, `end` and `mask` are the ids of the marks at the ends of a text and of a masked word,
    `between` those of the marks between two sentences; -1 and none where it has no such marks.
    `leads` are those that a source begins with, and `forced` is the one that its translation does;
    `barred` is one that no translation has.
    """

    id: ClassVar[str]
    title: ClassVar[str] = ""
    short: ClassVar[str] = ""  # its name where there is little room
    rank: ClassVar[int] = 1000  # its place in lists
    says: ClassVar[str] = ""  # what is a token, in half a sentence
    unknown: int = -1
    start: int = -1
    end: int = -1
    mask: int = -1
    between: tuple[int, ...] = ()
    leads: tuple[int, ...] = ()
    forced: int = -1
    barred: int = -1
    opens: bool = True
    talks: bool = False
    lowercase: bool = False  # whether capital letters are read as small ones
    vocab: tuple[str, ...]
    boundary: int

    @property
    def opening(self) -> int:
        """The id of the mark that a text is read behind."""
        return self.boundary

    @property
    def target(self) -> Tokenizer:
        """What cuts a translation, into pieces of the same vocabulary."""
        return self

    @classmethod
    @abstractmethod
    def fit(cls, lines: Iterable[str], size: int) -> Self:
        """Learn a vocabulary of at most `size` pieces from lines without their line ends."""

    @classmethod
    def learn(cls, lines: Iterable[str], size: int) -> tuple[Self, np.ndarray]:
        """`fit`, and the `stream` of the same lines."""
        lines = list(lines)
        made = cls.fit(lines, size)
        return made, made.stream(lines)

    @abstractmethod
    def encode(self, text: str) -> Tokens: ...

    def encode_plain(self, text: str) -> Tokens:
        """The same of one that talks, of the text alone."""
        return self.encode(text)

    def note(self, text: str) -> str:
        """What is to be said of how a text is read; "" where there is nothing."""
        return ""

    def raw(self, id: int) -> bytes:
        """The bytes of a text that a token stands for; none where they are no whole characters."""
        text = self.decode([id])
        return b"" if "\N{REPLACEMENT CHARACTER}" in text else text.encode()

    @abstractmethod
    def decode(self, ids: Iterable[int]) -> str:
        """Text of the pieces; the inverse of `encode` for chars and bpe, with single spaces for
        words, where their script writes them."""

    @abstractmethod
    def ids(self, lines: Iterable[str]) -> list[np.ndarray]:
        """Per line its ids, without the boundary: the fast path for training, no spans."""

    @abstractmethod
    def state(self) -> bytes:
        """All that was learned, as UTF-8 JSON."""

    @classmethod
    @abstractmethod
    def from_state(cls, state: bytes) -> Self: ...

    @staticmethod
    def smaller(about: Any, size: int) -> Any:
        """What `state` has, read from its JSON, for at most `size` pieces, without training again;
        but never fewer than those that every text needs: letters and marks."""
        return about

    @classmethod
    def shrunk(cls, state: bytes, size: int) -> Self:
        """The tokenizer of a `state`, with at most `size` pieces where its kind can have fewer."""
        return cls.from_state(json.dumps(cls.smaller(json.loads(state), size)).encode())

    @classmethod
    def shrinks(cls) -> bool:
        """Whether the vocabulary of this kind can be made smaller."""
        return cls.smaller is not Tokenizer.smaller

    def stream(self, lines: Iterable[str]) -> np.ndarray:
        """All lines in one row of ids, int64, a boundary before each line and one at the end."""
        mark = np.array([self.boundary], np.int64)
        parts = [part for ids in self.ids(lines) for part in (mark, ids)]
        return np.concatenate([*parts, mark]) if parts else mark


def cut(tokenizer: Tokenizer, text: str, encode: Callable[[str], Any]) -> Tokens:
    """A text line by line, a boundary at each line end.  `encode` gives a line's `ids` and
    `offsets`, as the library does."""
    ids: list[int] = []
    spans: list[tuple[int, int]] = []
    at = 0
    for n, line in enumerate(text.split("\n")):
        if n:
            ids.append(tokenizer.boundary)
            spans.append((at, at + 1))
            at += 1
        found = encode(line)
        ids += found.ids
        spans += [(at + a, at + b) for a, b in found.offsets]
        at += len(line)
    labels = (
        text[a:b] if id == tokenizer.unknown else tokenizer.vocab[id]
        for id, (a, b) in zip(ids, spans, strict=True)
    )
    unknown = tuple(i for i, id in enumerate(ids) if id == tokenizer.unknown)
    return Tokens(np.array(ids, np.int64), tuple(labels), tuple(spans), unknown)
