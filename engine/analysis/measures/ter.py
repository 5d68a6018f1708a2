"""TER: how many changes make a translation the right one, where moving a run of words is one change.

What      shifts + (replaced, left out, put in) / mean length of the references, times 100.  As long as some shift
          lowers the edit distance the one that lowers it most is taken: of a run that stands in both texts, is
          wrong where it is, and goes where the reference has it
Source    Snover et al., A Study of Translation Edit Rate with Targeted Human Annotation, 2006; as in sacrebleu, after
          Tercom: runs of at most 10 words, at most 50 places away, at most 1,000 tried; the edit distance within 25
          places of the diagonal (case:lc|tok:tercom|norm:no|punct:yes|asian:no)
Differs   Where the whole table lies near enough to the diagonal the distance is rapidfuzz's, which is the same number.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from rapidfuzz.distance import Levenshtein

from engine.analysis.measures.base import Measure

SIZE, FAR, BEAM, TRIED = 10, 50, 25, 1000
INFINITE = 10**16
NORMAL = (
    (re.compile(r"\n-"), ""),
    (re.compile(r"\n"), " "),
    (re.compile(r"&quot;"), '"'),
    (re.compile(r"&amp;"), "&"),
    (re.compile(r"&lt;"), "<"),
    (re.compile(r"&gt;"), ">"),
)
CUTS = (
    (re.compile(r"([{-~[-` -&(-+:-@/])"), r" \1 "),
    (re.compile(r"'s "), r" 's "),
    (re.compile(r"'s$"), r" 's"),
    (re.compile(r"([^0-9])([\.,])"), r"\1 \2 "),
    (re.compile(r"([\.,])([^0-9])"), r" \1 \2"),
    (re.compile(r"([0-9])(-)"), r"\1 \2 "),
)
SIGNS = re.compile(r"[\.,\?:;!\"\(\)]")


@dataclass(frozen=True)
class Shift:
    """`words` stood at `start` and go before what stood at `target`; both as it was before this shift."""

    words: tuple[str, ...]
    start: int
    target: int


@dataclass(frozen=True)
class Edits:
    """`order`: which word said stands at each place after all shifts; `trace`: then, from left to right, " " a word
    that stays, "s" one that is replaced, "d" one too many, "i" one that lacks."""

    shifts: tuple[Shift, ...]
    order: tuple[int, ...]
    trace: str
    right: int

    @property
    def count(self) -> int:
        return len(self.shifts) + len(self.trace) - self.trace.count(" ")


def words(line: str, normal: bool = False, signs: bool = True, case: bool = False) -> list[str]:
    """`normal`: signs are cut from words; `signs`: punctuation stays; `case`: so do capitals."""
    line = line.rstrip()
    if not case:
        line = line.lower()
    if normal and line:
        for pattern, put in NORMAL:
            line = pattern.sub(put, line)
        line = f" {line} "
        for pattern, put in CUTS:
            line = pattern.sub(put, line)
    if not signs:
        line = SIGNS.sub("", line)
    return line.split()


def edits(said: Sequence[str], right: Sequence[str]) -> Edits:
    """How what was said becomes what is right."""
    if not right:
        return Edits((), tuple(range(len(said))), "d" * len(said), 0)
    number = {word: n for n, word in enumerate(dict.fromkeys((*said, *right)))}
    want = [number[word] for word in right]
    now, order = [number[word] for word in said], list(range(len(said)))
    shifts, tried = list[Shift](), 0
    while True:
        found, tried = _best(now, want, tried)
        if tried >= TRIED or found is None or found[0] <= 0:
            break
        _, length, start, target = found
        shifts.append(Shift(tuple(said[n] for n in order[start : start + length]), start, target))
        now, order = move(now, start, length, target), move(order, start, length, target)
    return Edits(tuple(shifts), tuple(order), _trace(now, want), len(right))


def move(of: list[int], start: int, length: int, target: int) -> list[int]:
    """`length` of them, from `start` on, before what stood at `target`."""
    if target < start:
        return of[:target] + of[start : start + length] + of[target:start] + of[start + length :]
    behind = target if target > start + length else length + target
    return of[:start] + of[start + length : behind] + of[start : start + length] + of[behind:]


def _best(
    now: list[int], want: list[int], tried: int
) -> tuple[tuple[int, int, int, int] | None, int]:
    """(how much it lowers the distance, length, start, target) of the best shift, and how many were tried; of two as
    good the longer, then the earlier, then the one with the earlier target."""
    before, trace = _distance(now, want), _trace(now, want)
    align, wrong_there, wrong_here = dict[int, int](), list[int](), list[int]()
    here = there = -1
    for op in trace:
        here += op != "i"
        there += op != "d"
        if op != "d":
            align[there] = here
            wrong_there.append(op != " ")
        if op != "i":
            wrong_here.append(op != " ")
    best = None
    for start in range(len(now)):
        for place, length in _shared(now, want, start):
            if not any(wrong_here[start : start + length]):
                continue
            if not any(wrong_there[place : place + length]):
                continue
            if start <= align[place] < start + length:
                continue
            last = -1
            for offset in range(-1, length):
                if place + offset == -1:
                    target = 0
                elif place + offset in align:
                    target = align[place + offset] + 1
                else:
                    break
                if target == last:
                    continue
                last = target
                gain = before - _distance(move(now, start, length, target), want)
                tried += 1
                candidate = gain, length, -start, -target
                if best is None or candidate > best:
                    best = candidate
            if tried >= TRIED:
                break
        if tried >= TRIED:
            break
    return best and (best[0], best[1], -best[2], -best[3]), tried


def _shared(now: list[int], want: list[int], start: int) -> Iterator[tuple[int, int]]:
    """(place in the reference, length) of the runs from `start` on that stand in both."""
    for place in range(max(0, start - FAR), min(len(want), start + FAR + 1)):
        most = min(SIZE, len(now) - start, len(want) - place)
        length = 0
        while length < most and now[start + length] == want[place + length]:
            length += 1
            yield place, length


def _distance(now: list[int], want: list[int]) -> int:
    found = Levenshtein.distance(now, want)
    # a way with so few changes stays within the beam around a diagonal that is this far from the straight one
    if found + abs(len(now) - len(want)) + 2 < BEAM:
        return found
    return _table(now, want)[-1][-1]


def _table(now: list[int], want: list[int]) -> list[list[int]]:
    """The edit distances of the beginnings of both, within the beam."""
    count, most = len(now), len(want)
    table = [list(range(most + 1))]
    ratio = most / count if count else 1
    beam = math.ceil(ratio / 2 + BEAM) if ratio / 2 > BEAM else BEAM
    for i in range(1, count + 1):
        above, row, word = table[-1], [INFINITE] * (most + 1), now[i - 1]
        middle = math.floor(i * ratio)
        first, stop = max(0, middle - beam), min(most + 1, middle + beam)
        if i == count:
            stop = most + 1
        left = INFINITE
        for j in range(first, stop):
            if j:
                cost = min(above[j - 1] + (word != want[j - 1]), above[j] + 1, left + 1, INFINITE)
            else:
                cost = above[0] + 1
            row[j] = left = cost
        table.append(row)
    return table


def _trace(now: list[int], want: list[int]) -> str:
    """The changes from left to right; of several ways the one that, from the end, stays or replaces before it takes
    out, and takes out before it puts in."""
    table = _table(now, want)
    i, j, found = len(now), len(want), list[str]()
    while i or j:
        if i and j and table[i][j] == table[i - 1][j - 1] + (differs := now[i - 1] != want[j - 1]):
            i, j = i - 1, j - 1
            found.append("s" if differs else " ")
        elif i and table[i][j] == table[i - 1][j] + 1:
            i -= 1
            found.append("d")
        else:
            j -= 1
            found.append("i")
    return "".join(reversed(found))


def row(said: str, references: Sequence[str], **options: bool) -> list[float]:
    """Changes to the nearest reference, and the mean length of all."""
    mine = words(said, **options)
    every = [edits(mine, words(one, **options)) for one in references]
    return [min(one.count for one in every), sum(one.right for one in every) / len(every)]


def score(total_D2: np.ndarray) -> np.ndarray:
    """All is wrong where something was said and nothing is right."""
    edits_D, right_D = np.asarray(total_D2, float).T
    empty_D = 100.0 * (edits_D > 0)
    return np.divide(100 * edits_D, right_D, out=empty_D, where=right_D > 0)


TER = Measure("ter", "TER", 2, row, score, score, errors=True)
