"""WordPiece: the pair that stands together more often than its parts would by chance becomes one
token.

What      merge argmax over (a, b) of count(ab) / (count(a) count(b)); a word is cut into the
          longest pieces that fit, from left to right; a piece that goes on with a word begins with
          ##
Source    Schuster & Nakajima, Japanese and Korean Voice Search, 2012, sec. 3 (the pair that adds
          most likelihood);
          greedy longest match: Wu et al., 2016; Devlin et al., BERT, 2019
Shapes    as in pairs.py
Differs   The score takes the likelihood of a unigram of symbols, per occurrence of the pair.  The
          `tokenizers` library's trainer of this name does not score at all: it merges by count, as
          BPE does, and only writes the ##; so `bpe.train` over words cut by `words.split_inside` is what
          agrees with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from engine.text.subword.bpe import Merge
from engine.text.subword.pairs import Pair, Pairs
from engine.text.subword.words import INSIDE

LONGEST = 100  # letters of a word; a longer one is unknown, as in BERT


def scores(pairs: Pairs, least: int = 2) -> dict[Pair, float]:
    """Per pair that stands `least` times in the text its score."""
    times = pairs.symbols()
    return {(a, b): n / (times[a] * times[b]) for (a, b), n in pairs.counts.items() if n >= least}


def train(pairs: Pairs, size: int, least: int = 2) -> Iterator[Merge]:
    """As `bpe.train`; ties to the lexicographically smallest pair.  A pair that stands once has a
    count that says little."""
    while len(pairs.vocab) < size and (found := scores(pairs, least)):
        pair = min(found, key=lambda pair: (-found[pair], pairs.named(pair)))
        count = pairs.counts[pair]
        yield Merge(pair, pairs.merge(pair)[0], count)


def encode(word: str, id: Mapping[str, int], unknown: int) -> list[int]:
    """Numbers of the longest pieces that fit; [unknown] for the whole word where none fits at some
    place."""
    return [id[piece] for piece in cut(word, id)] or [unknown]


def cut(word: str, id: Mapping[str, int]) -> list[str]:
    """The pieces of a word; none where they do not exist."""
    pieces: list[str] = []
    at = 0
    while at < len(word) <= LONGEST:
        stop = next(
            (stop for stop in range(len(word), at, -1) if INSIDE * (at > 0) + word[at:stop] in id),
            at,
        )
        if stop == at:
            return []
        pieces.append(INSIDE * (at > 0) + word[at:stop])
        at = stop
    return pieces
