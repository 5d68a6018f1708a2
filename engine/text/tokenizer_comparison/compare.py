"""Compare: what one tokenizer makes of one text, in numbers, and what it does not give back.

What      bits per character = sum over tokens of bits(token) / characters, where bits(token) =
          -log2 of its share among all tokens of a counted text: the length of the text in a code
          that knows only how frequent each token is
Source    Shannon, A Mathematical Theory of Communication, 1948, sec. 9; the unit: Al-Rfou et al.,
          2019
Shapes    T = tokens, V = vocabulary
Differs   No context: a language model needs far fewer bits.  A text with unknown pieces has no such
          length, since <unk> does not say which word stood there.  Characters are those that a
          reader sees.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from difflib import SequenceMatcher
from typing import Any

import numpy as np

from engine.text.segmentation import Rule, clusters
from engine.text.tokenizers.base import Tokenizer, Tokens
from engine.text.tokenizers.bpe import mend

PARTS = Rule(  # what is compared: words, signs, single blanks
    r"<unk>|\[UNK\]|\s|\w+|[^\w\s]", r"<unk>|\[UNK\]|\s|\w[\w\u200c\u200d]*|\X"
)


@dataclass(frozen=True, slots=True)
class Measure:
    """`kinds`: different tokens; `bits`: of the whole text, NaN where there is no such number;
    `same`: decoding gives the text back."""

    tokens: int
    kinds: int
    words: int
    characters: int
    bytes: int
    unknown: int
    vocabulary: int
    bits: float
    same: bool

    @property
    def per_word(self) -> float:
        return self.tokens / self.words if self.words else math.nan

    @property
    def characters_per_token(self) -> float:
        return self.characters / self.tokens if self.tokens else math.nan

    @property
    def bytes_per_token(self) -> float:
        return self.bytes / self.tokens if self.tokens else math.nan

    @property
    def bits_per_character(self) -> float:
        return self.bits / self.characters if self.characters else math.nan

    def told(self) -> dict[str, Any]:
        """For JSON: None where there is no number."""
        found = asdict(self) | {
            "per_word": self.per_word,
            "characters_per_token": self.characters_per_token,
            "bytes_per_token": self.bytes_per_token,
            "bits_per_character": self.bits_per_character,
        }
        return {
            k: None if isinstance(v, float) and not math.isfinite(v) else v
            for k, v in found.items()
        }


def measure(
    tokenizer: Tokenizer, tokens: Tokens, text: str, bits_V: np.ndarray | None = None
) -> Measure:
    """`tokens`: the text as the tokenizer cuts it; `bits_V`: bits of each piece, None where none
    were counted."""
    whole = mend(text)
    bits = (
        float(bits_V[tokens.ids].sum()) if bits_V is not None and not tokens.strange else math.nan
    )
    return Measure(
        len(tokens),
        len(np.unique(tokens.ids)),
        len(text.split()),
        len(clusters(text)),
        len(whole.encode()),
        tokens.strange,
        len(tokenizer.vocab),
        bits,
        tokenizer.decode(tokens.ids.tolist()) == whole,
    )


def find_lost(text: str, back: str) -> list[tuple[str, str, str]]:
    """From the text to what came back: ("same" | "lost" | "new" | "changed", part of the text, part
    of what came back)."""
    names = {"equal": "same", "delete": "lost", "insert": "new", "replace": "changed"}
    old, new = PARTS.findall(text), PARTS.findall(back)
    steps = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [(names[what], "".join(old[a:b]), "".join(new[c:d])) for what, a, b, c, d in steps]


def cost(width: int, tokens: int, vocabulary: int) -> dict[str, int]:
    """What a text of so many tokens costs a model with embeddings of this width: numbers in its
    table, steps, pairs of a causal head."""
    return {"table": vocabulary * width, "steps": tokens, "pairs": tokens * (tokens + 1) // 2}
