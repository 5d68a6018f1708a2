"""Scan: one pass over a text of any length that counts its words, sentences and passages, and one
that counts its characters.

What      words and characters as in engine/text/segmentation.py
          a sentence ends at a run of . ! ? … or 。！？ and the like of other scripts, with closing
          quotes, where white space or the line's end follows; and at a line's end
Shapes    C = characters of a block
Differs   Abbreviations are not known here: "Dr. Smith left." counts as two sentences.  A line
          longer than a block is counted in parts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import accumulate

import numpy as np

from engine.text.paged import Paged
from engine.text.segmentation import MARKS, PIECES, RUNS, WORDS, clusters, is_plain, lines

BLOCK = 1 << 20
LONGEST = 4095
NAMES = ("word", "sentence", "passage")
ENDS, CLOSES, APOSTROPHES = ".!?…。！？।॥؟۔።།။។", "\"'”’)]»」』", "'’"
# signs of numbers and of verses, which take the blank after them into their cluster
PREPENDED = re.compile(
    "[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u0d4e\U000110bd-\U00011fff] "
).search
WORD, SPACE, END, CLOSE, APOSTROPHE = (1 << n for n in range(5))


@dataclass(frozen=True, slots=True)
class Lengths:
    """How long things are.  counts[n]: how many have length n; the last place also counts all that
    are longer."""

    counts: np.ndarray
    total: int  # all lengths together
    longest: int

    @property
    def number(self) -> int:
        return int(self.counts.sum())

    @property
    def mean(self) -> float:
        return self.total / self.number if self.number else 0.0

    @property
    def median(self) -> int:
        """The shortest length that at least half of them do not exceed."""
        return int(np.searchsorted(self.counts.cumsum(), self.number / 2)) if self.number else 0


@dataclass(frozen=True, slots=True)
class Scan:
    """`lengths`: "word" in characters, "sentence" and "passage" in words."""

    lengths: dict[str, Lengths]

    @property
    def words(self) -> int:
        return self.lengths["word"].number

    @property
    def sentences(self) -> int:
        return self.lengths["sentence"].number

    @property
    def passages(self) -> int:
        return self.lengths["passage"].number


def scan(text: str | Paged, tell: Callable[[float], None] = lambda share: None) -> Scan:
    counts, totals, longest = (
        [np.zeros(LONGEST + 1, np.int64) for _ in NAMES],
        [0] * len(NAMES),
        [0] * len(NAMES),
    )
    for stop, block in blocks(text):
        for k, lengths in enumerate(_lengths(block)):
            counts[k] += np.bincount(np.minimum(lengths, LONGEST), minlength=LONGEST + 1)
            totals[k] += int(lengths.sum())
            longest[k] = max(longest[k], int(lengths.max(initial=0)))
        tell(stop / len(text))
    return Scan({name: Lengths(counts[k], totals[k], longest[k]) for k, name in enumerate(NAMES)})


def characters(
    text: str | Paged, tell: Callable[[float], None] = lambda share: None
) -> Counter[str]:
    """How often each character comes up."""
    codes = np.zeros(0x110000, np.int64)
    found: Counter[str] = Counter()
    for stop, block in blocks(text):
        if is_plain(block):
            counted = np.bincount(_codes(block))
            codes[: len(counted)] += counted
        else:
            _count_clusters(block, found)
        tell(stop / len(text))
    seen = np.flatnonzero(codes)
    found.update(dict(zip(map(chr, seen.tolist()), codes[seen].tolist(), strict=True)))
    return found


def _count_clusters(block: str, found: Counter[str]) -> None:
    """Adds them up; a word that comes up again and again is cut once."""
    beginning, *words = [block] if PREPENDED(block) else block.split(" ")
    found.update(clusters(beginning))
    for word, times in Counter(words).items():  # with its blank, on which a mark may stand
        for cluster in clusters(f" {word}"):
            found[cluster] += times


def blocks(text: str | Paged, size: int = BLOCK) -> Iterator[tuple[int, str]]:
    """(where it ends, the next block of whole lines); of a line longer than twice `size`, a part up
    to a space where there is one."""
    at = 0
    while at < len(text):
        some = text[at : at + 3 * size]
        stop = len(some) if len(some) <= size else some.find("\n", size, 2 * size) + 1
        stop = stop or some.find(" ", 2 * size) + 1 or len(some)
        at += stop
        yield at, some[:stop]


def _codes(block: str) -> np.ndarray:
    return np.frombuffer(block.encode("utf-32-le", "replace"), np.uint32)


def _lengths(block: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Lengths of the words in characters, of the sentences and of the lines in words; lines that
    are blank are left out."""
    code_C = _codes(block)
    kind_C = _kinds(1 << int(code_C.max()).bit_length())[code_C]
    first_W, word_W = _words(block, kind_C)

    line_ends = np.flatnonzero(code_C == 10)
    if not len(line_ends) or line_ends[-1] != len(code_C) - 1:
        line_ends = np.append(line_ends, len(code_C))
    ink = np.concatenate(([0], np.cumsum((kind_C & SPACE) == 0)))  # signs before each place

    def words_between(stops: np.ndarray) -> np.ndarray:
        """Words in each stretch that ends at one of `stops` and has any sign in it."""
        some = np.diff(ink[stops], prepend=0) > 0
        counts: np.ndarray = np.diff(np.searchsorted(first_W, stops), prepend=0)[some]
        return counts

    stop_C = np.zeros(len(code_C) + 1, bool)
    stop_C[_ends(kind_C)] = stop_C[line_ends] = True
    return word_W, words_between(np.flatnonzero(stop_C)), words_between(line_ends)


def _words(block: str, kind_C: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where each word begins, and how many characters it has."""
    word_C = (kind_C & WORD) > 0
    inner = np.flatnonzero(kind_C[1:-1] & APOSTROPHE) + 1
    word_C[inner[word_C[inner - 1] & word_C[inner + 1]]] = True
    odd = [] if is_plain(block) else [s for s in lines(block) if not is_plain(block[slice(*s)])]
    for start, stop in odd:  # there a run of letters is not always a word
        word_C[start:stop] = False
    edge = np.flatnonzero(np.diff(word_C, prepend=False, append=False))
    first_W, word_W = edge[::2], edge[1::2] - edge[::2]
    if odd:
        places, sizes = [first_W], [word_W]
        known = _Sizes()
        for start, stop in odd:
            pieces, number, size = _pieces(block[start:stop], known)
            place_P = np.fromiter(accumulate(map(len, pieces[:-1]), initial=start), np.int64)
            places.append(place_P.repeat(number))
            sizes.append(np.array(size, np.int64).repeat(number))
        first_W = np.concatenate(places)
        order = first_W.argsort(kind="stable")
        first_W, word_W = first_W[order], np.concatenate(sizes)[order]
    return first_W, word_W


def _pieces(line: str, known: _Sizes) -> tuple[list[str], list[int], list[int]]:
    """A line in pieces: how many words each is, and how many characters one of them has."""
    pieces: list[str] = []
    number: list[int] = []
    size: list[int] = []
    for n, part in enumerate(RUNS.split(line)):
        found = [part] if n % 2 else PIECES.findall(part)
        pieces += found
        if n % 2:
            number.append(len(part) - len(MARKS.findall(part)))
            size.append(1)
        else:
            sizes = [known[piece] for piece in found]
            number += map(bool, sizes)
            size += sizes
    return pieces, number, size


class _Sizes(dict[str, int]):
    """How many characters each word has; none where it is no word."""

    def __missing__(self, piece: str) -> int:
        self[piece] = size = len(clusters(piece)) if WORDS.findall(piece) else 0
        return size


def _ends(kind_C: np.ndarray) -> np.ndarray:
    """The places behind the sentences that end inside a line."""
    end_C = (kind_C & END) > 0
    at = np.flatnonzero(end_C & ~np.append(end_C[1:], False)) + 1
    for _ in range(3):  # closing quotes and brackets
        inside = at < len(kind_C)
        at[inside] += (kind_C[at[inside]] & CLOSE) > 0
    inside = at < len(kind_C)
    found: np.ndarray = at[inside][(kind_C[at[inside]] & SPACE) > 0]
    return found


@cache
def _kinds(size: int) -> np.ndarray:
    """What each code point below `size` is, as bits."""
    table = np.zeros(size, np.uint8)
    for code in range(min(size, 0x110000)):
        char = chr(code)
        if char.isalnum():
            table[code] = WORD
        elif char.isspace():
            table[code] = SPACE
    for bit, chars in ((END, ENDS), (CLOSE, CLOSES), (APOSTROPHE, APOSTROPHES)):
        table[[ord(c) for c in chars if ord(c) < size]] |= bit
    return table
