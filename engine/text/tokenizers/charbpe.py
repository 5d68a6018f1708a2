"""BPE over characters: frequent pairs of characters become one token, again and again; white space
begins a token.

What      merges learned by the `tokenizers` library; no merge where the second token begins with
          white space
Source    Sennrich, Haddow & Birch, Neural Machine Translation of Rare Words with Subword Units,
          2016, sec. 3.2
Shapes    V = vocabulary: the line end (0), the unknown character (1), characters, then merges in
          the order learned
Differs   Without the mark </w> at the ends of words: a space belongs to the word after it.  Of two
          pairs that are equally frequent, the one with the smaller ids goes first.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Self, final

from engine.text.tokenizers.bpe import LINE_END, first_merges, mend
from engine.text.tokenizers.pieces import UNKNOWN, Pieces

if TYPE_CHECKING:
    from tokenizers.models import Model as Algorithm

WORDS = r"\s?[^\s]+|\s"  # what can become one token


@final
class CharBpe(Pieces):
    id = "charbpe"
    title, short, rank = "BPE over characters", "BPE, chars", 50
    says = "the commonest pairs are merged; characters beyond the 200 commonest are unknown"

    def __init__(self, pieces: Iterable[str], merges: Iterable[tuple[str, str]]) -> None:
        from tokenizers import models

        self.vocab, self.merges = tuple(pieces), [(a, b) for a, b in merges]
        numbers = {piece: i for i, piece in enumerate(self.vocab)}
        self._library = _library(models.BPE(numbers, self.merges, unk_token=UNKNOWN))

    @classmethod
    def fit(cls, lines: Iterable[str], size: int) -> Self:
        from tokenizers import models, trainers

        lines = [mend(line) for line in lines]
        counts: Counter[str] = Counter()
        for line in lines:
            counts.update(line)
        counts.pop(LINE_END, None)
        common = sorted(counts, key=lambda c: (-counts[c], c))
        letters, rare = common[: max(1, size - 2)], common[max(1, size - 2) :]
        # no merge goes over a character that is not known
        apart = str.maketrans(dict.fromkeys(rare, LINE_END))
        library = _library(models.BPE())
        trainer = trainers.BpeTrainer(  # type: ignore[call-arg]
            vocab_size=max(size, 3),
            special_tokens=[LINE_END, UNKNOWN],
            initial_alphabet=letters,
            show_progress=False,
        )
        library.train_from_iterator(
            (part for line in lines for part in line.translate(apart).split(LINE_END)), trainer
        )
        model = json.loads(library.to_str())["model"]
        return cls(sorted(model["vocab"], key=model["vocab"].get), model["merges"])

    @staticmethod
    def smaller(about: dict[str, Any], size: int) -> dict[str, Any]:
        """The first merges only, as in bpe.py."""
        merges: list[tuple[str, ...]] = [(a, b) for a, b in about["merges"]]
        kept = first_merges(merges, {piece: i for i, piece in enumerate(about["pieces"])}, size)
        made = {a + b for a, b in merges} - {a + b for a, b in kept}
        return {"pieces": [p for p in about["pieces"] if p not in made], "merges": kept}

    def state(self) -> bytes:
        return json.dumps({"pieces": self.vocab, "merges": self.merges}).encode()

    @classmethod
    def from_state(cls, state: bytes) -> Self:
        return cls(**json.loads(state))


def _library(model: Algorithm) -> Any:
    from tokenizers import Regex, pre_tokenizers
    from tokenizers import Tokenizer as Library

    made: Any = Library(model)
    made.pre_tokenizer = pre_tokenizers.Split(Regex(WORDS), "isolated")
    return made


TOKENIZER = CharBpe
