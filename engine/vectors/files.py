"""Files of word vectors: word2vec text and binary, GloVe text, fastText .vec and .bin, tables of
commas, semicolons or tabs, those of the Embedding Projector; read with bounds, written as they
were.

What      text: a word and D numbers a line, under a line "V D" (word2vec, fastText .vec) or under
          none (GloVe), as dialect.py tells them;
          binary: a line "V D", then for each word its bytes, a blank, and D float32 numbers
Source    Mikolov's word2vec (2013), Pennington's GloVe (2014), facebookresearch/fastText (2016):
          what their programs write
Shapes    V = words, D = dimensions, B = buckets of n-grams
Differs   At most `most` words are read, the first ones, which are the commonest where the file is
          sorted; a packed file is read as it is, of a zip one of its files.  Words twice and rows
          that are not finite are left out and counted.  Bytes that are no UTF-8 become \\xe9, as
          gensim has them, which keeps words apart that differ in them.
          fastText .bin is read by gensim.  Blanks in a word are written as _, as word2vec has them
          in phrases.
"""

from __future__ import annotations

import codecs
import io
import mmap
import os
import sys
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain, count, islice
from pathlib import Path, PurePosixPath
from typing import IO, Any

import numpy as np

from engine.language.message import _, refusal
from engine.storage.files import writing
from engine.storage.packed import open_file
from engine.text.documents.base import TooMuch
from engine.vectors import binary, projector
from engine.vectors.base import Vectors
from engine.vectors.binary import LARGEST, LONGEST_WORD
from engine.vectors.dialect import SAMPLE, Dialect, detect_dialect
from engine.vectors.grams import Grams
from engine.vectors.zipped import ZIP, Zipped, chosen

MOST, MOST_WORDS, MOST_WIDTH, MOST_NUMBERS = 100_000, 1_000_000, 4096, 150_000_000
LONGEST_LINE = 200_000
MOST_LEFT = 200_000  # rows or empty lines; a packed file of a few kilobytes can have a billion
FASTTEXT = (793712314).to_bytes(4, "little")
# of a fastText .bin: behind two numbers and the settings stand the number of words and four more
WORD_COUNT, WORDS_AT, COUNT_AND_KIND = slice(64, 68), 92, 9
MARKS = ("<unk>", "<s>", "</s>")  # a model of ours has its own, before all words
BREAKS = frozenset("\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029")
BEHIND = "lines behind the words that the file promises"
Row = tuple[bytes, np.ndarray]


@dataclass(frozen=True, eq=False)
class Loaded:
    """`table`: the vectors behind a row of zeros for each mark that a model has, so that no copy is
    made of so many numbers; `format` in words, `notes` a sentence for each thing that was left out,
    `grams` where the file has n-grams."""

    space: Vectors
    table: np.ndarray
    format: str
    notes: tuple[str, ...] = ()
    grams: Grams | None = None


def load(path: str | Path, most: int = MOST) -> Loaded:
    """Any of the formats, told by what is in the file.  ValueError with one sentence where it is
    none of them."""
    path = Path(path)
    if not path.is_file():
        raise refusal("there is no file {path}")
    with open_file(path) as file:
        start = file.peek(4)[:4]
        if start == FASTTEXT:
            return _fasttext(path, most)
        if start == ZIP:
            return _zipped(path, most)
        there = [other.name for other in path.parent.iterdir()] if path.suffix else []
        words = None
        if (name := projector.find_words_file(path.name, there)) is not None:
            with open_file(path.with_name(name)) as list_of_words:
                words = projector.words(list_of_words, most + 1)
        return _table(file, most, Words(path.name, name or "", words))


def _zipped(path: Path, most: int) -> Loaded:
    archive = Zipped(path)
    try:
        names = archive.names()
        name = chosen(names, projector.METADATA)
        folder, bare = PurePosixPath(name).parent, PurePosixPath(name).name
        there = [
            PurePosixPath(other).name for other in names if PurePosixPath(other).parent == folder
        ]
        words = None
        if (other := projector.find_words_file(bare, there)) is not None:
            with archive.opened(str(folder / other)) as list_of_words:
                words = projector.words(list_of_words, most + 1)
        with archive.opened(name) as file:
            if file.peek(4)[:4] == ZIP:
                raise refusal("{name} in it is a zip too; unpack it first")
            if file.peek(4)[:4] == FASTTEXT:
                raise refusal("{name} in it is a fastText .bin; unpack it first")
            found = _table(file, most, Words(bare, other or "", words))
    except TooMuch as error:
        raise ValueError(str(error)) from error
    finally:
        archive.close()
    rest = [other for other in names if other != name and not projector.METADATA.fullmatch(other)]
    note = _(
        "of the {rest} files in the zip, {name} was read; to read another, unpack it",
        rest=len(rest) + 1,
        name=name,
    )
    return replace(found, notes=(note,) * bool(rest) + found.notes)


@dataclass(frozen=True, slots=True)
class Words:
    """The words of rows of numbers, where a file beside theirs has them: `own` is the name of the
    file with the numbers, `name` of that with the words."""

    own: str
    name: str
    found: list[bytes] | None

    @property
    def alone(self) -> bool:
        """Whether the rows have numbers only, whatever these look like."""
        return self.found is not None and self.own.lower().endswith(".tsv")

    def rows(self, rows: Iterable[Row]) -> Iterator[Row]:
        """The rows with their words; without any, with their numbers."""
        if self.found is None:
            for n, (__, vector_D) in enumerate(rows, 1):
                yield b"%d" % n, vector_D
            return
        total = 0
        for total, (__, vector_D) in enumerate(rows, 1):
            if total > len(self.found):
                break
            yield self.found[total - 1], vector_D
        if total > len(self.found):
            raise refusal(
                "{self.name} has {found:,} lines, and {self.own} has more rows; they do not belong"
                " together",
                found=len(self.found),
            )
        if total < len(self.found):
            raise refusal(
                "{self.name} has {found:,} lines, and {self.own} has {total:,} rows; they do not"
                " belong together",
                found=len(self.found),
            )


def _table(file: io.BufferedReader[Any], most: int, names: Words) -> Loaded:
    first = file.readline(LONGEST_LINE)
    if first.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise ValueError("the file is written in UTF-16; save it as UTF-8")
    first = first.removeprefix(codecs.BOM_UTF8)
    head = first.split()
    if not head:
        raise ValueError("the file is empty, or its first line is; give a file of word vectors")
    left: Counter[str] = Counter()
    if len(head) == 2 and all(part.isdigit() for part in head):
        promised, width = (int(part[:20]) for part in head)
        _check(promised, width)
        start, dialect = file.readline(LONGEST_LINE), Dialect(None, width)
        if _is_row(dialect, start, finite=False):
            rows = _lines(file, dialect, [start], 2, promised, left)
            return _collect(rows, width, most, "word2vec text", left, promised)
        rows = islice(binary.read_rows(file, width, start), min(promised, sys.maxsize))
        return _collect(rows, width, most, "word2vec binary", left, promised)
    lines = [first]
    while len(lines) < SAMPLE and sum(map(len, lines)) < LONGEST_LINE:
        if not (line := file.readline(LONGEST_LINE)):
            break
        lines.append(line)
    found = detect_dialect([line for line in lines if line.strip()], names.alone)
    if found is None or not any(_is_row(found, line) for line in lines[found.heading : 2]):
        raise ValueError(
            "this is no file of word vectors: a word and its numbers a line, or a first line with"
            " the counts of words and numbers"
        )
    _check(1, found.width)
    rows = _lines(file, found, lines[found.heading :], 1 + found.heading, 0, left)
    if found.words:
        format = "GloVe text" if found.separator is None and not found.heading else "table"
        return _collect(rows, found.width, most, format, left, None)
    loaded = _collect(names.rows(rows), found.width, most, "table without words", left, None)
    note = (
        _("the words are those of {name}", name=names.name)
        if names.found is not None
        else _(
            "the rows have no words and are called by their numbers, 1 to {space:,}; put"
            " the words, one a line, into a file metadata.tsv beside it",
            space=len(loaded.space),
        )
    )
    return replace(loaded, notes=(note, *loaded.notes))


def _check(words: int, width: int) -> None:
    if not 1 <= width <= MOST_WIDTH or words < 1:
        raise refusal(
            "the file says {words:,} words of {width:,} numbers each; there have to be words, of 1"
            " to {MOST_WIDTH:,} numbers"
        )


def _is_row(dialect: Dialect, line: bytes, finite: bool = True) -> bool:
    try:
        return bool(np.isfinite(dialect.row(line)[1]).all()) or not finite
    except ValueError:
        return False


def _lines(
    file: IO[bytes],
    dialect: Dialect,
    read: list[bytes],
    number: int,
    promised: int,
    left: Counter[str],
) -> Iterator[Row]:
    """The rows of a text, the first lines of which were `read`; the first of them is line
    `number`."""
    blank = done = 0
    rest = iter(lambda: file.readline(LONGEST_LINE), b"")
    for at, line in zip(count(number), chain(read, rest), strict=False):
        if not line.strip():
            blank += 1
            if blank > MOST_LEFT:
                raise refusal("more than {MOST_LEFT:,} of its lines are empty; take a new copy")
            continue
        try:
            row = dialect.row(line)
        except ValueError:
            if 0 < promised <= done:
                left[BEHIND] += 1
                return
            shown = repr(line[:60].decode("utf-8", "replace"))
            raise ValueError(
                _(
                    "line {at:,} is not a word and {width:,} numbers: {shown}",
                    at=at,
                    width=dialect.width,
                    shown=shown,
                )
                if dialect.words
                else _(
                    "line {at:,} is not {width:,} numbers: {shown}",
                    at=at,
                    width=dialect.width,
                    shown=shown,
                )
            ) from None
        done += 1
        yield row


def _collect(
    rows: Iterable[Row],
    width: int,
    most: int,
    format: str,
    left: Counter[str],
    promised: int | None,
) -> Loaded:
    """The first words of a file, each once.  `left`: how many rows are left out, by the reason."""
    most = max(1, min(most, MOST_WORDS, MOST_NUMBERS // width))
    kept: dict[str, None] = {}
    # grows in place: rows apart, and then together, would take it all twice
    numbers = array("f", bytes(4 * width * len(MARKS)))
    total, odd, more = 0, 0, False
    for total, (raw, vector_D) in enumerate(rows, 1):
        if len(kept) == most:
            more, total = True, total - 1
            break
        word = raw.decode("utf-8", "backslashreplace")
        if why := _unusable(word, vector_D, kept):
            left[why] += 1
            if left.total() > MOST_LEFT:
                raise refusal(
                    "more than {MOST_LEFT:,} of its rows can't be used, most of them: {value};"
                    " take a new copy",
                    value=_(left.most_common(1)[0][0]),
                )
        else:
            kept[word] = None
            numbers.frombytes(vector_D.tobytes())
            odd += "\\x" in word and not _is_text(raw)
    if not kept:
        raise ValueError("there is no usable word vector in the file")
    notes = [_("{count:,} left out: {why}", count=count, why=why) for why, count in left.items()]
    if odd:
        notes.append(
            _("in {odd:,} of the words there are bytes that are no UTF-8, shown as \\xe9", odd=odd)
        )
    if more:
        whole = _(" of {promised:,}", promised=promised) if promised and promised > most else ""
        notes.append(_("the first {most:,} words{whole} were read", most=most, whole=whole))
    elif promised is not None and total != promised:
        notes.append(
            _(
                "the file promises {promised:,} words and has {total:,}",
                promised=promised,
                total=total,
            )
        )
    table = np.frombuffer(numbers, np.float32).reshape(-1, width)
    return Loaded(Vectors(tuple(kept), table[len(MARKS) :]), table, format, tuple(notes))


def _is_text(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


def _unusable(word: str, vector_D: np.ndarray, kept: Mapping[str, None]) -> str:
    if not word.strip() or not BREAKS.isdisjoint(word):
        return "words that are empty, blank or hold a line break"
    if len(word) > LONGEST_WORD:
        return _("words of more than {longest:,} characters", longest=LONGEST_WORD)
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
        raise refusal(
            "{path.name} takes about {size:,.1f} GB of memory to read and {free:,.1f} GB are free;"
            " its .vec file has the same words",
            size=2 * size / 1000000000.0,
            free=free / 1000000000.0,
        )
    from gensim.models.fasttext import load_facebook_vectors

    _check_words(path)
    try:
        made = load_facebook_vectors(str(path))
        rows = (
            (word.encode("utf-8", "replace"), made.vectors[i])
            for i, word in enumerate(made.index_to_key)
        )
        total, left = len(made.index_to_key), Counter[str]()
        found = _collect(rows, made.vector_size, most, "fastText binary", left, total)
        count_V = np.array(
            [made.get_vecattr(word, "count") for word in found.space.words], np.int64
        )
    except (MemoryError, OSError):
        raise
    except Exception as error:  # gensim says what it does not understand in many ways
        raise refusal(
            "{path.name} is a damaged fastText file: {splitlines}",
            splitlines=str(error).splitlines()[0] if str(error) else _("it ends too early"),
        ) from error
    space = Vectors(found.space.words, found.space.values, count_V)
    grams = Grams(made.vectors_ngrams, made.min_n, made.max_n) if len(made.vectors_ngrams) else None
    return replace(found, space=space, grams=grams)


def _check_words(path: Path) -> None:
    """That each word of a fastText .bin has an end; gensim would wait for it for ever."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as raw:
        if len(raw) < WORDS_AT:
            raise refusal("{path.name} is a damaged fastText file: it ends too early")
        at = WORDS_AT
        for __ in range(int.from_bytes(raw[WORD_COUNT], "little", signed=True)):
            end = raw.find(b"\0", at, at + LONGEST_WORD)
            if end < 0:
                raise refusal("{path.name} is a damaged fastText file: a word in it has no end")
            at = end + 1 + COUNT_AND_KIND


def save(path: Path, space: Vectors, format: str) -> None:
    """Write as "word2vec" text (also fastText's .vec), "binary" or "glove".  ValueError where there
    is no word that can be written."""
    with writing(path) as file:
        file.writelines(written(space, format))


def written(space: Vectors, format: str) -> Iterator[bytes]:
    """The bytes of such a file, word by word; of words that are written alike the first one."""
    width, names = space.values.shape[1], dict[str, int]()
    for i, word in enumerate(space.words):
        if name := "_".join(word.split()):
            names.setdefault(name, i)
    if not names:
        raise ValueError("there is no word that can be written")
    if format != "glove":
        yield f"{len(names)} {width}\n".encode()
    line = " ".join(["%.9g"] * width) + "\n"
    for word, i in names.items():
        vector_D = space.values[i]
        numbers = (
            np.asarray(vector_D, "<f4").tobytes() + b"\n"
            if format == "binary"
            else (line % tuple(vector_D)).encode()
        )
        yield word.encode("utf-8", "replace") + b" " + numbers
