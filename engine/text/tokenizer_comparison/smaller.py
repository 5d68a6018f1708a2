"""Smaller: a trained tokenizer with a smaller vocabulary, without training again.

What      BPE: the first merges only, which is exactly what training would have stopped at.
          WordPiece, words: the pieces learned first.  Unigram: the likeliest pieces and every
          single character
Source    Sennrich, Haddow & Birch, 2016, sec. 3.2: the number of merges is the only setting of BPE
Shapes    state: what `Tokenizer.state` gives, UTF-8 JSON
Differs   A smaller Unigram keeps the probabilities of the large one; training would estimate them
          again.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any


def smaller(id: str, state: bytes, size: int) -> bytes:
    """At most `size` pieces, but never fewer than those that every text needs: letters and
    marks."""
    made = CUTS.get(id)
    return json.dumps(made(json.loads(state), size)).encode() if made else state


def can(id: str) -> bool:
    """Whether this kind of tokenizer has a vocabulary that can be cut."""
    return id in CUTS


def _bpe(about: dict[str, Any], size: int) -> dict[str, Any]:
    model = about["model"]
    merges = [tuple(m.split(" ")) if isinstance(m, str) else tuple(m) for m in model["merges"]]
    numbers: dict[str, int] = model["vocab"]
    kept = _first(merges, numbers, size)
    made = {a + b for a, b in merges} - {a + b for a, b in kept}
    vocab = {piece: i for piece, i in numbers.items() if piece not in made}
    return about | {"model": model | {"vocab": vocab, "merges": [list(m) for m in kept]}}


def _charbpe(about: dict[str, Any], size: int) -> dict[str, Any]:
    merges: list[tuple[str, ...]] = [(a, b) for a, b in about["merges"]]
    kept = _first(merges, {piece: i for i, piece in enumerate(about["pieces"])}, size)
    made = {a + b for a, b in merges} - {a + b for a, b in kept}
    return {"pieces": [p for p in about["pieces"] if p not in made], "merges": kept}


def _first(
    merges: list[tuple[str, ...]], numbers: dict[str, int], size: int
) -> list[tuple[str, ...]]:
    """The merges up to the first one whose piece has no room.  Two merges may make the same piece:
    it counts once."""
    stop = next((i for i, (a, b) in enumerate(merges) if numbers[a + b] >= size), len(merges))
    return merges[:stop]


def _wordpiece(pieces: list[str], size: int) -> list[str]:
    needed = next(
        (i for i, p in enumerate(pieces) if i > 4 and len(p.removeprefix("##")) > 1), len(pieces)
    )
    return pieces[: max(size, needed)]


def _unigram(scores: list[list[Any]], size: int) -> list[list[Any]]:
    room = size - 2 - sum(len(piece) == 1 for piece, _ in scores)
    kept = []
    for piece, score in scores:  # likeliest first
        if len(piece) > 1:
            room -= 1
        if len(piece) == 1 or room >= 0:
            kept.append([piece, score])
    return kept


def _words(about: dict[str, Any], size: int) -> dict[str, Any]:
    return about | {"words": about["words"][: max(1, size - 3)]}


CUTS: dict[str, Callable[[Any, int], Any]] = {
    "bpe": _bpe,
    "charbpe": _charbpe,
    "wordpiece": _wordpiece,
    "unigram": _unigram,
    "words": _words,
    "whitespace": _words,
}
