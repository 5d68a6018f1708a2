"""BLEU: how much of a translation stands in the right one, by its runs of one to four words.

What      p_n = matches / n-grams written, over all lines; a match counts at most as often as one of
          the right translations has it;
          BLEU = min(1, exp(1 - R / C)) exp(mean of ln p_n), times 100; C words written, R right: of
          several the nearest, the shorter of two as near
Source    Papineni et al., BLEU: a Method for Automatic Evaluation of Machine Translation, 2002;
          words as in mteval-v13a and a p_n without a match as half, a quarter ... of a match: Post,
          A Call for Clarity in Reporting BLEU Scores, 2018 (sacrebleu's case:mixed|eff:no|tok:13a|
          smooth:exp); other smoothing: Chen & Cherry, A Systematic Comparison of Smoothing Techniques
          for Sentence-Level BLEU, 2014, methods 1 to 3; the interval: Koehn, Statistical Significance
          Tests for Machine Translation Evaluation, 2004
Shapes    L = lines; a row of counts holds C, R, matches of n = 1 .. 4, n-grams of n = 1 .. 4
Differs   A line by itself is scored by the orders that it has n-grams of (sacrebleu's `sentence_bleu`,
          eff:yes); a text by all four.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
import regex

from engine.analysis.measures import ngrams
from engine.analysis.measures.base import Measure
from engine.language.message import refusal

ORDERS = 4
DRAWS, SHARE = 1000, 0.95  # of the interval
Tokenize = Literal["13a", "intl", "char", "none"]
Smooth = Literal["exp", "floor", "add-k", "none"]
VALUES = {"floor": 0.1, "add-k": 1.0}  # what is put in place of no match, and added to all counts
MARKS = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
CUTS = (
    (re.compile(r"([\{-\~\[-\` -\&\(-\+\:-\@\/])"), r" \1 "),
    (re.compile(r"([^0-9])([\.,])"), r"\1 \2 "),
    (re.compile(r"([\.,])([^0-9])"), r" \1 \2"),
    (re.compile(r"([0-9])(-)"), r"\1 \2 "),
)
EVERYWHERE = (
    (regex.compile(r"(\P{N})(\p{P})"), r"\1 \2 "),
    (regex.compile(r"(\p{P})(\P{N})"), r" \1 \2"),
    (regex.compile(r"(\p{S})"), r" \1 "),
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


@lru_cache(1 << 12)
def words(line: str) -> tuple[str, ...]:
    """Signs apart from words, but a stop or comma inside a number: mteval-v13a."""
    line = line.rstrip().replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    for mark, sign in MARKS:
        line = line.replace(mark, sign)
    line = f" {line} "
    for pattern, put in CUTS:
        line = pattern.sub(put, line)
    return tuple(line.split())


def international(line: str) -> tuple[str, ...]:
    """Every punctuation mark and symbol of Unicode apart: mteval-v14."""
    line = line.rstrip()
    for pattern, put in EVERYWHERE:
        line = pattern.sub(put, line)
    return tuple(line.split())


def letters(line: str) -> tuple[str, ...]:
    return tuple(" ".join(line.rstrip()).split())


def blanks(line: str) -> tuple[str, ...]:
    return tuple(line.split())


TOKENIZERS: dict[str, Callable[[str], tuple[str, ...]]] = {
    "13a": words,
    "intl": international,
    "char": letters,
    "none": blanks,
}


def row(said: str, references: Sequence[str], tokenize: Tokenize = "13a") -> list[int]:
    """The counts of one line."""
    cut = TOKENIZERS[tokenize]
    mine, theirs = cut(said), [cut(one) for one in references]
    right = min((abs(len(one) - len(mine)), len(one)) for one in theirs)[1]
    matches, made = [], []
    for n in range(1, ORDERS + 1):
        meant = ngrams.most([ngrams.runs(one, n) for one in theirs])
        matches.append(ngrams.overlap(ngrams.runs(mine, n), meant))
        made.append(max(0, len(mine) - n + 1))
    return [len(mine), right, *matches, *made]


def counts(written: Sequence[str], right: Sequence[str]) -> np.ndarray:
    """Per line its row of counts (L, 2 + 2 ORDERS), int64.  ValueError where the two are not of
    one length."""
    if len(written) != len(right):
        raise refusal(
            "{n} lines are compared with {right}; there must be as many",
            n=len(written),
            right=len(right),
        )
    rows = [row(mine, (theirs,)) for mine, theirs in zip(written, right, strict=True)]
    return np.array(rows, np.int64).reshape(-1, 2 + 2 * ORDERS)


def measure(written: Sequence[str], right: Sequence[str], seed: int = 0) -> Bleu:
    """Of all lines together.  The interval: lines are drawn again, with replacement."""
    rows = counts(written, right)
    rng = np.random.default_rng(seed)
    drawn = np.array(
        [
            rows[rng.integers(len(rows), size=len(rows))].sum(0)
            for _ in range(DRAWS if len(rows) else 0)
        ]
    )
    ends = np.quantile(
        score(drawn) if len(drawn) else [0.0], [(1 - SHARE) / 2, (1 + SHARE) / 2]
    ).tolist()
    total = rows.sum(0)
    precisions, brevity = parts(total[None])
    lengths = (int(total[0]), int(total[1]))
    kept = tuple(precisions[0].tolist())
    return Bleu(float(score(total[None])[0]), kept, float(brevity[0]), lengths, (ends[0], ends[1]))


def parts(total_DK: np.ndarray, smooth: Smooth = "exp") -> tuple[np.ndarray, np.ndarray]:
    """The precisions (D, ORDERS), smoothed where there is a match of any order, and the brevity (D)."""
    total_DK = np.asarray(total_DK, float)
    made_D, right_D = total_DK[:, 0], total_DK[:, 1]
    match_DN, runs_DN = total_DK[:, 2 : 2 + ORDERS].copy(), total_DK[:, 2 + ORDERS :].copy()
    any_D = match_DN.any(1)
    if smooth == "add-k":
        match_DN[:, 1:] += VALUES[smooth]
        runs_DN[:, 1:] += VALUES[smooth]
    none_DN = match_DN == 0
    if smooth == "exp":
        put_DN = 0.5 ** np.cumsum(none_DN & (runs_DN > 0), 1)
    else:
        put_DN = np.full(match_DN.shape, VALUES["floor"] if smooth == "floor" else 0.0)
    shown_DN = np.where(none_DN, put_DN, match_DN)
    p_DN = np.divide(shown_DN, runs_DN, out=np.zeros_like(shown_DN), where=runs_DN > 0)
    p_DN[~any_D] = 0
    with np.errstate(divide="ignore", invalid="ignore"):
        short_D = np.exp(np.minimum(0, 1 - right_D / made_D))
    return p_DN, np.where(made_D >= right_D, 1.0, np.where(made_D > 0, short_D, 0.0))


def score(total_DK: np.ndarray, smooth: Smooth = "exp", effective: bool = False) -> np.ndarray:
    """From 0 to 100; `effective`: only of the orders that there are n-grams of."""
    p_DN, brevity_D = parts(total_DK, smooth)
    used_DN = np.ones(p_DN.shape, bool)
    if effective:
        runs_DN = np.asarray(total_DK)[:, 2 + ORDERS :] + (smooth == "add-k") * (
            np.arange(ORDERS) > 0
        )
        used_DN = np.cumprod(runs_DN > 0, 1).astype(bool)
    with np.errstate(divide="ignore", invalid="ignore"):
        log_D = np.where(used_DN, np.log(p_DN), 0).sum(1) / used_DN.sum(1)
    return np.where(p_DN.any(1), 100 * brevity_D * np.exp(np.nan_to_num(log_D, nan=-np.inf)), 0.0)


def alone(total_DK: np.ndarray) -> np.ndarray:
    return score(total_DK, effective=True)


BLEU = Measure("bleu", "BLEU", 2 + 2 * ORDERS, row, score, alone)
