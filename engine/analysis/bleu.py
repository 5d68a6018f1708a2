"""BLEU: how much of a translation stands in the right one, by its runs of one to four words.

What      p_n = matches / n-grams written, over all lines; a match counts at most as often as the
          right translation has it;
          BLEU = min(1, exp(1 - R / C)) exp(mean of ln p_n), times 100; C words written, R right
Source    Papineni et al., BLEU: a Method for Automatic Evaluation of Machine Translation, 2002;
          words as in mteval-v13a and a p_n without a match as half, a quarter ... of a match: Post,
          A Call for Clarity in Reporting BLEU Scores, 2018 (sacrebleu's nrefs:1|case:mixed|
          eff:no|tok:13a|smooth:exp); the interval: Koehn, Statistical Significance Tests for
          Machine Translation Evaluation, 2004
Shapes    L = lines; a row of counts holds C, R, matches of n = 1 .. 4, n-grams of n = 1 .. 4
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.language.message import refusal

ORDERS = 4
DRAWS, SHARE = 1000, 0.95  # of the interval
MARKS = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
CUTS = (
    (re.compile(r"([\{-\~\[-\` -\&\(-\+\:-\@\/])"), r" \1 "),
    (re.compile(r"([^0-9])([\.,])"), r"\1 \2 "),
    (re.compile(r"([\.,])([^0-9])"), r" \1 \2"),
    (re.compile(r"([0-9])(-)"), r"\1 \2 "),
)


@dataclass(frozen=True, slots=True)
class Bleu:
    """`score` and the ends of its interval from 0 to 100; `precisions` of n = 1 to 4 from 0 to 1;
    `brevity` the factor for a text that is too short; `lengths` words written, and right."""

    score: float
    precisions: tuple[float, ...]
    brevity: float
    lengths: tuple[int, int]
    interval: tuple[float, float]


def words(line: str) -> list[str]:
    """Signs apart from words, but a stop or comma inside a number: mteval-v13a."""
    line = line.replace("\n", " ")
    for mark, sign in MARKS:
        line = line.replace(mark, sign)
    line = f" {line} "
    for pattern, put in CUTS:
        line = pattern.sub(put, line)
    return line.split()


def counts(written: Sequence[str], right: Sequence[str]) -> np.ndarray:
    """Per line its row of counts (L, 2 + 2 ORDERS), int64.  ValueError where the two are not of
    one length."""
    if len(written) != len(right):
        raise refusal(
            "{n} lines are compared with {right}; there must be as many",
            n=len(written),
            right=len(right),
        )
    rows = np.zeros((len(written), 2 + 2 * ORDERS), np.int64)
    for row, mine, theirs in zip(rows, map(words, written), map(words, right), strict=True):
        row[:2] = len(mine), len(theirs)
        for n in range(1, ORDERS + 1):
            made, meant = _runs(mine, n), _runs(theirs, n)
            row[1 + n] = sum(min(count, meant[run]) for run, count in made.items())
            row[1 + ORDERS + n] = max(0, len(mine) - n + 1)
    return rows


def _runs(line: list[str], n: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(line[i : i + n]) for i in range(len(line) - n + 1))


def measure(written: Sequence[str], right: Sequence[str], seed: int = 0) -> Bleu:
    """Of all lines together.  The interval: lines are drawn again, with replacement."""
    rows = counts(written, right)
    rng = np.random.default_rng(seed)
    drawn = [
        _score(rows[rng.integers(len(rows), size=len(rows))].sum(0))[0]
        for _ in range(DRAWS if len(rows) else 0)
    ]
    ends = np.quantile(drawn or [0.0], [(1 - SHARE) / 2, (1 + SHARE) / 2]).tolist()
    total = rows.sum(0)
    score, precisions, brevity = _score(total)
    lengths = (int(total[0]), int(total[1]))
    return Bleu(score, precisions, brevity, lengths, (ends[0], ends[1]))


def _score(total: np.ndarray) -> tuple[float, tuple[float, ...], float]:
    made, meant = int(total[0]), int(total[1])
    matches, runs = total[2 : 2 + ORDERS], total[2 + ORDERS :]
    if not made or not matches.any():
        return 0.0, (0.0,) * ORDERS, 0.0
    half, precisions = 1.0, []
    for match, count in zip(matches.tolist(), runs.tolist(), strict=True):
        if not count:
            precisions.append(0.0)
        elif match:
            precisions.append(match / count)
        else:
            half /= 2
            precisions.append(half / count)
    brevity = min(1.0, float(np.exp(1 - meant / made)))
    mean = float(np.exp(np.log(precisions).mean())) if all(precisions) else 0.0
    return 100 * brevity * mean, tuple(precisions), brevity
