"""Tokenizers: cutting 1.25 MB into ids and learning 8,000 tokens from 10.8 MB, ours in plain
Python, on one core.

The text is WikiText-2 where the project's data lie beside it, else the built-in texts.  The peer is
the `tokenizers` library on the same vocabulary, one line after the other and as one batch on one
thread; the ids are checked to be the same.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from typing import Any

from engine.bench import Bench, Row, measure
from engine.bench.ngram import texts
from engine.cli.console import say
from engine.core.registry import tokenizers
from engine.text.subword import bpe, unigram, wordpiece, words
from engine.text.subword.cache import Cache
from engine.text.subword.pairs import Pairs

VOCABULARY = 8_000
LIBRARY = "tokenizers, a batch"


def bench() -> Iterator[Row]:
    os.environ["RAYON_NUM_THREADS"] = "1"
    whole, lines = texts()
    learned = whole.split("\n")
    size = sum(len(line.encode()) + 1 for line in lines)
    made = {
        id: tokenizers.get(id).fit(learned[: len(learned) // 10], VOCABULARY)
        for id in ("bpe", "wordpiece", "unigram")
    }
    cutters = {
        "bpe": _bpe(made["bpe"]),
        "wordpiece": _wordpiece(made["wordpiece"]),
        "unigram": _unigram(made["unigram"]),
    }
    for id, (cut, encode) in cutters.items():
        yield from encoding(id, made[id], cut, encode, lines, size)
    yield measure(
        "bpe, ids of the lines",
        f"{size / 1e6:.2f} MB",
        lambda: made["bpe"].ids(lines),
        LIBRARY,
        lambda: _batch(made["bpe"], lines),
        5,
    )
    ours, theirs = (
        timed(lambda: train(learned)),
        timed(lambda: tokenizers.get("bpe").fit(learned, VOCABULARY)),
    )
    yield Row(
        "bpe, training",
        f"{len(whole.encode()) / 1e6:.1f} MB, {VOCABULARY:,} tokens",
        ours,
        ours,
        "tokenizers, one thread",
        theirs,
    )


def encoding(
    id: str,
    made: Any,
    cut: Callable[[str], list[str]],
    encode: Callable[[str], list[int]],
    lines: list[str],
    size: int,
) -> Iterator[Row]:
    kept = Cache(encode)

    def warm() -> list[list[int]]:
        return [kept.ids(cut(line)) for line in lines]

    def cold() -> list[list[int]]:
        kept.clear()
        return warm()

    assert warm() == _batch(made, lines), f"our {id} has other ids than the library"
    row = measure(
        f"{id}, words seen before",
        f"{size / 1e6:.2f} MB",
        warm,
        LIBRARY,
        lambda: _batch(made, lines),
        5,
    )
    say(
        f"{id}: {size / 1e3 / row.median_ms:.1f} MB/s, {LIBRARY}"
        f" {size / 1e3 / (row.peer_median_ms or 1):.1f} MB/s, {len(kept):,} distinct words"
    )
    yield row
    yield measure(
        f"{id}, every word new",
        f"{size / 1e6:.2f} MB",
        cold,
        LIBRARY,
        lambda: _batch(made, lines),
        3,
    )


def timed(call: Callable[[], object]) -> float:
    """Milliseconds of one call."""
    start = time.perf_counter()
    call()
    return 1000 * (time.perf_counter() - start)


def train(lines: list[str]) -> list[bpe.Merge]:
    cut = words.count(lines, words.cutter())
    pairs = Pairs({words.letters(word): n for word, n in cut.items()}, ["\n", *sorted(words.BYTE)])
    return list(bpe.train(pairs, VOCABULARY, "ids", 1))


def _batch(made: Any, lines: list[str]) -> list[list[int]]:
    return [found.ids for found in made._library.encode_batch_fast(lines)]


def _bpe(made: Any) -> tuple[Callable[[str], list[str]], Callable[[str], list[int]]]:
    model = json.loads(made.state())["model"]
    ready = bpe.Merges(model["vocab"], [tuple(merge) for merge in model["merges"]])
    return words.cutter(), lambda word: ready.encode(words.letters(word))


def _wordpiece(made: Any) -> tuple[Callable[[str], list[str]], Callable[[str], list[int]]]:
    numbers = {piece: i for i, piece in enumerate(made.vocab)}
    return words.signs, lambda word: wordpiece.encode(word, numbers, made.unknown)


def _unigram(made: Any) -> tuple[Callable[[str], list[str]], Callable[[str], list[int]]]:
    scores = dict(made.scores)
    numbers = {piece: i for i, (piece, _) in enumerate(made.scores)}
    longest, unknown = unigram.measure_longest(scores)
    return words.runs, lambda word: unigram.encode(
        word, numbers, scores, longest, made.unknown, unknown
    )


BENCH = Bench(bench)
