"""Pairs: which two symbols stand side by side, how often, and in which words; kept up to date merge
by merge.

What      count(a, b) = sum over the words of (how often the word stands in the text) x (places in
          it where b follows a)
Source    Sennrich, Haddow & Birch, Neural Machine Translation of Rare Words with Subword Units,
          2016, algorithm 1
Shapes    W = distinct words; a symbol is a number, its place in `vocab`
Differs   Places may overlap when they are counted (aaaa has three pairs aa), but are replaced from
          left to right without overlap (aaaa becomes aa aa).  Only words with the merged pair are
          touched again, as fast trainers do it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from itertools import pairwise

from engine.text.subword.words import Word

Pair = tuple[int, int]


class Pairs:
    """words   W lists of symbols
    times   W numbers: how often the word stands in the text
    counts  per pair how often it stands in the text
    """

    def __init__(
        self, words: Mapping[Word, int], first: Iterable[str] = (), prefix: str = ""
    ) -> None:
        """`first`: symbols that get the first numbers; the others follow by their letters.
        `prefix`: as in ##."""
        first = list(first)
        others = sorted({symbol for word in words for symbol in word}.difference(first))
        self.vocab = [*first, *others]
        self.prefix = prefix
        self.id = {symbol: i for i, symbol in enumerate(self.vocab)}
        self.words = [[self.id[symbol] for symbol in word] for word in words]
        self.times = list(words.values())
        self.counts: dict[Pair, int] = defaultdict(int)
        self._where: dict[Pair, set[int]] = defaultdict(set)
        for w, (symbols, times) in enumerate(zip(self.words, self.times, strict=True)):
            for pair in pairwise(symbols):
                self.counts[pair] += times
                self._where[pair].add(w)

    @property
    def length(self) -> int:
        """Tokens that the text has now."""
        return sum(
            len(symbols) * times for symbols, times in zip(self.words, self.times, strict=True)
        )

    def symbols(self) -> Counter[int]:
        """How often each symbol stands in the text now."""
        found: Counter[int] = Counter()
        for word, times in zip(self.words, self.times, strict=True):
            for symbol in word:
                found[symbol] += times
        return found

    def named(self, pair: Pair) -> tuple[str, str]:
        return self.vocab[pair[0]], self.vocab[pair[1]]

    def merge(self, pair: Pair) -> tuple[int, set[Pair]]:
        """Make one symbol of the pair everywhere; returns its number and the pairs that are new or
        more frequent now.

        Two ways to the same letters (ab+c, a+bc) lead to the same symbol.
        """
        a, b = pair
        piece = self.vocab[a] + self.vocab[b].removeprefix(self.prefix)
        new = self.id.setdefault(piece, len(self.vocab))
        if new == len(self.vocab):
            self.vocab.append(piece)
        counts, where, more = self.counts, self._where, set()
        for w in where.pop(pair):
            symbols, times = self.words[w], self.times[w]
            i, last = 0, len(symbols) - 1
            while i < last:
                if symbols[i] == a and symbols[i + 1] == b:
                    if i:
                        left = symbols[i - 1]
                        counts[left, a] -= times
                        counts[left, new] += times
                        where[left, new].add(w)
                        more.add((left, new))
                    if i + 1 < last:
                        right = symbols[i + 2]
                        counts[b, right] -= times
                        counts[new, right] += times
                        where[new, right].add(w)
                        more.add((new, right))
                    symbols[i : i + 2] = [new]
                    last -= 1
                i += 1
        del counts[pair]
        return new, more

    def first_seen(self, pairs: Iterable[Pair]) -> Pair:
        """Of these pairs the one that stands first in the text."""
        wanted = set(pairs)
        return next(pair for word in self.words for pair in pairwise(word) if pair in wanted)
