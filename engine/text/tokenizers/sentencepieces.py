"""SentencePieces: the tokenizer of a published translator as its makers keep it: a model of SentencePiece cuts
a text, and a list numbers the pieces.

What      ids exactly as the makers have them: a piece is looked up by its spelling, one without a number is
          unknown and keeps its own.  Where another model cuts what is written, `target` is that tokenizer
Source    Kudo & Richardson, SentencePiece, 2018; Junczys-Dowmunt et al., Marian: Fast Neural Machine
          Translation in C++, 2018
Shapes    V = vocabulary, filled up to the rows of the checkpoint's embedding
Differs   It is never trained here.  Marks at the ends of a text are put there by the model.  The library's own
          reading of these files in Rust reads some texts in another way, such as Korean and Vietnamese in
          letters and accents apart, so SentencePiece itself cuts here.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NoReturn, Self, final

import numpy as np

from engine.text.tokenizers.base import Tokenizer, Tokens
from engine.text.tokenizers.bpe import mend
from engine.text.tokenizers.library import MARKS, NOT_TRAINED, filled

# the language that is to be written, before a source; whatever stands there, Marian reads it as one piece
CODE = re.compile(">>.*?<<", re.DOTALL)


@final
class SentencePieces(Tokenizer):
    """start, end, mask, pad: as in Library."""

    id = "sentencepieces"

    def __init__(
        self,
        cutters: Sequence[bytes],
        numbers: Mapping[str, int],
        rows: int,
        marks: Mapping[str, int],
        typed: Iterable[str] = (),
        leads: Iterable[int] = (),
        coded: bool = False,
    ) -> None:
        """
        cutters  models of SentencePiece: for what is read, and for what is written where that is another
        numbers  of pieces and marks
        rows     how many ids the model has
        marks    by their names in MARKS
        typed    marks that are read as such where they are typed
        coded    whether a text may begin with a CODE

        RuntimeError where a cutter is damaged.
        """
        from sentencepiece import SentencePieceProcessor

        self._cutter: Any = SentencePieceProcessor(model_proto=cutters[0])
        self._cutters, self._numbers, self._rows, self._marks = (*cutters,), numbers, rows, marks
        self._typed, self.leads, self._coded = (*typed,), tuple(leads), coded
        self.barred = marks.get("barred", -1)
        self.start, self.end, self.mask, self.pad, self.forced = (
            marks.get(name, -1) for name in MARKS[:5]
        )
        self.unknown, self.boundary = marks["unknown"], marks["boundary"]
        longest_first = sorted(self._typed, key=len, reverse=True)
        self._mark = re.compile("|".join(map(re.escape, longest_first)) or "(?!)")
        pieces = {i: piece for piece, i in numbers.items()}
        special = {numbers[mark] for mark in self._typed}
        self.vocab = tuple(
            (pieces[i] if i in special else pieces[i].replace("▁", " ")) or "<empty>"
            if i in pieces
            else f"<nothing {i}>"
            for i in range(rows)
        )
        self._special = special
        self._target = (
            SentencePieces(**self._about() | {"cutters": self._cutters[1:]})
            if self._cutters[1:]
            else None
        )

    @property
    def opening(self) -> int:
        return self._marks.get("opening", self.boundary)

    @property
    def target(self) -> Tokenizer:
        return self if self._target is None else self._target

    @classmethod
    def fit(cls, lines: Iterable[str], size: int) -> NoReturn:
        raise ValueError(NOT_TRAINED)

    def encode(self, text: str) -> Tokens:
        ids, lie = self._cut(mend(text))
        spans = filled(lie, len(text))
        unknown = tuple(i for i, id in enumerate(ids) if id == self.unknown)
        labels = [self.vocab[id] for id in ids]
        for i in unknown:
            labels[i] = text[slice(*spans[i])]
        return Tokens(np.array(ids, np.int64), tuple(labels), tuple(spans), unknown)

    def _cut(self, text: str) -> tuple[list[int], list[tuple[int, int]]]:
        """T ids, and where they lie."""
        ids: list[int] = []
        spans: list[tuple[int, int]] = []
        at = 0
        for a, b in [*(mark.span() for mark in self._mark.finditer(text)), (len(text),) * 2]:
            if self._coded and (code := CODE.match(text, at, a)):
                ids.append(self._numbers.get(code[0], self.unknown))
                spans.append(code.span())
                at = code.end()
            found = self._cutter.encode(text[at:a], return_type="offset_mapping")
            ids += (self._numbers.get(piece, self.unknown) for piece in found["pieces"])
            spans += ((at + x, at + y) for x, y in found["offsets"])
            if b > a:
                ids.append(self._numbers[text[a:b]])
                spans.append((a, b))
            at = b
        return ids, spans

    def decode(self, ids: Iterable[int]) -> str:
        return "".join(self.vocab[id] for id in ids).removeprefix(" ")

    def raw(self, id: int) -> bytes:
        return b"" if id in self._special else self.vocab[id].encode()

    def ids(self, lines: Iterable[str]) -> list[np.ndarray]:
        return [np.array(self._cut(mend(line.replace("\n", " ")))[0], np.int64) for line in lines]

    def _about(self) -> dict[str, Any]:
        return {
            "cutters": self._cutters,
            "numbers": self._numbers,
            "rows": self._rows,
            "marks": self._marks,
            "typed": self._typed,
            "leads": self.leads,
            "coded": self._coded,
        }

    def state(self) -> bytes:
        written = [base64.b64encode(cutter).decode() for cutter in self._cutters]
        return json.dumps(self._about() | {"cutters": written}).encode()

    @classmethod
    def from_state(cls, state: bytes) -> Self:
        about = json.loads(state)
        return cls(**about | {"cutters": [base64.b64decode(one) for one in about["cutters"]]})


TOKENIZER = SentencePieces
