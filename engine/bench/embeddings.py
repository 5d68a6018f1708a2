"""Training word vectors: skip-gram with negative sampling and CBOW, ours beside gensim on the same
words, one thread and two.

The text is that of the n-gram bench (UNROLLED_BENCH_TEXT names another one), WORDS of it at most,
read once.  Times are those of 100,000 words of the text; `size` gives words a second, by the clock
and per second of processor time.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from engine.bench import Bench, Row, p95
from engine.bench.ngram import texts
from engine.cli.console import say
from engine.models.word2vec import Config
from engine.models.wordspace import MARKS, learn
from engine.nn.word2vec import training
from engine.text.tokenizers.base import passages
from engine.text.tokenizers.words import Words

WORDS, ROUNDS, UNIT = 2_000_000, 3, 100_000
CONFIG = Config(vocabulary=100_000, min_count=5)
Clock = tuple[float, float]  # seconds by the clock, seconds of processor time


def bench() -> Iterator[Row]:
    tokenizer, stream_N = learn(passages(texts()[0]), CONFIG)
    stream_N = stream_N[:WORDS]
    stream_N = stream_N[stream_N != Words.unknown]
    count_V = np.bincount(stream_N, minlength=len(tokenizer.vocab))
    count_V[:MARKS] = 0
    words = int(count_V.sum())
    with tempfile.TemporaryDirectory(prefix="unrolled-bench-") as scratch:
        path = Path(scratch) / "words.txt"
        path.write_text(
            " ".join(np.array(("", "", "\n", *tokenizer.vocab[MARKS:]))[stream_N]), encoding="utf-8"
        )
        for cbow in (False, True):
            for threads in (1, 2):
                theirs = gensim_of(path, cbow, threads)
                plan = training.Plan(cbow=cbow, epochs=1)

                def ours(plan: training.Plan = plan, beside: bool = threads == 2) -> None:
                    tables = training.start(len(count_V), CONFIG.width, 0)
                    for _ in training.train(
                        stream_N, Words.boundary, count_V, tables, plan, 0, beside=beside
                    ):
                        pass

                yield row(
                    f"{'CBOW' if cbow else 'skip-gram'}, {threads} thread{'s'[: threads - 1]}",
                    words,
                    ours,
                    theirs,
                )


def row(
    what: str, words: int, ours: Callable[[], object], theirs: Callable[[], object] | None
) -> Row:
    """Both in turn, so that a busy moment hits both."""
    times: dict[str, list[Clock]] = {"ours": [], "gensim": []}
    for _ in range(ROUNDS):
        times["ours"].append(clocked(ours))
        if theirs:
            times["gensim"].append(clocked(theirs))
    rates = "; ".join(
        f"{who} {_rate(words, seen, 0)} words/s, {_rate(words, seen, 1)} a CPU-s"
        for who, seen in times.items()
        if seen
    )
    clock = {who: [1000 * UNIT / words * wall for wall, _ in seen] for who, seen in times.items()}
    peer = statistics.median(clock["gensim"]) if theirs else None
    return Row(
        what,
        f"{words:,} words; {rates}",
        statistics.median(clock["ours"]),
        p95(clock["ours"]),
        "gensim" if theirs else None,
        peer,
    )


def _rate(words: int, seen: list[Clock], which: int) -> str:
    return f"{words / statistics.median(pair[which] for pair in seen) / 1000:,.0f} k"


def clocked(call: Callable[[], object]) -> Clock:
    wall, cpu = time.perf_counter(), time.process_time()
    call()
    return time.perf_counter() - wall, time.process_time() - cpu


def gensim_of(path: Path, cbow: bool, threads: int) -> Callable[[], Any] | None:
    """gensim's own loop over the same words, on so many threads; None where it is not installed."""
    try:
        from gensim.models import Word2Vec
    except ImportError:
        say("there is no gensim to compare with; `pip install gensim` brings it")
        return None
    peer = Word2Vec(
        vector_size=CONFIG.width,
        window=5,
        sg=int(not cbow),
        negative=5,
        sample=1e-3,
        min_count=1,
        workers=threads,
    )
    peer.build_vocab(corpus_file=str(path))
    return lambda: peer.train(
        corpus_file=str(path),
        total_words=peer.corpus_total_words,
        total_examples=peer.corpus_count,
        epochs=1,
    )


BENCH = Bench(bench)
