"""Unigram: every piece has a probability, and of all ways to cut a word the likeliest is taken.

What      argmax over the cuts of a word of the product p(piece 1) p(piece 2) ..., found by Viterbi;
          the pieces and their probabilities are learned by the `tokenizers` library: many
          substrings at first, then EM, and the least useful go
Source    Kudo, Subword Regularization, 2018, sec. 3.2; spaces as ▁: Kudo & Richardson,
          SentencePiece, 2018, sec. 3.2
Shapes    V = vocabulary: the line end (0), <unk> (1), then pieces, likeliest first
Differs   No mark before the first word of a line.  Characters that are not known are read as one
          <unk> together, a typed ▁ as a space.  The library goes through the words in another order
          each time: of pieces that are equally useful, another may be left after each training.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Self, final

from engine.text.tokenizers.bpe import LINE_END, mend
from engine.text.tokenizers.pieces import UNKNOWN, Pieces

if TYPE_CHECKING:
    from tokenizers.models import Model as Algorithm

SPACE = "\N{LOWER ONE EIGHTH BLOCK}"


@final
class Unigram(Pieces):
    id = "unigram"
    title, short, rank = "Unigram", "Unigram", 80
    says = (
        "every piece has a probability; the likeliest cut wins; characters beyond the 200 commonest"
        " are unknown"
    )

    def __init__(self, pieces: Iterable[tuple[str, float]]) -> None:
        """Pieces with the logarithms of their probabilities."""
        from tokenizers import models

        self.scores = [
            (LINE_END, 0.0),
            (UNKNOWN, 0.0),
            *((piece, score) for piece, score in pieces),
        ]
        self.vocab = tuple(piece.replace(SPACE, " ") for piece, _ in self.scores)
        self._library = _library(models.Unigram(self.scores, 1))

    @classmethod
    def fit(cls, lines: Iterable[str], size: int) -> Self:
        from tokenizers import models, trainers

        lines = [mend(line).replace(LINE_END, " ") for line in lines]
        counts = Counter("".join(lines).replace(" ", SPACE))
        kept = sorted(counts, key=lambda c: (-counts[c], c))[: max(1, (size - 2) // 2)]
        apart = str.maketrans(dict.fromkeys(set(counts) - set(kept) - {SPACE}, LINE_END))
        library = _library(models.Unigram())
        trainer = trainers.UnigramTrainer(  # type: ignore[call-arg]
            vocab_size=max(size - 1, 2),
            unk_token=UNKNOWN,
            special_tokens=[UNKNOWN],
            show_progress=False,
        )
        parts = [part for line in lines for part in line.translate(apart).split(LINE_END) if part]
        if not parts:
            return cls([])
        library.train_from_iterator(parts, trainer)
        learned = (
            (piece, score)
            for piece, score in json.loads(library.to_str())["model"]["vocab"]
            if piece != UNKNOWN
        )
        return cls(sorted(learned, key=lambda item: (-item[1], item[0])))

    @staticmethod
    def smaller(about: list[list[Any]], size: int) -> list[list[Any]]:
        """The likeliest pieces and every single character, with the probabilities that they had;
        training would estimate them again."""
        room = size - 2 - sum(len(piece) == 1 for piece, _ in about)
        kept = []
        for piece, score in about:  # likeliest first
            if len(piece) > 1:
                room -= 1
            if len(piece) == 1 or room >= 0:
                kept.append([piece, score])
        return kept

    def state(self) -> bytes:
        return json.dumps(self.scores[2:]).encode()

    @classmethod
    def from_state(cls, state: bytes) -> Self:
        return cls((piece, score) for piece, score in json.loads(state))


def _library(model: Algorithm) -> Any:
    """Words with the space before them, which is written as a character that can be seen."""
    from tokenizers import Tokenizer as Library
    from tokenizers import pre_tokenizers

    made: Any = Library(model)
    made.pre_tokenizer = pre_tokenizers.Metaspace(SPACE, prepend_scheme="never")
    return made


TOKENIZER = Unigram
