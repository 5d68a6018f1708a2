"""Study: the whole training on one text, step by step, small enough to be sent to a browser and
moved through there.

What      per step the pair that is merged, its count, what it tied with, the best pairs before it,
          and which borders go
Source    as in bpe.py and wordpiece.py
Shapes    N = symbols of the text, S = steps; `gone` has N numbers: the step at which the border
          behind symbol i goes, 0 for never
Differs   As many steps as a person can follow: MOST at most, until no pair stands twice.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from engine.text.subword import bpe, wordpiece, words
from engine.text.subword.bpe import Merge
from engine.text.subword.lattice import Lattice
from engine.text.subword.pairs import Pair, Pairs
from engine.text.subword.unigram import Round, measure_longest, train
from engine.text.subword.words import END, INSIDE, Word

MOST, ROWS, ORDERS = 160, 9, 12
KINDS = ("chars", "whole", "classic", "bytes", "wordpiece")
Span = tuple[int, int]
Cut = list[tuple[Word, list[Span]]]


@dataclass(frozen=True, slots=True)
class Step:
    """One merge.  `rows`: the best pairs before it, [a, b, count, score]; `tied`: how many other
    pairs were as good."""

    a: str
    b: str
    piece: str
    count: int
    tied: int
    rows: list[tuple[str, str, int, float]]


@dataclass(frozen=True, slots=True)
class Study:
    """symbols  N strings; spans  where each stands in the text; gone  (N,) as above
    steps  S; sizes, lengths  S + 1 numbers: tokens in the vocabulary, tokens in the text; after
           the best pairs that are left
    """

    kind: str
    symbols: list[str]
    spans: list[Span]
    gone: list[int]
    steps: list[Step]
    sizes: list[int]
    lengths: list[int]
    after: list[tuple[str, str, int, float]]

    def tokens(self, step: int) -> list[str]:
        """The text after so many merges."""
        found: list[str] = []
        fresh = True
        prefix = INSIDE if self.kind == "wordpiece" else ""
        for symbol, gone in zip(self.symbols, self.gone, strict=True):
            if fresh:
                found.append(symbol)
            else:
                found[-1] += symbol.removeprefix(prefix)
            fresh = not 0 < gone <= step
        return found


def cut(kind: str, text: str) -> Cut:
    """The words of a text with the characters that each of their symbols covers."""
    if kind == "whole":
        return [(tuple(text), [(i, i + 1) for i in range(len(text))])] if text else []
    if kind in ("classic", "wordpiece"):
        return [_word(kind, m.group(), m.start()) for m in re.finditer(r"\S+", text)]
    found: Cut = []
    at = 0
    for piece in (
        ["".join(w) for w in words.blanks(text)] if kind == "chars" else words.cutter()(text)
    ):
        if kind == "chars":
            found.append((tuple(piece), [(at + i, at + i + 1) for i in range(len(piece))]))
        else:
            spans = [(at + i, at + i + 1) for i, c in enumerate(piece) for _ in c.encode()]
            found.append((words.letters(piece), spans))
        at += len(piece)
    return found


def _word(kind: str, word: str, at: int) -> tuple[Word, list[Span]]:
    spans = [(at + i, at + i + 1) for i in range(len(word))]
    if kind == "classic":
        return (*word, END), [*spans, (at + len(word), at + len(word))]
    return (word[0], *(INSIDE + c for c in word[1:])), spans


@lru_cache(64)
def study(text: str, kind: str, ties: str) -> Study:
    """Train on a text.  Lone halves of a character are read as the replacement sign."""
    text = re.sub("[\ud800-\udfff]", "\N{REPLACEMENT CHARACTER}", text)
    found = cut(kind, text)
    counts = words.count([""], lambda _: [word for word, _ in found])
    pairs = Pairs(counts, prefix=INSIDE if kind == "wordpiece" else "")
    place = {word: w for w, word in enumerate(counts)}
    gone_W = [[0] * len(word) for word in counts]
    borders_W = [set(range(len(word) - 1)) for word in counts]
    width = [1] * len(pairs.vocab)
    sizes, lengths = [len(pairs.vocab)], [pairs.length]
    steps: list[Step] = []
    rows, tied = best(pairs, kind)
    for merge in _train(pairs, kind, ties):
        a, b = merge.pair
        if merge.id == len(width):
            width.append(width[a] + width[b])
        steps.append(
            Step(
                pairs.vocab[a],
                pairs.vocab[b],
                pairs.vocab[merge.id],
                merge.count,
                tied,
                _first(rows, pairs.named(merge.pair)),
            )
        )
        for w, symbols in enumerate(pairs.words):
            if len(symbols) <= len(borders_W[w]):
                at, left = -1, set()
                for symbol in symbols[:-1]:
                    at += width[symbol]
                    left.add(at)
                for i in borders_W[w] - left:
                    gone_W[w][i] = len(steps)
                borders_W[w] = left
        sizes.append(len(pairs.vocab))
        lengths.append(pairs.length)
        rows, tied = best(pairs, kind)
    whole = [symbol for word, _ in found for symbol in word]
    spans = [span for _, part in found for span in part]
    return Study(
        kind,
        whole,
        spans,
        [g for word, _ in found for g in gone_W[place[word]]],
        steps,
        sizes,
        lengths,
        rows[:ROWS],
    )


def _train(pairs: Pairs, kind: str, ties: str) -> Iterator[Merge]:
    size = len(pairs.vocab) + MOST
    return wordpiece.train(pairs, size) if kind == "wordpiece" else bpe.train(pairs, size, ties)


def best(pairs: Pairs, kind: str) -> tuple[list[tuple[str, str, int, float]], int]:
    """The best pairs now, with their counts and WordPiece scores, ties by letters; and how many
    others are as good as the first."""
    scores = wordpiece.scores(pairs) if kind == "wordpiece" else {}
    values: dict[Pair, float] = scores or dict(pairs.counts)
    top = heapq.nsmallest(ROWS, values, key=lambda p: (-values[p], pairs.named(p)))
    tied = sum(value == values[top[0]] for value in values.values()) - 1 if top else 0
    return [
        (*pairs.named(p), pairs.counts[p], scores.get(p, 0.0)) for p in top if pairs.counts[p] > 0
    ], tied


def _first(
    rows: list[tuple[str, str, int, float]], chosen: tuple[str, str]
) -> list[tuple[str, str, int, float]]:
    """The rows with the chosen pair in front: by another tie rule it may not be the first, or not
    even among them."""
    return [row for row in rows if row[:2] == chosen] + [row for row in rows if row[:2] != chosen][
        : ROWS - 1
    ]


@lru_cache(64)
def orders(
    text: str,
) -> tuple[list[tuple[str, str, int, float]], list[tuple[str, str, int, float]]]:
    """The first merges by count and by score, over the same words with ##: [a, b, count, score]."""
    made = []
    for by_score in (False, True):
        pairs = Pairs(words.count([text], words.split_inside), prefix=INSIDE)
        trainer = wordpiece.train(pairs, 10**9) if by_score else bpe.train(pairs, 10**9)
        rows: list[tuple[str, str, int, float]] = []
        scores = wordpiece.scores(pairs)
        for merge in trainer:
            rows.append((*pairs.named(merge.pair), merge.count, scores[merge.pair]))
            if len(rows) == ORDERS:
                break
            scores = wordpiece.scores(pairs)
        made.append(rows)
    return made[0], made[1]


@lru_cache(64)
def pieces(text: str, size: int) -> list[Round]:
    """Unigram, trained on the text."""
    counts = words.count([text.replace("\n", " ")], words.spaced)
    return list(train({"".join(word): n for word, n in counts.items()}, size))


def lattice(text: str, word: str, size: int, several: int = 5) -> dict[str, Any]:
    """All cuts of a word: its edges with p and share, its best cuts, and how many cuts there
    are."""
    rounds = pieces(text, size)
    if not rounds or not word:
        return {"word": word, "edges": [], "best": [], "ways": 0, "pieces": 0}
    scores = rounds[-1].scores
    made = Lattice(word, scores, *measure_longest(scores))
    total = made.total()
    edges = [
        (e.start, e.stop, e.piece, e.score, share, e.piece in scores) for e, share in made.shares()
    ]
    best = [
        ([e.piece for e in path], score, score - total) for score, path in made.several(several)
    ]
    return {"word": word, "edges": edges, "best": best, "ways": made.count(), "pieces": len(scores)}
