"""Reader: a tokenizer alone, as a page's readers take a model: it cuts texts and predicts nothing.

What      tokens(text), and no fields
Source    -
Shapes    T = tokens
Differs   A long text is cut where it is shown: the part begins and ends at a blank, so that its
          tokens are those of the whole.
"""

from __future__ import annotations

from collections.abc import Mapping

from engine.core.trace import FieldSpec, TableSpec
from engine.text.tokenizers.base import Tokenizer, Tokens

NEAR = 200  # characters: how far a blank is looked for


class Cutter:
    context: int | None = None
    carries: tuple[str, ...] = ()
    forgets = False
    by_id = False

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer

    def tokens(self, text: str) -> Tokens:
        return self.tokenizer.encode(text)

    def spec(self) -> tuple[FieldSpec | TableSpec, ...]:
        return ()

    def labels(self, tokens: Tokens) -> Mapping[str, tuple[str, ...]]:
        return {}


def part(text: str, start: int, stop: int) -> tuple[int, int]:
    """The characters (start, stop), moved to blanks near by: a blank begins a part, as it begins a
    token."""
    return _blank(text, start), _blank(text, stop)


def _blank(text: str, at: int) -> int:
    if at <= 0 or at >= len(text):
        return max(0, min(at, len(text)))
    return next(
        (
            i
            for i in range(at, max(0, at - NEAR), -1)
            if text[i].isspace() and not text[i - 1].isspace()
        ),
        at,
    )
