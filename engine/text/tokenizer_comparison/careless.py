"""Careless: what a BPE learns when two lines are forgotten: no white-space rule, and no unknown
token.

What      careless: merges go across blanks and line ends, and a character that was never seen is
          left out without a word;
          careful: words are cut at blanks first, and a character that was never seen becomes [UNK]
Source    the `tokenizers` library, models.BPE and trainers.BpeTrainer
Shapes    V = vocabulary
Differs   -
"""

from __future__ import annotations

from typing import Any

MARKS = ["[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"]
TEXT = (
    "low low low low low\nlower lower\nnewest newest newest newest newest newest\nwidest widest"
    " widest"
)


def train(text: str, size: int, careful: bool) -> Any:
    """A tokenizer of the library, trained on this text."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    made: Any = Tokenizer(models.BPE(unk_token="[UNK]") if careful else models.BPE())
    if careful:
        made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.train_from_iterator(
        [text], trainers.BpeTrainer(vocab_size=size, special_tokens=MARKS, show_progress=False)
    )  # type: ignore[call-arg]
    return made


def learned(tokenizer: Any) -> list[str]:
    """The pieces longer than one character, in the order learned."""
    numbers = tokenizer.get_vocab()
    return [
        piece for piece in sorted(numbers, key=numbers.get) if len(piece) > 1 and piece not in MARKS
    ]


def cut(tokenizer: Any, text: str) -> tuple[list[str], str]:
    """(pieces, the characters left out without a word): an [UNK] in their place would say that
    something stood there."""
    numbers, unknown = tokenizer.get_vocab(), tokenizer.model.unk_token
    return tokenizer.encode(text).tokens, (
        "" if unknown else "".join(c for c in text if c not in numbers)
    )
