"""Study: a small text counted once, for every smoothing method at a time.  What the lesson pages
work on.

What      the text is cut, split in lines that are counted and lines held out, and counted at orders
          1 to n
Source    engine/ngram/counts.py, engine/ngram/smoothed.py
Shapes    T = tokens, V = token ids, M = orders 0 to n
Differs   The model of a run (engine/models/ngram.py) has one method; here all share the counts.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

import numpy as np

from engine.core.registry import tokenizers
from engine.ngram.counts import Counts, count
from engine.ngram.orders import at_order, up_to
from engine.ngram.smoothed import Smoothed
from engine.ngram.smoothing.base import Smoothing
from engine.ngram.tuning import tuned
from engine.text.tokenizers.base import Tokenizer, Tokens, passages, split
from engine.text.tokenizers.words import Words, never_of, start_of

MOST = 40  # models of one text that are kept: a slider that is dragged asks for many


@dataclass(frozen=True)
class Study:
    """A text counted.  `lines` were counted, `held_out` were not (both without line ends); `stream`
    is what was counted, as ids."""

    tokenizer: Tokenizer
    lines: tuple[str, ...]
    held_out: tuple[str, ...]
    stream: np.ndarray
    raw: Counts
    _kept: dict[Smoothing, Smoothed] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls,
        text: str,
        order: int,
        tokenizer: str = "words",
        *,
        vocabulary: int = 100_000,
        lowercase: bool = False,
        hold_out: bool = True,
        seed: int = 0,
    ) -> Self:
        """ValueError with a sentence for the reader where there is nothing to count."""
        lines = passages(text)
        if not lines:
            raise ValueError("there is nothing to count: the text has no line that is not blank")
        held: list[str] = []
        if hold_out:
            lines, held = split(lines, seed)
        kind: Any = tokenizers.get(tokenizer)
        cut: Tokenizer = kind.fit(
            lines,
            vocabulary,
            **({"lowercase": True} if lowercase and issubclass(kind, Words) else {}),
        )
        stream_N = cut.stream(lines)
        raw = Counts(list(count(stream_N, len(cut.vocab), order, cut.boundary)), cut.boundary)
        return cls(cut, tuple(lines), tuple(held), stream_N, raw)

    @property
    def order(self) -> int:
        return len(self.raw.orders)

    @property
    def vocab(self) -> tuple[str, ...]:
        return self.tokenizer.vocab

    @cached_property
    def held_stream(self) -> np.ndarray | None:
        return self.tokenizer.stream(self.held_out) if self.held_out else None

    def smoothed(self, method: Smoothing) -> Smoothed:
        """The model by this method; made once.  Methods with the same settings are the same."""
        if method not in self._kept:
            if len(self._kept) >= MOST:
                self._kept.pop(next(iter(self._kept)), None)
            self._kept[method] = Smoothed.estimate(
                self.tuned(method), self.raw, never_of(self.tokenizer)
            )
        return self._kept[method]

    def tuned(self, method: Smoothing, order: int = 0) -> Smoothing:
        """The method with its weights, where it has some to fit: on counted lines, never on those
        held out.  `order` 0 is that of the study."""
        return tuned(method, self.lines, self.tokenizer, order or self.order)

    def at_order(self, method: Smoothing, order: int) -> Smoothed:
        """The model of one order, 1 to that of the study."""
        if not method.tunes:
            return at_order(method, self.raw, order, never_of(self.tokenizer))
        counts = up_to(self.raw, order)
        return Smoothed.estimate(self.tuned(method, order), counts, never_of(self.tokenizer))

    def tokens(self, text: str) -> Tokens:
        """A text behind its start mark, as `Ngram.tokens` cuts it."""
        return self.tokenizer.encode(text).after(*start_of(self.tokenizer))

    def places(self, model: Smoothed, tokens: Tokens) -> np.ndarray:
        """(T, M) places of the contexts that end in each token; row t is what `distributions` wants
        for the token after it."""
        start, _ = start_of(self.tokenizer)
        return model.counts.places(
            np.where(tokens.ids == start, self.tokenizer.boundary, tokens.ids)
        )
