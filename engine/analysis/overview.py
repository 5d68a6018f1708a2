"""Overview: how surprising every token of a long text is to a model, read a block at a time and
drawn in a few columns.

What      bits_t = -log2 P(token t | tokens before it).  Three ways to read on, all in bounded
          memory:
          a model that carries a state (recurrent) goes on from what the block before it left;
          a model that sees C tokens at most reads windows of C in steps of C / 2, as
          `measure.surprisals` does;
          a model that forgets (n-grams) begins shortly before the block
Shapes    T = tokens, V = vocabulary, C = characters, N = columns
Differs   A token's bits are shared out over its characters and the blanks before it, so that
          columns of any width add up.
          Unknown words are left out: <unk> is cheap, the word itself is not.  Blocks are kept under
          what they were read from, so a text that is changed at its end is not read again, and a
          run can begin at any block that was read before (`state`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from threading import Lock
from typing import Any, Protocol

import numpy as np

from engine.core.trace import Field, FieldSpec, Trace
from engine.language.message import _, refusal
from engine.models.base import Model
from engine.text.tokenizers.base import Tokens

BLOCK = 256  # tokens
INFINITE = 1e9  # bits of what is impossible, where only finite numbers can be written
State = Mapping[str, np.ndarray]


@dataclass(frozen=True, slots=True)
class Block:
    """Bits of some tokens, and of a recurrent model what it carries, of one token (a state: layer, 1,
    unit), before the last of them is read."""

    bits: np.ndarray
    state: State

    @property
    def size_bytes(self) -> int:
        return self.bits.nbytes + sum(part.nbytes for part in self.state.values())


def _last(field: Field) -> np.ndarray:
    """What a field holds at its last token, with that axis kept."""
    return np.take(field.values, [-1], axis=field.spec.axes.index("token"))


class Kept(Protocol):
    def get(self, key: Any) -> Any: ...
    def put(self, key: Any, block: Any) -> None: ...


def carries_on(model: Model[Any]) -> bool:
    """Whether a model needs everything before a token, and can go on from the state that this
    left."""
    return bool(model.carries) and model.context is None and not model.forgets


def readable(model: Model[Any]) -> bool:
    """Whether a long text can be read in blocks: the model predicts from the left, and needs no
    more than blocks can give."""
    predicts = any(
        isinstance(spec, FieldSpec) and spec.name == "probability" and spec.causal
        for spec in model.spec()
    )
    return predicts and (model.context is not None or model.forgets or carries_on(model))


class Overview:
    """One model's reading of one text, as far as it has come.

    kept  where blocks are kept between readings; `of` tells the models apart in it
    """

    def __init__(self, model: Model[Any], text: str, tokens: Tokens, kept: Kept, of: Any) -> None:
        if not readable(model):
            raise refusal(
                "{title} can't be read in blocks: it needs the whole text for every token",
                title=_(model.card.title),
            )
        self.model, self.text, self.tokens = model, text, tokens
        self._kept, self._of, self._lock = kept, of, Lock()
        self._blocks: list[Block] = []
        self._digest = b""
        # the same numbers without a row of the vocabulary
        self._shared = any(spec.name == "part" for spec in model.spec())
        while not self.done:
            key, digest = self._key()
            if (block := kept.get(key)) is None:
                break
            self._take(block, digest)

    @property
    def read(self) -> int:
        """Tokens that have been read, the first one included, which nothing predicts."""
        return min(self._bounds(len(self._blocks))[0], len(self.tokens))

    @property
    def done(self) -> bool:
        return self.read >= len(self.tokens)

    @property
    def says(self) -> str:
        """What the reader of the numbers has to know besides."""
        context = self.model.context
        return (
            ""
            if context is None
            else (
                _(
                    "This model looks back over {context} tokens at most; here every token has at"
                    " least {context_2} before it.",
                    context=context,
                    context_2=context // 2,
                )
            )
        )

    def step(self) -> np.ndarray:
        """Read one more block: the bits of its tokens; none where everything has been read."""
        with self._lock:
            if self.done:
                return np.zeros(0, np.float32)
            key, digest = self._key()
            block = self._kept.get(key) or self._block()
            self._kept.put(key, block)
            self._take(block, digest)
            return block.bits

    def reaches(self, token: int) -> bool:
        """Whether a run for the numbers from `token` on can begin without reading all tokens before
        it."""
        return not carries_on(self.model) or token // BLOCK <= len(self._blocks)

    def state(self, token: int) -> tuple[int, State] | None:
        """(first, what the tokens before it left): where a run for the numbers from `token` on
        begins; None: at the start."""
        k = min(token // BLOCK, len(self._blocks))
        return (k * BLOCK, self._blocks[k - 1].state) if k and carries_on(self.model) else None

    def _bounds(self, k: int) -> tuple[int, int]:
        """(first, stop) tokens whose bits block k holds."""
        size, total = BLOCK, len(self.tokens)
        if self.model.context is None:
            return 1 + k * size, min(total, 1 + (k + 1) * size)
        size = max(1, self.model.context // 2)
        return (self.model.context + (k - 1) * size if k else 1), min(
            total, self.model.context + k * size
        )

    def _begin(self, k: int) -> int:
        """The first token that has to be read for block k."""
        first, stop = self._bounds(k)
        if carries_on(self.model):
            return first - 1
        return (
            self.model.lead(first - 1)
            if self.model.context is None
            else max(0, stop - self.model.context)
        )

    def _key(self) -> tuple[Any, bytes]:
        """Name of the next block: all that its numbers depend on.  With it the digest of the text
        so far, or of the part read."""
        k = len(self._blocks)
        (first, stop), begin = self._bounds(k), self._begin(k)
        found = hashlib.blake2b(self._digest if carries_on(self.model) else b"", digest_size=16)
        found.update(self.tokens.ids[begin:stop].tobytes())
        return (self._of, first - begin, stop - first, found.digest()), found.digest()

    def _take(self, block: Block, digest: bytes) -> None:
        self._digest = digest
        self._blocks.append(block)

    def _block(self) -> Block:
        k = len(self._blocks)
        (first, stop), begin = self._bounds(k), self._begin(k)
        if not carries_on(self.model):
            start = begin if self.model.context else first - 1
            trace = self._trace(("part" if self._shared else "probability",), (start, stop))
            return Block(self._bits(trace, first, stop), {})
        carried = (begin, self._blocks[-1].state) if k else None
        trace = self._trace(("probability", *self.model.carries), (begin, stop - 1), carried)
        state = {name: _last(trace.field(name)) for name in self.model.carries}
        return Block(self._bits(trace, first, stop), state)

    def _trace(
        self,
        fields: tuple[str, ...],
        window: tuple[int, int],
        carried: tuple[int, State] | None = None,
    ) -> Trace:
        return self.model.trace(
            self.text, fields=fields, window=window, tokens=self.tokens, carried=carried
        )

    def _bits(self, trace: Trace, first: int, stop: int) -> np.ndarray:
        at_T = np.arange(first, stop) - trace.offset
        with np.errstate(divide="ignore"):
            if self._shared:  # what each order adds to the probability of a token
                p_T = trace.field("part").values[at_T].sum(-1, dtype=np.float64)
            else:
                p_T = trace.field("probability").values[at_T - 1, self.tokens.ids[first:stop]]
            bits_T: np.ndarray = -np.log2(p_T, dtype=np.float64)
        return bits_T.astype(np.float32)

    def bits(self) -> np.ndarray:
        """(T,) float32; nan for the first token and for those that have not been read yet."""
        bits_T = np.full(len(self.tokens), np.nan, np.float32)
        blocks = self._blocks[:]
        if blocks:
            known_T = np.concatenate([block.bits for block in blocks])
            bits_T[1 : 1 + len(known_T)] = known_T
        return bits_T

    @cached_property
    def _spans(self) -> tuple[np.ndarray, np.ndarray]:
        start_T, stop_T = (
            np.fromiter(chain.from_iterable(self.tokens.spans), np.int64).reshape(-1, 2).T
        )
        return start_T, stop_T

    @cached_property
    def _places(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Per token the characters (from, to) that its bits are shared out over, and whether it is
        in the vocabulary."""
        a_T, b_T = self._spans
        before_T = np.concatenate([[0], b_T[:-1]])
        from_T = np.minimum(a_T, before_T)
        known_T = np.ones(len(a_T), bool)
        known_T[list(self.tokens.unknown)] = False
        return from_T, np.maximum(b_T, from_T + 1), known_T & (b_T > 0)

    def columns(self, begin: int, end: int, most: int) -> tuple[np.ndarray, np.ndarray]:
        """Mean and highest bits per character (N,) in N <= `most` equal parts of the characters
        begin to end; nan: none known."""
        from_T, to_T, known_T = self._places
        bits_T, total = self.bits(), len(self.text)
        known_T = known_T & ~np.isnan(bits_T)
        width_K, bits_K = (to_T - from_T)[known_T], bits_T[known_T]
        ends_K = np.cumsum(width_K)
        place_P = np.repeat(from_T[known_T] - (ends_K - width_K), width_K) + np.arange(
            ends_K[-1] if len(ends_K) else 0
        )
        bits_C = np.bincount(place_P, np.repeat(bits_K / width_K, width_K), total)[begin:end]
        has_C = (np.bincount(place_P, minlength=total) > 0)[begin:end]
        if not len(bits_C):
            return np.zeros(0), np.zeros(0)
        edges = np.linspace(0, len(bits_C), min(most, len(bits_C)) + 1).round().astype(int)[:-1]
        count_N = np.add.reduceat(has_C, edges, dtype=np.int64)
        with np.errstate(invalid="ignore"):
            mean_N = np.add.reduceat(bits_C, edges) / count_N
        return mean_N, np.where(
            count_N > 0, np.maximum.reduceat(np.where(has_C, bits_C, -np.inf), edges), np.nan
        )

    def peaks(self, begin: int, end: int, most: int, apart: int) -> list[int]:
        """The most surprising known tokens that begin in these characters, at least `apart`
        characters from each other, in
        the order of the text."""
        (start_T, __), (__, __, known_T), bits_T = self._spans, self._places, self.bits()
        left_T = np.where(
            known_T & ~np.isnan(bits_T) & (start_T >= begin) & (start_T < end), bits_T, -np.inf
        )
        found: list[int] = []
        while len(found) < most and len(left_T) and left_T[t := int(left_T.argmax())] > -np.inf:
            found.append(t)
            near = slice(*np.searchsorted(start_T, (start_T[t] - apart + 1, start_T[t] + apart)))
            left_T[near] = left_T[t] = -np.inf
        return sorted(found)

    def picture(self, begin: int, end: int, columns: int, peaks: int) -> dict[str, Any]:
        """What the strip shows of the characters begin to end, for JSON: nothing in it grows with
        the text."""
        end = max(0, min(end, len(self.text)))
        begin = max(0, min(begin, end))
        read = self.tokens.spans[self.read - 1][1] if len(self.tokens) else 0
        bits_T, spans, labels = self.bits(), self.tokens.spans, self.tokens.labels
        mean_N, max_N = self.columns(begin, end, columns)
        marked = self.peaks(begin, end, peaks, max(1, (end - begin) // (2 * peaks)))
        return {
            "from": begin,
            "to": end,
            "read": 1.0 if self.done else read / max(1, len(self.text)),
            "done": self.done,
            "mean": [_number(x) for x in mean_N.tolist()],
            "max": [_number(x) for x in max_N.tolist()],
            "peaks": [[*spans[t], labels[t], _number(float(bits_T[t])), t] for t in marked],
        }


def _number(x: float) -> float | None:
    return None if np.isnan(x) else round(x, 3) if np.isfinite(x) else INFINITE
