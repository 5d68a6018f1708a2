"""Cache: a word that was cut once is not cut again.  In any text few words are most of the text."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain

MOST = 1 << 17  # words; then it starts over


class Cache(dict[str, list[int]]):
    """A dictionary from words to the numbers of their tokens that fills itself."""

    def __init__(self, encode: Callable[[str], list[int]], most: int = MOST) -> None:
        super().__init__()
        self._encode, self._most = encode, most

    def __missing__(self, word: str) -> list[int]:
        if len(self) >= self._most:
            self.clear()
        found = self[word] = self._encode(word)
        return found

    def ids(self, words: list[str]) -> list[int]:
        return list(chain.from_iterable(map(self.__getitem__, words)))
