"""Unigram: begin with all substrings that may be pieces, and let the least useful go until few
enough are left.

What      E: how often each piece is expected in the words, over all cuts; M: p(piece) in
          proportion; then the pieces whose loss would cost the text the least likelihood are left
          out, a quarter at a time
Source    Kudo, Subword Regularization, 2018, sec. 3.2; digamma in place of the logarithm, which
          pushes rare pieces down: Liang & Klein, Structured Bayesian Nonparametric Models with
          Variational Inference, 2007
Shapes    V = pieces wanted, <unk> among them; scores are natural logarithms of probabilities
Differs   As the trainer of the `tokenizers` library, step by step: its seeds (counted over distinct
          words, however often they stand in the text), its thresholds, its finish (1.1 V pieces,
          then the best V, but all characters).  Where nothing has to be pruned the scores are the
          same; where much has, a few pieces in a hundred are others.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from engine.text.subword.lattice import UNKNOWN_COSTS, Lattice

LONGEST, ROUNDS, SHRINK, EXPECTED = 16, 2, 0.75, 0.5
UNKNOWN = "<unk>"
Scores = dict[str, float]


@dataclass(frozen=True, slots=True)
class Round:
    """The pieces after one step.  `says` names it: seed, EM, prune or finish; `bits`: what the
    words cost, over all cuts."""

    says: str
    scores: Scores
    bits: float


def seed(words: Mapping[str, int]) -> Scores:
    """All characters, and the substrings that are found twice and in at least two surroundings, by
    count times length.

    A substring that is always followed by the same character (hug in hugs, hugs) is left to the
    longer one.
    """
    counts: Counter[str] = Counter()
    after: defaultdict[str, set[str]] = defaultdict(set)
    ends: Counter[str] = Counter()
    characters: Counter[str] = Counter()
    for word, times in words.items():
        for character in word:
            characters[character] += times
        for start in range(len(word)):
            for stop in range(start + 2, min(len(word), start + LONGEST) + 1):
                part = word[start:stop]
                counts[part] += 1
                if stop == len(word):
                    ends[part] += 1
                else:
                    after[part].add(word[stop])
    branching = [
        part for part, n in counts.items() if n > 1 and len(after[part]) + (part in ends) > 1
    ]
    weights = {
        c: float(n)
        for c, n in sorted(characters.items(), key=lambda item: (item[1], item[0]), reverse=True)
    }
    weights |= {
        part: float(counts[part] * len(part))
        for part in sorted(branching, key=lambda p: (counts[p] * len(p), p), reverse=True)
    }
    total = math.log(sum(weights.values())) if weights else 0.0
    return {piece: math.log(weight) - total for piece, weight in weights.items()}


def expect(words: Mapping[str, int], scores: Scores) -> tuple[Scores, float]:
    """How often each piece is expected, and the bits of all words."""
    found, nats = dict.fromkeys(scores, 0.0), 0.0
    for lattice, times in lattices(words, scores):
        nats -= times * lattice.total()
        for edge, share in lattice.shares():
            if edge.piece in found:
                found[edge.piece] += times * share
    return found, nats / math.log(2)


def maximise(expected: Scores) -> Scores:
    """Scores from expected counts; a piece that is hardly expected at all is out."""
    kept = {piece: n for piece, n in expected.items() if n >= EXPECTED}
    total = digamma(sum(kept.values()))
    return {piece: digamma(n) - total for piece, n in kept.items()}


def prune(words: Mapping[str, int], scores: Scores, size: int) -> Scores:
    """Leave out the pieces without which the best cuts lose the least: each is then written with
    its own second-best cut."""
    longest, unknown = measure_longest(scores)
    others: dict[str, list[str]] = {}
    kept: set[str] = set()
    for piece in scores:
        cuts = Lattice(piece, scores, longest, unknown).several(2)
        if len(cuts) == 1:
            kept.add(piece)
        elif len(cuts[0][1]) == 1:
            kept.add(piece)
            others[piece] = [edge.piece if edge.piece in scores else UNKNOWN for edge in cuts[1][1]]
    used: Counter[str] = Counter()
    for lattice, times in lattices(words, scores):
        for edge in lattice.best():
            used[edge.piece if edge.piece in scores else UNKNOWN] += times
    total, all_words = sum(used.values()), sum(words.values())
    left: list[str] = []
    losses: list[tuple[float, str]] = []
    for piece in scores:
        if not used[piece] and piece not in kept:
            continue
        if piece not in others:
            left.append(piece)
        elif used[piece]:
            n, parts = used[piece], others[piece]
            as_it_is = math.log(n) - math.log(total)
            after = math.log(total + n * (len(parts) - 1))
            in_parts = sum(math.log(used[part] + n) - after for part in parts)
            losses.append((n / all_words * (as_it_is - in_parts), piece))
    wanted = max(11 * size // 10, int(SHRINK * (len(scores) + 1))) - 1
    losses.sort(key=lambda item: -item[0])
    return {
        piece: scores[piece]
        for piece in [*left, *(piece for _, piece in losses[: max(0, wanted - len(left))])]
    }


def train(words: Mapping[str, int], size: int) -> Iterator[Round]:
    """Step by step; the last Round has the pieces to use, likeliest first.  `size` counts <unk>,
    which has no score."""
    if not words:
        return
    scores = seed(words)
    yield Round("seed", scores, expect(words, scores)[1])
    while True:
        for _ in range(ROUNDS):
            expected, bits = expect(words, scores)
            scores = maximise(expected)
            yield Round("EM", scores, bits)
        if len(scores) + 1 <= 11 * size // 10:
            break
        fewer = prune(words, scores, size)
        if len(fewer) == len(scores):  # only characters are left, and they are more than wanted
            break
        scores = fewer
        yield Round("prune", scores, expect(words, scores)[1])
    scores = finish(words, scores, size)
    yield Round("finish", scores, expect(words, scores)[1])


def finish(words: Mapping[str, int], scores: Scores, size: int) -> Scores:
    """All characters of the text, then the pieces in order until there are `size`, sorted."""
    lowest, kept = min(scores.values(), default=0.0), Scores()
    for n, character in enumerate(sorted({c for word in words for c in word}.difference(scores))):
        kept[character] = lowest - 0.0001 * n
    kept |= {c: scores[c] for c in {c for word in words for c in word} if c in scores}
    for piece, score in scores.items():
        if len(kept) + 1 >= size:
            break
        kept[piece] = score
    return dict(sorted(kept.items(), key=lambda item: (-item[1], item[0])))


def lattices(words: Mapping[str, int], scores: Scores) -> Iterator[tuple[Lattice, int]]:
    longest, unknown = measure_longest(scores)
    for word, times in words.items():
        yield Lattice(word, scores, longest, unknown), times


def measure_longest(scores: Mapping[str, float]) -> tuple[int, float]:
    """(length of the longest piece, score of a character that is no piece)."""
    return max(map(len, scores), default=1), min(scores.values(), default=0.0) - UNKNOWN_COSTS


def encode(
    word: str,
    id: Mapping[str, int],
    scores: Mapping[str, float],
    longest: int,
    unknown: int,
    score: float,
) -> list[int]:
    """Numbers of the likeliest cut; unknown characters side by side are one token."""
    ids: list[int] = []
    for edge in Lattice(word, scores, longest, score).best():
        number = id.get(edge.piece, unknown)
        if number != unknown or ids[-1:] != [unknown]:
            ids.append(number)
    return ids


def digamma(x: float) -> float:
    """The derivative of log Gamma(x): log(x - 1/2) for large x, less for small ones."""
    result = 0.0
    while x < 7.0:
        result -= 1.0 / x
        x += 1.0
    x -= 0.5
    y = 1.0 / (x * x)
    return result + math.log(x) + y / 24 - 7 / 960 * y**2 + 31 / 8064 * y**3 - 127 / 30720 * y**4
