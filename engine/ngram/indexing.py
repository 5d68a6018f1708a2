"""Indexing: a text of any size, line after line, cut into words and made an index on the disk.

    <folder>/tokenizer        what the ids stand for, besides what index.py keeps

What      each word gets the next number where it first comes; when all have been counted, the commonest get the ids
          that they keep, and the numbers on the disk are exchanged for them: the text is cut once
Differs   The rest of the words is one word, the unknown: with 65,536 ids a token takes 2 bytes.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from engine.ngram import index
from engine.ngram.index import Index
from engine.storage.files import disk_errors, write_bytes
from engine.text.tokenizers.words import Words

TOKENIZER, NUMBERED = "tokenizer", "numbered"
USUAL = 1 << 16  # ids
BLOCK = 1 << 20  # tokens that are written at once


def build(
    lines: Iterable[str], folder: Path, size: int = USUAL, lowercase: bool = False, shard: int = 0
) -> Iterator[tuple[str, int, int]]:
    """Yields ("cut", tokens, 0), then as index.build.  ValueError as there."""
    seen: defaultdict[str, int] = defaultdict()
    seen.default_factory = seen.__len__
    count_V = np.zeros(0, np.int64)
    numbered, total = folder / NUMBERED, 0
    with disk_errors("the index"):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / index.ABOUT).unlink(missing_ok=True)
        try:
            with numbered.open("wb") as file:
                for part_N in _blocks(lines, seen, lowercase):
                    count_V = _added(count_V, part_N, len(seen))
                    part_N.tofile(file)
                    total += len(part_N)
                    yield "cut", total, 0
            counts = Counter(dict(zip(seen, count_V.tolist(), strict=True)))
            made = Words(Words._chosen(counts, size), lowercase)
            write_bytes(folder / TOKENIZER, made.state())
            known_V = np.array([made._id.get(word, made.unknown) for word in seen], np.uint32)
            yield from index.build(
                (known_V[part_N] for part_N in _read(numbered)),
                len(made.vocab),
                made.boundary,
                folder,
                shard,
            )
        finally:
            numbered.unlink(missing_ok=True)


def _blocks(
    lines: Iterable[str], seen: defaultdict[str, int], lowercase: bool
) -> Iterator[np.ndarray]:
    cuts = (Words.rule.findall(line.lower() if lowercase else line) for line in lines)
    words: list[str] = []
    for cut in cuts:
        words += cut
        words.append("\n")
        if len(words) >= BLOCK:
            yield np.fromiter(map(seen.__getitem__, words), np.uint32, len(words))
            words = []
    if words:
        yield np.fromiter(map(seen.__getitem__, words), np.uint32, len(words))


def _added(count_V: np.ndarray, part_N: np.ndarray, size: int) -> np.ndarray:
    found_V = np.bincount(part_N, minlength=size)
    found_V[: len(count_V)] += count_V
    return found_V


def _read(path: Path) -> Iterator[np.ndarray]:
    with path.open("rb") as file:
        while len(part_N := np.fromfile(file, np.uint32, BLOCK)):
            yield part_N


def opened(folder: Path) -> tuple[Index, Words]:
    """ValueError, a sentence for the reader, where the folder holds no whole index."""
    of = Index(folder)
    return of, Words.from_state((folder / TOKENIZER).read_bytes())
