"""The n-gram model of order 5, modified Kneser-Ney: training, opening, one distribution, scoring.

The text is the file that UNROLLED_BENCH_TEXT names, cut beforehand (tokens between blanks, a
sentence a line), else WikiText-2 where the project's data lie beside it, else the built-in texts.
Peers: KenLM's Python package where it is installed, on the same model, handed over as an ARPA file;
else the floor below which nobody can get.  Distributions
are those behind one token after the other of a text that was not counted, IN_A_ROW of them at a
time.
"""

from __future__ import annotations

import heapq
import itertools
import lzma
import os
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from engine import ROOT
from engine.bench import Bench, Row, measure
from engine.cli.console import say
from engine.core.registry import corpora
from engine.models.base import train
from engine.models.ngram import Config, Ngram, _top
from engine.runs.store import Recipe, RunStore, digest
from engine.text.tokenizers.base import split
from engine.training.fit import fit

WIKITEXT = ROOT.parent / "shared" / "data" / "wikitext2"
CONFIG = Config(order=5, tokenizer="whitespace")
CONTEXTS, BEST = 400, 10
IN_A_ROW = 20  # distributions; their mean is one measurement


def bench() -> Iterator[Row]:
    text, held_out = texts()
    lines = text.removesuffix("\n").split("\n")
    with tempfile.TemporaryDirectory(prefix="unrolled-bench-") as scratch:
        for _ in fit(Path(scratch) / "run", Recipe("ngram", CONFIG, digest(text)), text):
            pass
        store = RunStore(Path(scratch))
        model = store.load(store.find("run"))
        assert isinstance(model, Ngram)
        stream_N = model.tokenizer.stream(lines)
        size = f"{len(stream_N) - 1:,} tokens"
        yield measure(
            "train order 5",
            size,
            lambda: train(Ngram, text, CONFIG),
            "splitting the text",
            lambda: list(map(str.split, lines)),
            3,
        )
        weights = Path(scratch) / "run" / "weights.safetensors"
        megabytes = f"{weights.stat().st_size / 1e6:,.0f} MB"
        yield measure(
            "open",
            megabytes,
            lambda: store.load(store.find("run")),
            "reading the file",
            weights.read_bytes,
            10,
        )
        yield from answers(model, held_out, kenlm_of(model, Path(scratch) / "model.arpa"))


def texts() -> tuple[str, list[str]]:
    """What to count, and lines that are not in it."""
    if "UNROLLED_BENCH_TEXT" in os.environ:
        whole = Path(os.environ["UNROLLED_BENCH_TEXT"]).read_text(encoding="utf-8")
    elif (WIKITEXT / "train.txt.xz").is_file():
        counted, told = (
            lzma.decompress((WIKITEXT / f"{name}.txt.xz").read_bytes()).decode()
            for name in ("train", "test")
        )
        return counted, told.removesuffix("\n").split("\n")
    else:
        whole = "".join(corpora.get(id).text() for id in corpora.ids())
    lines, held_out = split(whole.removesuffix("\n").split("\n"))
    return "\n".join(lines), held_out


def kenlm_of(model: Ngram, path: Path) -> Any:
    """The same model in KenLM; None where it is not installed."""
    try:
        import kenlm
    except ImportError:
        say("there is no KenLM to compare with; `pip install kenlm` brings it")
        return None
    from engine.ngram import arpa

    arpa.write(path, model.smoothed, model.tokenizer.vocab)
    return kenlm.Model(str(path))


def answers(model: Ngram, held_out: list[str], peer: Any) -> Iterator[Row]:
    """One distribution, its top, and the probability of a text."""
    stream_N = model.tokenizer.stream(held_out)
    place_TM = model.smoothed.counts.places(stream_N[:CONTEXTS])
    ours, theirs = itertools.cycle(range(len(place_TM))), itertools.cycle(range(len(place_TM)))
    vocab = model.tokenizer.vocab
    size = f"{len(vocab):,} words"

    def row() -> np.ndarray:
        at = next(ours)
        return model.smoothed.distributions(place_TM[at : at + 1])[0]

    loop, best, scores = peers(peer, vocab, stream_N, theirs, held_out)
    by_word = "KenLM, word by word" if peer else None
    yield one_of_a_row("distribution", size, row, by_word, loop)
    yield one_of_a_row("sorted top 10", size, lambda: _top(row(), BEST), by_word, best)
    many = f"{len(stream_N) - 1:,} tokens"
    yield measure(
        "score",
        many,
        lambda: model.smoothed.probabilities(stream_N),
        "KenLM" if scores else None,
        scores,
        5,
    )


def one_of_a_row(
    what: str,
    size: str,
    ours: Callable[[], object],
    peer: str | None,
    theirs: Callable[[], object] | None,
) -> Row:
    def often(call: Callable[[], object]) -> Callable[[], object]:
        return lambda: [call() for _ in range(IN_A_ROW)]

    row = measure(what, size, often(ours), peer, theirs and often(theirs), CONTEXTS // IN_A_ROW)
    peer_ms = None if row.peer_median_ms is None else row.peer_median_ms / IN_A_ROW
    return replace(
        row,
        median_ms=row.median_ms / IN_A_ROW,
        p95_ms=row.p95_ms / IN_A_ROW,
        peer_median_ms=peer_ms,
    )


def peers(
    peer: Any, vocab: tuple[str, ...], stream_N: np.ndarray, order: Iterator[int], lines: list[str]
) -> tuple[Callable[[], object] | None, Callable[[], object] | None, Callable[[], object] | None]:
    """The same through KenLM: all words one by one, the best of them, and whole lines."""
    if peer is None:
        return None, None, None
    import kenlm

    def loop() -> list[float]:
        state, after = kenlm.State(), kenlm.State()
        at = next(order)
        ended = np.flatnonzero(stream_N[: at + 1] == 2)[-1]
        peer.BeginSentenceWrite(state)
        for id in stream_N[ended + 1 : at + 1].tolist():
            peer.BaseScore(state, vocab[id], after)
            state, after = after, state
        score = peer.BaseScore
        return [score(state, word, after) for word in vocab]

    cut = [" ".join(line.split()) for line in lines]
    best = lambda: heapq.nlargest(BEST, zip(loop(), vocab, strict=True))  # noqa: E731
    return loop, best, lambda: [list(peer.full_scores(line)) for line in cut]


BENCH = Bench(bench)
