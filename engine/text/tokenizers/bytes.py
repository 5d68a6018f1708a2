"""Bytes: the text's UTF-8 bytes, one token each; 256 of them write any text, and nothing is ever
unknown.

What      id = value of the byte; a letter of English is one byte, é two, 中 three, an emoji four and
          more
Source    Xue et al., ByT5: Towards a Token-Free Future with Pre-trained Byte-to-Byte Models, 2022,
          sec. 3.1
Shapes    V = vocabulary: 256
Differs   No marks besides the bytes: the line end is byte 10, as it stands in the text.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Self, final

import numpy as np

from engine.text.tokenizers.base import Tokenizer, Tokens
from engine.text.tokenizers.bpe import LINE_END, mend


@final
class Bytes(Tokenizer):
    id = "bytes"
    title, short, rank = "Bytes", "bytes", 20
    says = "every byte of UTF-8 is a token; nothing is unknown"
    boundary = 10

    def __init__(self) -> None:
        self.vocab = tuple(chr(b) if 32 <= b < 127 or b == 10 else f"<{b:02X}>" for b in range(256))

    @classmethod
    def fit(cls, lines: Iterable[str], size: int) -> Self:
        """There is nothing to learn: the vocabulary has 256 pieces, whatever the lines and the
        size."""
        return cls()

    def encode(self, text: str) -> Tokens:
        ids: list[int] = []
        spans: list[tuple[int, int]] = []
        for i, character in enumerate(mend(text)):
            written = character.encode()
            ids += written
            spans += [(i, i + 1)] * len(written)
        return Tokens(np.array(ids, np.int64), tuple(self.vocab[b] for b in ids), tuple(spans))

    def decode(self, ids: Iterable[int]) -> str:
        return bytes(map(int, ids)).decode(errors="replace")

    def raw(self, id: int) -> bytes:
        return bytes([id])

    def ids(self, lines: Iterable[str]) -> list[np.ndarray]:
        return [
            np.frombuffer(mend(line.replace(LINE_END, " ")).encode(), np.uint8).astype(np.int64)
            for line in lines
        ]

    def state(self) -> bytes:
        return json.dumps({}).encode()

    @classmethod
    def from_state(cls, state: bytes) -> Self:
        return cls()


TOKENIZER = Bytes
