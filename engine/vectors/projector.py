"""Projector: the words of a table of numbers, in a file of their own.

What      a line of metadata.tsv for each line of tensors.tsv; with more than one column the first
          line has their names
Source    TensorFlow's Embedding Projector; gensim's word2vec2tensor; TensorFlow's tutorials call the
          two vectors.tsv and metadata.tsv, or vecs.tsv and meta.tsv
Differs   Of several columns the one that is called word or label counts, else the first.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import PurePath
from typing import IO

METADATA = re.compile(r".*meta(?:data)?\.tsv", re.IGNORECASE)
TENSORS = re.compile(r"tensors?|vec(?:tor)?s?", re.IGNORECASE)
LONGEST, KEPT = 100_000, 4_100  # bytes of a line, and of a word: more than any vector's has
WORD = (b"word", b"label", b"token", b"name")


def find_words_file(name: str, names: Iterable[str]) -> str | None:
    """Which of the files in its folder has the words of a file; None where none has."""
    own = PurePath(name)
    last = [*TENSORS.finditer(own.name)][-1:]
    there = {other.lower(): other for other in names if METADATA.fullmatch(other)}
    for of in ("metadata", "meta"):
        turned = [own.name[: found.start()] + of + own.name[found.end() :] for found in last]
        for wanted in (*turned, f"{own.stem}_{of}.tsv", f"{of}.tsv"):
            if wanted.lower() in there:
                return there[wanted.lower()]
    return None


def words(file: IO[bytes], most: int) -> list[bytes]:
    """No more than `most`."""
    lines = _lines(file)
    first = next(lines, b"")
    names = [name.strip().lower() for name in first.split(b"\t")]
    if len(names) == 1:
        return [first[:KEPT], *(line[:KEPT] for line in islice(lines, most - 1))]
    at = next((names.index(word) for word in WORD if word in names), 0)
    return [(line.split(b"\t") + [b""] * at)[at][:KEPT] for line in islice(lines, most)]


def _lines(file: IO[bytes]) -> Iterator[bytes]:
    start = True
    while line := file.readline(LONGEST):
        yield line.removeprefix(codecs.BOM_UTF8 if start else b"").rstrip(b"\r\n")
        start = False
