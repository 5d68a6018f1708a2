"""Byte-level BPE: frequent pairs of bytes become one token, again and again; nothing is ever unknown.

What      merges learned by the `tokenizers` library; a space belongs to the word after it
Source    Sennrich, Haddow & Birch, Neural Machine Translation of Rare Words with Subword Units, 2016, sec. 3.2;
          bytes as the alphabet: Radford et al., Language Models are Unsupervised Multitask Learners, 2019, sec. 2.2
Shapes    V = vocabulary: the line end (0), 256 bytes, then merges in the order learned
Differs   The line end is a mark of its own and never part of a merge.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property
from typing import Any, Self, final

import numpy as np

from engine.text.base import Tokenizer, Tokens

LINE_END = "\n"


def _byte_of_letter() -> dict[str, int]:
    """The printable stand-in that byte-level vocabularies use for each byte, reversed."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    rest = [b for b in range(256) if b not in plain]
    return {chr(b): b for b in plain} | {chr(256 + i): b for i, b in enumerate(rest)}


BYTE = _byte_of_letter()
_HALF = re.compile("[\ud800-\udfff]")


def sound(line: str) -> str:
    """Halves of a character that some input methods send alone have no bytes: each is read as the replacement sign."""
    return _HALF.sub("\N{REPLACEMENT CHARACTER}", line)


@final
class Bpe(Tokenizer):
    id = "bpe"
    boundary = 0

    def __init__(self, library: Any) -> None:
        self._library = library
        pieces = {i: piece for piece, i in library.get_vocab().items()}
        self._pieces = [pieces[i] for i in range(len(pieces))]

    @cached_property
    def vocab(self) -> tuple[str, ...]:  # type: ignore[override]
        return tuple(self._readable(i) for i in range(len(self._pieces)))

    def _bytes(self, id: int) -> bytes:
        return b"\n" if id == 0 else bytes(BYTE[c] for c in self._pieces[id])

    def _readable(self, id: int) -> str:
        raw = self._bytes(id)
        try:
            return raw.decode()
        except UnicodeDecodeError:
            return "".join(f"<{b:02X}>" for b in raw)

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
        library.train_from_iterator((sound(line) for line in lines), trainer)
        return cls(library)

    def encode(self, text: str) -> Tokens:
        ids: list[int] = []
        spans: list[tuple[int, int]] = []
        labels: list[str] = []
        at = 0
        for n, line in enumerate(text.split(LINE_END)):
            if n:
                ids.append(0)
                spans.append((at, at + 1))
                labels.append(LINE_END)
                at += 1
            found = self._library.encode(sound(line))
            for id, (a, b) in zip(found.ids, found.offsets, strict=True):
                ids.append(id)
                spans.append((at + a, at + b))
                labels.append(self.vocab[id])
            at += len(line)
        return Tokens(np.array(ids, np.int64), tuple(labels), tuple(spans))

    def decode(self, ids: Iterable[int]) -> str:
        return b"".join(self._bytes(i) for i in ids).decode(errors="replace")

    def ids(self, lines: Iterable[str]) -> list[np.ndarray]:
        encodings = self._library.encode_batch_fast([sound(line.replace(LINE_END, " ")) for line in lines])
        return [np.array(e.ids, np.int64) for e in encodings]

    def state(self) -> bytes:
        state: str = self._library.to_str()
        return state.encode()

    @classmethod
    def from_state(cls, state: bytes) -> Self:
        from tokenizers import Tokenizer as Library

        return cls(Library.from_str(state.decode()))


TOKENIZER = Bpe
