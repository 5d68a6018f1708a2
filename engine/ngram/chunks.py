"""Chunks: n-grams of a text too large to be counted in memory, counted part by part on disk and
merged.

What      For each order, chunk after chunk of the text is counted by a sort and written as a run:
          its distinct n-grams in order, with their counts.  The runs are merged, one range of keys
          after the other; that gives the places of the order, and so the keys of the next one.  The
          result is that of `counts.count`, to the last number.
Source    external merge sort: Knuth, The Art of Computer Programming 3, sec. 5.4; for n-grams:
          Heafield, Pouzyrevsky, Clark & Koehn, Scalable Modified Kneser-Ney Language Model
          Estimation, ACL 2013, sec. 3
Shapes    N = tokens of the text, C = tokens of a chunk, U = n-grams of a run, E = entries of all
          runs in a range of keys, G = n-grams of one order, P = contexts
Differs   In memory are the ids of the text, the n-grams of the orders counted so far, and a few
          arrays as long as a chunk.
          The rest is in a folder of temporary files (TMPDIR), about 30 bytes a token.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from engine.ngram.counts import Grams, changes, offsets, unigrams

MOST = 24_000_000  # tokens that are counted in memory, at most
CHUNK = 8_000_000  # tokens of a chunk
SAMPLE = 1_024  # every so many keys of a run one is looked at to find ranges of like size

KEY, COUNT = np.dtype(np.int64), np.dtype(np.int32)


def steps(tokens: int, order: int, chunk: int | None = None) -> int:
    """How many items `count` yields."""
    return order + (order - 1) * -(-tokens // (chunk or CHUNK))


def count(
    stream_N: np.ndarray, size: int, order: int, boundary: int, chunk: int | None = None
) -> Iterator[Grams | None]:
    """As `counts.count`; before each order from 2 up comes one None per chunk, to show how far it
    is."""
    yield unigrams(np.bincount(stream_N[1:], minlength=size))
    small = np.dtype(np.int32 if len(stream_N) < 2**31 else np.int64)
    with tempfile.TemporaryDirectory(prefix="unrolled-count-") as scratch:
        text = Chunks(Path(scratch), stream_N, size, boundary, chunk or CHUNK, small)
        contexts = size
        for k in range(2, order + 1):
            for number in range(text.number):
                text.write_run(k, number)
                yield None
            grams = text.merge(contexts)
            if k < order:
                text.write_places()
            contexts = len(grams)
            yield grams


class Chunks:
    """The files of one order.  Of each chunk: `place` of the n-gram that ends in each token, -1
    where there is none;
    `key`, `count`, `suffix` of its run, in order; `run`, where in the run the n-gram that ends in
    each token stands;
    `at`, the places of the run's n-grams among all.
    """

    def __init__(
        self,
        folder: Path,
        stream_N: np.ndarray,
        size: int,
        boundary: int,
        chunk: int,
        small: np.dtype,
    ) -> None:
        self.folder, self.stream_N, self.size, self.boundary = folder, stream_N, size, boundary
        self.chunk, self.small, self.number = chunk, small, -(-len(stream_N) // chunk)
        for c in range(self.number):
            self._write(f"{c}.place", self._tokens(c).astype(small))

    def _tokens(self, number: int) -> np.ndarray:
        return self.stream_N[number * self.chunk : (number + 1) * self.chunk]

    def _write(self, name: str, values: np.ndarray, mode: str = "wb") -> None:
        with (self.folder / name).open(mode) as file:
            values.tofile(file)

    def _read(
        self, name: str, kind: np.dtype, first: int = 0, stop: int | None = None
    ) -> np.ndarray:
        return np.fromfile(
            self.folder / name,
            kind,
            -1 if stop is None else stop - first,
            offset=first * kind.itemsize,
        )

    def write_run(self, order: int, number: int) -> None:
        """Count the n-grams of one order that end in a chunk."""
        word_C, place_C = self._tokens(number), self._read(f"{number}.place", self.small)
        before = -1 if number == 0 else int(self._read(f"{number - 1}.place", self.small)[-1])
        context_C = np.append(self.small.type(before), place_C[:-1])
        if order > 2:  # nothing follows </s>
            token_before = -1 if number == 0 else int(self._tokens(number - 1)[-1])
            context_C[np.append(token_before, word_C[:-1]) == self.boundary] = -1
        end_C = np.flatnonzero(context_C >= 0)
        key_C = context_C[end_C].astype(np.int64) * self.size + word_C[end_C]
        order_C = np.argsort(key_C, kind="stable")
        key_C, end_C = key_C[order_C], end_C[order_C]
        new_C = changes(key_C)
        start_U = np.flatnonzero(new_C)
        run_C = np.full(len(word_C), -1, np.int32)
        run_C[end_C] = np.cumsum(new_C) - 1
        self._write(f"{number}.run", run_C)
        self._write(f"{number}.key", key_C[start_U])
        self._write(f"{number}.count", np.diff(start_U, append=len(key_C)).astype(np.int32))
        self._write(f"{number}.suffix", place_C[end_C[start_U]])

    def merge(self, contexts: int) -> Grams:
        """All runs of the order as one, and the place of each of their n-grams in it."""
        successors_P, done, runs = np.zeros(contexts, np.int64), 0, range(self.number)
        for name in ("all.word", "all.count", "all.suffix", *(f"{r}.at" for r in runs)):
            self._write(name, np.zeros(0))
        for low_R, high_R in self._ranges():
            parts = [self._read(f"{r}.key", KEY, low_R[r], high_R[r]) for r in runs]
            key_E = np.concatenate(parts)
            order_E = np.argsort(key_E, kind="stable")  # of sorted runs: a merge
            key_E = key_E[order_E]
            new_E = changes(key_E)
            at_E = np.empty(len(key_E), self.small)
            at_E[order_E] = np.cumsum(new_E) + (done - 1)
            for r, at_U in enumerate(np.split(at_E, np.cumsum([len(p) for p in parts])[:-1])):
                self._write(f"{r}.at", at_U, "ab")
            start_G = np.flatnonzero(new_E)
            context_G = key_E[start_G] // self.size
            first = int(context_G[0])
            found_P = np.bincount(context_G - first)
            successors_P[first : first + len(found_P)] += found_P
            count_E, suffix_E = (
                np.concatenate(
                    [self._read(f"{r}.{name}", kind, low_R[r], high_R[r]) for r in runs]
                )[order_E]
                for name, kind in (("count", COUNT), ("suffix", self.small))
            )
            self._write("all.word", (key_E[start_G] - context_G * self.size).astype(np.int32), "ab")
            self._write("all.count", np.add.reduceat(count_E, start_G, dtype=np.int32), "ab")
            self._write("all.suffix", suffix_E[start_G], "ab")
            done += len(start_G)
        word_G, count_G, suffix_G = (
            self._read("all.word", COUNT),
            self._read("all.count", COUNT),
            self._read("all.suffix", self.small),
        )
        return Grams(self.size, word_G, count_G, offsets(successors_P), suffix_G)

    def _ranges(self) -> Iterator[tuple[list[int], list[int]]]:
        """Per range of keys where it begins and ends in every run; a range has about as many
        entries as a chunk has tokens."""
        sizes = [
            (self.folder / f"{r}.key").stat().st_size // KEY.itemsize for r in range(self.number)
        ]
        key_RU = [
            np.memmap(self.folder / f"{r}.key", KEY, "r") if n else np.zeros(0, KEY)
            for r, n in enumerate(sizes)
        ]
        sample = np.sort(np.concatenate([key_U[::SAMPLE] for key_U in key_RU]))
        many = -(-sum(sizes) // self.chunk)
        cuts = [sample[len(sample) * i // many] for i in range(1, many)]
        low_R = [0] * self.number
        for cut in [*cuts, None]:
            high_R = (
                sizes if cut is None else [int(np.searchsorted(key_U, cut)) for key_U in key_RU]
            )
            if any(high > low for low, high in zip(low_R, high_R, strict=True)):
                yield low_R, high_R
            low_R = high_R

    def write_places(self) -> None:
        """The places of this order, for the keys of the next one."""
        for c in range(self.number):
            run_C, at_U = self._read(f"{c}.run", COUNT), self._read(f"{c}.at", self.small)
            place_C = np.full(len(run_C), -1, self.small)
            place_C[run_C >= 0] = at_U[run_C[run_C >= 0]]
            self._write(f"{c}.place", place_C)
