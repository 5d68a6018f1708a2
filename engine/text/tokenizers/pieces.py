"""Pieces: what the tokenizers share that cut into pieces of text with a model of the `tokenizers`
library."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from engine.text.tokenizers.base import Tokenizer, Tokens, cut
from engine.text.tokenizers.bpe import LINE_END, mend

UNKNOWN = "<unk>"


class Pieces(Tokenizer):
    """A subclass sets `vocab` and the library's tokenizer.  The line end is 0, what is not known 1,
    unless it says otherwise."""

    unknown = 1
    boundary = 0
    _library: Any

    def encode(self, text: str) -> Tokens:
        return cut(self, text, lambda line: self._library.encode(mend(line)))

    def decode(self, ids: Iterable[int]) -> str:
        return "".join(
            "\N{REPLACEMENT CHARACTER}" if i == self.unknown else self.vocab[i] for i in ids
        )

    def ids(self, lines: Iterable[str]) -> list[np.ndarray]:
        found = self._library.encode_batch_fast(
            [mend(line.replace(LINE_END, " ")) for line in lines]
        )
        return [np.array(e.ids, np.int64) for e in found]
