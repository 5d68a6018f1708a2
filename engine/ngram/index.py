"""Index: a text of any size on the disk, sorted by what follows each place, so that every run of tokens is counted
at once, however long it is.

    <folder>/tokens           the ids, 2 bytes each where the vocabulary fits, else 4
            /places-000 ...   the suffix array of each shard of them, 4 bytes a token
            /index.json       what it is of; written last, so it means done

What      a count is the width of a slice (suffixes.py), summed over the shards; the longest context that still occurs
          ends in the last token, and what followed it, by counts, is the unsmoothed model of that order: ∞-gram
Source    Liu, Min, Zettlemoyer, Choi & Hajishirzi, Infini-gram: Scaling Unbounded n-gram Language Models to a
          Trillion Tokens, 2024; Manber & Myers, Suffix Arrays, 1990
Shapes    N = tokens, S = shards, W = words that follow
Differs   A shard holds what can be sorted in MEMORY; a run over the border of two shards is not found, but lines end
          there.  What is read is mapped, so the system keeps in memory what is asked for often.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from engine.language.message import refusal
from engine.ngram.suffixes import Suffixes, suffix_array
from engine.storage.files import disk_errors, write_bytes

MEMORY = 5 << 29  # bytes, about, that sorting a shard may take
TOKENS, PLACES, ABOUT = "tokens", "places-{:03}", "index.json"
LISTED, SAMPLE = 20, 4_000  # words that follow; places that are looked at to find them
FARTHEST = 64  # tokens of a context


def shard_size(width: int) -> int:
    """Tokens: the bytes, a place of 4 for each of them, and then the places kept, of 4 again."""
    return MEMORY // (width + 4 * width + 4)


def build(
    streams: Iterable[np.ndarray], size: int, boundary: int, folder: Path, shard: int = 0
) -> Iterator[tuple[str, int, int]]:
    """Yields ("read", tokens, 0), then ("sorted", shard, of how many).  `streams`: ids, line ends among them; `size` of
    the vocabulary; `shard`: tokens of one, at most.  ValueError with a sentence where the disk refuses."""
    wide = np.dtype(np.uint16 if size <= 1 << 16 else np.uint32)
    shard, count = shard or shard_size(wide.itemsize), 0
    with disk_errors("the index"):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / ABOUT).unlink(missing_ok=True)
        with (folder / TOKENS).open("wb") as file:
            for ids in streams:
                ids.astype(wide).tofile(file)
                count += len(ids)
                yield "read", count, 0
        if not count:
            raise ValueError("There is nothing to index: the text has no words.")
        token_N = mapped(folder / TOKENS, wide)
        ends = [0]
        while ends[-1] < count:
            ends.append(cut(token_N, ends[-1], shard, boundary))
        for n, (a, b) in enumerate(pairwise(ends)):
            yield "sorted", n, len(ends) - 1
            # read, not mapped: pages that are mapped would count as memory of this process to the end
            stream_N = np.fromfile(folder / TOKENS, wide, b - a, offset=a * wide.itemsize)
            suffix_array(stream_N).tofile(folder / PLACES.format(n))
        about = {"tokens": count, "size": size, "boundary": boundary, "ends": ends}
        write_bytes(folder / ABOUT, json.dumps(about).encode())
        yield "sorted", len(ends) - 1, len(ends) - 1


def cut(token_N: np.ndarray, a: int, shard: int, boundary: int) -> int:
    """Where a shard that begins at `a` ends: behind the last line end that fits, if there is one."""
    b = min(len(token_N), a + shard)
    if b == len(token_N):
        return b
    marks = np.flatnonzero(np.asarray(token_N[max(a, b - (1 << 20)) : b]) == boundary)
    return int(max(a, b - (1 << 20)) + marks[-1] + 1) if len(marks) else b


def mapped(path: Path, kind: np.dtype) -> np.ndarray:
    """A plain array, which is quicker to cut than a `memmap`."""
    return np.asarray(np.memmap(path, kind, "r"))


@dataclass(frozen=True, slots=True)
class Slice:
    """Where a run stands: in each shard from `low_S` to `high_S` of its sorted places; `run` tokens long."""

    low_S: np.ndarray
    high_S: np.ndarray
    run: int

    @property
    def count(self) -> int:
        return int((self.high_S - self.low_S).sum())


class Index:
    """ValueError, a sentence for the reader, where the folder holds none, or a damaged one."""

    def __init__(self, folder: Path) -> None:
        try:
            about = json.loads((folder / ABOUT).read_bytes())
            self.size, self.boundary, ends = about["size"], about["boundary"], about["ends"]
            wide = np.dtype(np.uint16 if self.size <= 1 << 16 else np.uint32)
            self.token_N = mapped(folder / TOKENS, wide)
            if len(self.token_N) != about["tokens"] or ends[-1] != about["tokens"]:
                raise ValueError
            self.begin_S = np.array(ends[:-1])
            self.shards = [
                Suffixes(self.token_N[a:b], mapped(folder / PLACES.format(n), np.dtype(np.uint32)))
                for n, (a, b) in enumerate(pairwise(ends))
            ]
            if any(len(one) != len(one.stream_N) for one in self.shards):
                raise ValueError
        except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
            raise refusal("There is no whole index in {folder}.", folder=folder.name) from error

    def __len__(self) -> int:
        return len(self.token_N)

    def find(self, ids: Sequence[int]) -> Slice:
        ends = np.array([one.find(ids) for one in self.shards]).reshape(-1, 2)
        return Slice(ends[:, 0], ends[:, 1], len(ids))

    def longest(self, ids: Sequence[int]) -> Slice:
        """Of the longest run that ends in the last id and occurs; the empty one, where the last id does not."""
        best, most, run = self.find([]), min(len(ids), FARTHEST), 1
        while run <= most and (found := self.find(ids[len(ids) - run :])).count:
            best, run = found, 2 * run
        low, high = best.run, min(most, run - 1)
        while low < high:
            middle = (low + high + 1) // 2
            found = self.find(ids[len(ids) - middle :])
            if found.count:
                best, low = found, middle
            else:
                high = middle - 1
        return best

    def following(self, of: Slice, most: int = LISTED) -> tuple[np.ndarray, np.ndarray]:
        """Ids (W,) of what followed a run most often, and how often each did; of a slice wider than SAMPLE, of the
        words behind SAMPLE of its places, each counted to the end."""
        seen = [
            self._behind(
                n,
                np.unique(np.linspace(a, b - 1, min(b - a, SAMPLE)).round().astype(np.int64)),
                of.run,
            )
            for n, (a, b) in enumerate(zip(of.low_S, of.high_S, strict=True))
            if b > a
        ]
        if not seen:
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        id_W, count_W = np.unique(np.concatenate(seen), return_counts=True)
        if of.count > SAMPLE:
            some = np.argsort(-count_W, kind="stable")[: 4 * most]
            id_W = id_W[some]
            count_W = np.sum([self._narrow(n, of, id_W) for n in range(len(self.shards))], 0)
        order = np.lexsort((id_W, -count_W))[:most]
        return id_W[order].astype(np.int64), np.asarray(count_W)[order]

    def count_behind(self, of: Slice, id: int) -> int:
        """How often this id followed the run."""
        return int(sum(self._narrow(n, of, np.array([id]))[0] for n in range(len(self.shards))))

    def _narrow(self, n: int, of: Slice, id_W: np.ndarray) -> np.ndarray:
        low_W, high_W = np.full(len(id_W), of.low_S[n]), np.full(len(id_W), of.high_S[n])
        low_W, high_W = self.shards[n].narrow(low_W, high_W, of.run, id_W)
        return np.asarray(high_W - low_W)

    def _behind(self, n: int, at: np.ndarray, run: int) -> np.ndarray:
        shard = self.shards[n]
        place = np.asarray(shard.start_N[at], np.int64) + run
        return np.asarray(shard.stream_N[place[place < len(shard)]])

    def places(self, of: Slice, most: int) -> np.ndarray:
        """Where the run begins, at most so many times, spread over all."""
        found = [
            self.begin_S[n]
            + np.asarray(
                self.shards[n].start_N[np.unique(np.linspace(a, b - 1, most).astype(int))], np.int64
            )
            for n, (a, b) in enumerate(zip(of.low_S, of.high_S, strict=True))
            if b > a
        ]
        return (
            np.sort(np.concatenate(found))[:: max(1, len(found))][:most]
            if found
            else np.zeros(0, np.int64)
        )

    def line(self, place: int, around: int = 40) -> tuple[int, int]:
        """From where to where the line of a place goes, at most so many tokens on each side."""
        a, b = max(0, place - around), min(len(self), place + around)
        marks = np.flatnonzero(np.asarray(self.token_N[a:b]) == self.boundary) + a
        before, behind = marks[marks < place], marks[marks > place]
        return int(before[-1]) + 1 if len(before) else a, int(behind[0]) if len(behind) else b
