"""Window: which part of a text is shown, in characters and in tokens.

What      all of a short text; of a long one `most` characters, from a start that moves in steps
Shapes    T = tokens
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from operator import itemgetter

from engine.core.cache import remembered
from engine.live import chunked_tokenization
from engine.text.tokenizers.base import Tokens

Window = tuple[int, int]  # (start, stop) of characters, or (first, stop) of tokens
SHORT = 2_000  # characters of a text that is cut in one go
KEPT = 256  # short texts whose tokens are kept


def window(characters: int, most: int, start: int | None = None) -> Window:
    """The characters to show: all, or `most` of them from a start that moves in steps, so that
    typing seldom moves it."""
    if characters <= most:
        return 0, characters
    step = max(1, most // 4)
    if start is None:
        start = -(-(characters - most) // step) * step
    start = max(0, min(start, characters - 1) // step * step)
    return start, min(characters, start + most)


def tokens(model: chunked_tokenization.Cuts, text: str) -> Tokens:
    """The text as this model reads it, kept for the next request, whose `base` it is; a long one
    is cut piece by piece."""
    return _tokens(model, text) if len(text) <= SHORT else chunked_tokenization.tokens(model, text)


@remembered(KEPT)
def _tokens(model: chunked_tokenization.Cuts, text: str) -> Tokens:
    return model.tokens(text)


def cut(tokens: Tokens, characters: Window) -> Window:
    """The tokens (first, stop) that lie in these characters, with the start mark when the text's
    start is shown."""
    start, stop = characters
    first = bisect_right(tokens.spans, start, key=itemgetter(1)) if start > 0 else 0
    last = max(first, bisect_left(tokens.spans, stop, key=itemgetter(0)))
    while (
        stop and last < len(tokens) and tokens.spans[last][1] <= stop
    ):  # what covers nothing there
        last += 1
    return first, last
