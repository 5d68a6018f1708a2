"""WordPiece: common words whole, rare ones from pieces; a piece that goes on with a word begins
with ##.

What      pieces learned by the `tokenizers` library; a word is cut into the longest pieces that
          fit, from left to right
Source    Schuster & Nakajima, Japanese and Korean Voice Search, 2012; Wu et al., 2016; as in Devlin
          et al., BERT, 2019, sec. 3
Shapes    V = vocabulary: five marks, the letters at the start of a word and inside one, then pieces
          in the order learned
Differs   Everything is read in lower case, but accents stay.  The line end is read as [SEP].  A
          word with a letter that is not among those learned, or of more than 100 letters, is
          unknown as a whole, as in BERT.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Self, final

from engine.text.tokenizers.bpe import LINE_END, mend
from engine.text.tokenizers.pieces import Pieces

if TYPE_CHECKING:
    from tokenizers.models import Model as Algorithm

PAD, UNKNOWN, START, END, MASK = MARKS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
INSIDE = "##"


@final
class WordPiece(Pieces):
    id = "wordpiece"
    title, short, rank = "WordPiece", "WordPiece", 70
    says = "lower case; the longest piece that fits, from the left; ## goes on with a word"
    unknown, start, end, mask = 1, 2, 3, 4
    boundary = end
    lowercase = True
    between = (end,)

    def __init__(self, pieces: Iterable[str]) -> None:
        from tokenizers import models

        self.vocab = tuple(pieces)
        numbers = {piece: i for i, piece in enumerate(self.vocab)}
        self._library = _library(
            models.WordPiece(numbers, unk_token=UNKNOWN, max_input_chars_per_word=100)
        )

    @classmethod
    def fit(cls, lines: Iterable[str], size: int) -> Self:
        from tokenizers import models, trainers

        lines = [mend(line) for line in lines]
        counts = Counter("".join(lines).lower())
        letters = sorted((c for c in counts if not c.isspace()), key=lambda c: (-counts[c], c))
        letters = letters[: max(0, min((size - len(MARKS)) // 2, 60 + size // 50))]
        # given as marks, letters get their numbers in this order, whatever order the library counts
        # words in
        fixed = [*MARKS, *letters, *(INSIDE + c for c in letters)]
        library = _library(models.WordPiece(unk_token=UNKNOWN))
        trainer = trainers.WordPieceTrainer(  # type: ignore[call-arg]
            vocab_size=size,
            special_tokens=fixed,
            initial_alphabet=letters,
            limit_alphabet=len(letters),
            continuing_subword_prefix=INSIDE,
            show_progress=False,
        )
        library.train_from_iterator(lines, trainer)
        found = library.get_vocab()
        return cls(sorted(found, key=lambda piece: found[piece]))

    def decode(self, ids: Iterable[int]) -> str:
        words = "".join(LINE_END if i == self.end else f" {self.vocab[i]}" for i in ids)
        return words.replace(f" {INSIDE}", "").replace(f"{LINE_END} ", LINE_END).removeprefix(" ")

    @staticmethod
    def smaller(about: list[str], size: int) -> list[str]:
        """The pieces learned first."""
        needed = next(
            (i for i, p in enumerate(about) if i > 4 and len(p.removeprefix(INSIDE)) > 1),
            len(about),
        )
        return about[: max(size, needed)]

    def state(self) -> bytes:
        return json.dumps(self.vocab).encode()

    @classmethod
    def from_state(cls, state: bytes) -> Self:
        return cls(json.loads(state))


def _library(model: Algorithm) -> Any:
    """Words in lower case, cut at blanks and signs, then into pieces."""
    from tokenizers import Tokenizer as Library
    from tokenizers import normalizers, pre_tokenizers

    made: Any = Library(model)
    made.normalizer, made.pre_tokenizer = normalizers.Lowercase(), pre_tokenizers.BertPreTokenizer()
    return made


TOKENIZER = WordPiece
