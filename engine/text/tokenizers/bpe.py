"""Byte-level BPE: frequent pairs of bytes become one token, again and again; nothing is ever
unknown.

What      merges learned by the `tokenizers` library; a space belongs to the word after it.  `ids`
          remembers the words it has cut, which is several times as fast, and gives the ids of the
          library
Source    Sennrich, Haddow & Birch, Neural Machine Translation of Rare Words with Subword Units,
          2016, sec. 3.2;
          bytes as the alphabet: Radford et al., Language Models are Unsupervised Multitask
          Learners, 2019, sec. 2.2
Shapes    V = vocabulary: the line end (0), 256 bytes, then merges in the order learned
Differs   The line end is a mark of its own and never part of a merge.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property
from typing import Any, Self, final

import numpy as np

from engine.language.message import _
from engine.text.subword.cache import Cache
from engine.text.subword.words import BYTE, LETTER, cutter, readable
from engine.text.tokenizers.base import Tokenizer, Tokens, cut

LINE_END = "\n"


_HALF = re.compile("[\ud800-\udfff]")


def mend(line: str) -> str:
    """Halves of a character that some input methods send alone have no bytes: each is read as the
    replacement sign."""
    return _HALF.sub("\N{REPLACEMENT CHARACTER}", line)


def first_merges(
    merges: list[tuple[str, ...]], numbers: dict[str, int], size: int
) -> list[tuple[str, ...]]:
    """The merges up to the first one whose piece has no room.  Two merges may make the same piece:
    it counts once."""
    stop = next((i for i, (a, b) in enumerate(merges) if numbers[a + b] >= size), len(merges))
    return merges[:stop]


@final
class Bpe(Tokenizer):
    id = "bpe"
    title, short, rank = "BPE over bytes", "BPE, bytes", 60
    says = "the commonest pairs of bytes are merged; nothing is unknown"
    boundary = 0

    def __init__(self, library: Any) -> None:
        self._library = library
        pieces = {i: piece for piece, i in library.get_vocab().items()}
        self._pieces = [pieces[i] for i in range(len(pieces))]
        self._signs: dict[str, bool] = {}

    @cached_property
    def vocab(self) -> tuple[str, ...]:  # type: ignore[override]
        return tuple(self._readable(i) for i in range(len(self._pieces)))

    def raw(self, id: int) -> bytes:
        return b"\n" if id == 0 else bytes(BYTE[c] for c in self._pieces[id])

    def _readable(self, id: int) -> str:
        return LINE_END if id == 0 else readable(self._pieces[id])

    @classmethod
    def fit(cls, lines: Iterable[str], size: int) -> Self:
        from tokenizers import Tokenizer as Library
        from tokenizers import decoders, models, pre_tokenizers, trainers

        library = Library(models.BPE())
        library.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)  # type: ignore[assignment]
        library.decoder = decoders.ByteLevel()  # type: ignore[assignment]
        trainer = trainers.BpeTrainer(  # type: ignore[call-arg]
            vocab_size=max(size, 257),
            special_tokens=[LINE_END],
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        )
        library.train_from_iterator((mend(line) for line in lines), trainer)
        return cls(library)

    def encode(self, text: str) -> Tokens:
        return cut(self, text, lambda line: self._library.encode(mend(line)))

    def decode(self, ids: Iterable[int]) -> str:
        return b"".join(self.raw(i) for i in ids).decode(errors="replace")

    def ids(self, lines: Iterable[str]) -> list[np.ndarray]:
        return [np.array(self._row(line.replace(LINE_END, " ")), np.int64) for line in lines]

    def _row(self, line: str) -> list[int]:
        if not line.isascii():
            line = mend(line)
            if not self._alike(line):
                found: list[int] = self._library.encode(line).ids
                return found
        return self._words.ids(cutter()(line))

    @cached_property
    def _words(self) -> Cache:
        tokenize, letter = self._library.model.tokenize, LETTER.__getitem__
        return Cache(
            lambda word: [token.id for token in tokenize("".join(map(letter, word.encode())))]
        )

    def _alike(self, line: str) -> bool:
        """Whether the library takes every character of the line for the same kind of sign as we:
        Unicode grows from year to year."""
        for c in set(line) - self._signs.keys():
            probe = _("a{c}a1{c}1 {c}. {c}", c=c)
            spans = [span for __, span in self._library.pre_tokenizer.pre_tokenize_str(probe)]
            self._signs[c] = [probe[a:b] for a, b in spans] == cutter()(probe)
        return all(map(self._signs.__getitem__, line))

    @staticmethod
    def smaller(about: dict[str, Any], size: int) -> dict[str, Any]:
        """The first merges only, which is exactly what training would have stopped at (Sennrich,
        Haddow & Birch, sec. 3.2: the number of merges is the only setting of BPE)."""
        model = about["model"]
        merges = [tuple(m.split(" ")) if isinstance(m, str) else tuple(m) for m in model["merges"]]
        numbers: dict[str, int] = model["vocab"]
        kept = first_merges(merges, numbers, size)
        made = {a + b for a, b in merges} - {a + b for a, b in kept}
        vocab = {piece: i for piece, i in numbers.items() if piece not in made}
        return about | {"model": model | {"vocab": vocab, "merges": [list(m) for m in kept]}}

    def state(self) -> bytes:
        state: str = self._library.to_str()
        return state.encode()

    @classmethod
    def from_state(cls, state: bytes) -> Self:
        from tokenizers import Tokenizer as Library

        return cls(Library.from_str(state.decode()))


TOKENIZER = Bpe
