"""Files of word vectors: word2vec text and binary, GloVe text, fastText .vec and .bin; read with
bounds, written as they were.

What      text: a word and D numbers a line, under a line "V D" (word2vec, fastText .vec) or under
          none (GloVe);
          binary: a line "V D", then for each word its bytes, a blank, and D float32 numbers
Source    Mikolov's word2vec (2013), Pennington's GloVe (2014), facebookresearch/fastText (2016):
          what their programs write
Shapes    V = words, D = dimensions, B = buckets of n-grams
Differs   At most `most` words are read, the first ones, which are the commonest where the file is
          sorted; a file packed with gzip is read as it is.  Words with blanks, words twice and rows
          that are not finite are left out and counted.
          fastText .bin is read by gensim.
"""

from __future__ import annotations

import gzip
import io
import mmap
import os
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np

from engine.storage.files import writing
from engine.vectors.base import Vectors
from engine.vectors.grams import Grams

MOST, MOST_WORDS, MOST_WIDTH, MOST_NUMBERS = 100_000, 1_000_000, 4096, 200_000_000
LONGEST_LINE, LONGEST_WORD, LARGEST = 200_000, 1_000, 1e15
MOST_LEFT = 200_000  # rows or empty lines; a packed file of a few kilobytes can have a billion
AHEAD = 1 << 20  # bytes read at once
FASTTEXT = (793712314).to_bytes(4, "little")
# of a fastText .bin: behind two numbers and the settings stand the number of words and four more
WORD_COUNT, WORDS_AT, COUNT_AND_KIND = slice(64, 68), 92, 9
MARKS = ("<unk>", "<s>", "</s>")  # a model of ours has its own
Row = tuple[bytes, np.ndarray]


@dataclass(frozen=True, eq=False)
class Loaded:
    """`format` in words, `notes` a sentence for each thing that was left out, `grams` where the
    file has n-grams."""

    space: Vectors
    format: str
    notes: tuple[str, ...] = ()
    grams: Grams | None = None


def load(path: str | Path, most: int = MOST) -> Loaded:
    """Any of the formats, told by what is in the file.  ValueError with one sentence where it is
    none of them."""
    path = Path(path)
    if not path.is_file():
        raise ValueError(f"there is no file {path}")
    try:
        with io.BufferedReader(path.open("rb", buffering=0), AHEAD) as file:
            start = file.peek(4)
            if start[:4] == FASTTEXT:
                return _fasttext(path, most)
            if start[:2] != b"\x1f\x8b":
                return _table(file, most)
            with gzip.open(file) as packed, io.BufferedReader(packed, AHEAD) as plain:
                return _table(plain, most)
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError(
            f"{path.name} can't be read: {str(error) or 'it ends too early'}"
        ) from error


def _table(file: io.BufferedReader[Any], most: int) -> Loaded:
    first = file.readline(LONGEST_LINE)
    head = first.split()
    if not head:
        raise ValueError("the file is empty, or its first line is; give a file of word vectors")
    if len(head) == 2 and all(part.isdigit() for part in head):
        promised, width = (int(part[:20]) for part in head)
        _check(promised, width)
        start = file.peek(LONGEST_LINE)
        text = _is_row(start.split(b"\n", 1)[0], width)
        rows = _lines(file, width) if text else _binary(file, width)
        return _collect(rows, width, most, f"word2vec {'text' if text else 'binary'}", promised)
    width = len(head) - 1
    if width < 2 or not _is_row(first, width):
        raise ValueError(
            "this is no file of word vectors: a word and its numbers a line, or a first line with"
            " the counts of words and numbers"
        )
    _check(1, width)
    return _collect(_lines(file, width, first), width, most, "GloVe text", None)


def _check(words: int, width: int) -> None:
    if not 1 <= width <= MOST_WIDTH or words < 1:
        raise ValueError(
            f"the file says {words:,} words of {width:,} numbers each; there have to be words, of 1"
            f" to {MOST_WIDTH:,} numbers"
        )


def _is_row(line: bytes, width: int) -> bool:
    parts = line.split()
    try:
        return len(parts) > width and bool(
            np.isfinite([float(part) for part in parts[-width:]]).all()
        )
    except ValueError:
        return False


def _lines(file: IO[bytes], width: int, first: bytes = b"") -> Iterator[Row]:
    number, blank = 0 if first else 1, 0
    while line := first or file.readline(LONGEST_LINE):
        first = b""
        number += 1
        parts = line.replace(b"\t", b" ").rstrip().rsplit(b" ", width)
        if len(parts) == 1 and not parts[0]:
            blank += 1
            if blank > MOST_LEFT:
                raise ValueError(f"more than {MOST_LEFT:,} of its lines are empty; take a new copy")
            continue
        try:
            with np.errstate(over="ignore"):  # too large for float32: such a row is left out
                vector_D = (
                    np.array([float(part) for part in parts[1:]]).astype(np.float32).reshape(width)
                )
        except ValueError:
            raise ValueError(
                f"line {number:,} is not a word and {width:,} numbers:"
                f" {line[:60].decode('utf-8', 'replace')!r}"
            ) from None
        yield parts[0], vector_D


def _binary(file: IO[bytes], width: int) -> Iterator[Row]:
    while word := _word(file):
        numbers = file.read(4 * width)
        if len(numbers) < 4 * width:
            raise ValueError(
                "the file ends in the middle of the numbers of"
                f" {word[:40].decode('utf-8', 'replace')!r}; it is cut short, or no file of word"
                " vectors"
            )
        yield word, np.frombuffer(numbers, "<f4")


def _word(file: IO[bytes]) -> bytes:
    found = bytearray()
    for _ in range(LONGEST_WORD + 2):  # with a line's end before it and the blank behind it
        if (byte := file.read(1)) in (b" ", b""):
            return bytes(found)
        if byte != b"\n" or found:
            found += byte
    raise ValueError(
        "the bytes after the first line are neither text nor words with numbers: this is no"
        " file of word vectors"
    )


def _collect(
    rows: Iterable[Row], width: int, most: int, format: str, promised: int | None
) -> Loaded:
    """The first words of a file, each once."""
    most = max(1, min(most, MOST_WORDS, MOST_NUMBERS // width))
    kept: dict[str, np.ndarray] = {}
    left: Counter[str] = Counter()
    more = False
    for n, (raw, vector_D) in enumerate(rows):
        if len(kept) == most or (promised is not None and n >= promised):
            more = len(kept) == most
            break
        word = raw.decode("utf-8", "replace")
        if why := _unusable(word, vector_D, kept):
            left[why] += 1
            if left.total() > MOST_LEFT:
                raise ValueError(
                    f"more than {MOST_LEFT:,} of its rows can't be used, most of them:"
                    f" {left.most_common(1)[0][0]}; take a new copy"
                )
        else:
            kept[word] = vector_D
    if not kept:
        raise ValueError("there is no usable word vector in the file")
    notes = [f"{count:,} left out: {why}" for why, count in left.items()]
    if more and (promised is None or promised > most):
        notes.append(f"the first {most:,} words{f' of {promised:,}' if promised else ''} were read")
    elif promised is not None and len(kept) + left.total() < promised:
        notes.append(f"the file promises {promised:,} words and has {len(kept) + left.total():,}")
    return Loaded(Vectors(tuple(kept), np.stack(list(kept.values()))), format, tuple(notes))


def _unusable(word: str, vector_D: np.ndarray, kept: dict[str, np.ndarray]) -> str:
    if not word or any(c.isspace() for c in word):
        return "words that are empty or have blanks in them"
    if word in MARKS:
        return "marks like </s>, which are no words"
    if word in kept:
        return "words that stand there twice"
    return (
        ""
        if np.abs(vector_D).max() < LARGEST
        else "rows with numbers that are not finite, or beyond all bounds"
    )


def _fasttext(path: Path, most: int) -> Loaded:
    size, free = (
        path.stat().st_size,
        (
            os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES")
            if hasattr(os, "sysconf")
            else 1 << 40
        ),
    )
    if 2 * size > free:
        raise ValueError(
            f"{path.name} takes about {2 * size / 1e9:,.1f} GB of memory to read and"
            f" {free / 1e9:,.1f} GB are free; its .vec file has the same words"
        )
    from gensim.models.fasttext import load_facebook_vectors

    _check_words(path)
    try:
        made = load_facebook_vectors(str(path))
        rows = (
            (word.encode("utf-8", "replace"), made.vectors[i])
            for i, word in enumerate(made.index_to_key)
        )
        found = _collect(rows, made.vector_size, most, "fastText binary", len(made.index_to_key))
        count_V = np.array(
            [made.get_vecattr(word, "count") for word in found.space.words], np.int64
        )
    except (MemoryError, OSError):
        raise
    except Exception as error:  # gensim says what it does not understand in many ways
        raise ValueError(
            f"{path.name} is a damaged fastText file:"
            f" {str(error).splitlines()[0] if str(error) else 'it ends too early'}"
        ) from error
    space = Vectors(found.space.words, found.space.values, count_V)
    grams = Grams(made.vectors_ngrams, made.min_n, made.max_n) if len(made.vectors_ngrams) else None
    return Loaded(space, found.format, found.notes, grams)


def _check_words(path: Path) -> None:
    """That each word of a fastText .bin has an end; gensim would wait for it for ever."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as raw:
        if len(raw) < WORDS_AT:
            raise ValueError(f"{path.name} is a damaged fastText file: it ends too early")
        at = WORDS_AT
        for _ in range(int.from_bytes(raw[WORD_COUNT], "little", signed=True)):
            end = raw.find(b"\0", at, at + LONGEST_WORD)
            if end < 0:
                raise ValueError(f"{path.name} is a damaged fastText file: a word in it has no end")
            at = end + 1 + COUNT_AND_KIND


def save(path: Path, space: Vectors, format: str) -> None:
    """Write as "word2vec" text (also fastText's .vec), "binary" or "glove".  ValueError for a word
    that the format can't hold."""
    with writing(path) as file:
        file.writelines(written(space, format))


def written(space: Vectors, format: str) -> Iterator[bytes]:
    """The bytes of such a file, word by word."""
    width = space.values.shape[1]
    if bad := next(
        (word for word in space.words if not word or any(c.isspace() for c in word)), None
    ):
        raise ValueError(f"{bad!r} can't be written: a word must not have blanks in it")
    if format != "glove":
        yield f"{len(space)} {width}\n".encode()
    line = " ".join(["%.9g"] * width) + "\n"
    for word, vector_D in zip(space.words, space.values, strict=True):
        numbers = (
            np.asarray(vector_D, "<f4").tobytes() + b"\n"
            if format == "binary"
            else (line % tuple(vector_D)).encode()
        )
        yield word.encode("utf-8", "replace") + b" " + numbers
