"""Log: lines that do not belong in it, found by their surprisal.

What      a model of order 3 counts normal lines; a line's score is its mean surprisal; the threshold is the score
          that the wanted share of normal lines, held out, exceeds: an alarm rate that is chosen, not found
Source    Forrest, Hofmeyr, Somayaji & Longstaff, A Sense of Self for Unix Processes, 1996 (short runs of what is
          normal); the smoothing is modified Kneser-Ney
Shapes    L = lines
Differs   Numbers are cut into one mark each, as log parsers do: else every new number would be a surprise.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine import frame as fr
from engine.analysis.study import Study
from engine.language.message import refusal
from engine.ngram.smoothing.modified_kneser_ney import ModifiedKneserNey
from engine.text.corpora.log import CORPUS

ORDER, NORMAL, ODD, FEWEST = 3, 1_200, 300, 20
NUMBER = re.compile(r"\d+")


@fr.once
def written(count: int, seed: int, strange: bool = False) -> tuple[str, ...]:
    return tuple(CORPUS.generate(count, seed, strange))


def cut(line: str) -> str:
    return NUMBER.sub("0", line)


@dataclass(frozen=True, eq=False)
class Watch:
    """`score_L` of the normal lines that were not counted, in bits a token."""

    study: Study
    score_L: np.ndarray

    def tokens(self, line: str) -> tuple[tuple[str, ...], np.ndarray]:
        """Its tokens with its end, and the bits of each."""
        tokens = self.study.tokens(cut(line) + "\n")
        p_T = self.study.smoothed(ModifiedKneserNey()).probabilities(tokens.ids)
        return tokens.labels[1:], -np.log2(np.maximum(p_T, 1e-38))

    def score(self, line: str) -> float:
        return float(self.tokens(line)[1].mean())

    def threshold(self, share: float) -> float:
        """That so large a share of the normal lines exceeds."""
        return float(np.quantile(self.score_L, 1 - share))


@fr.once
def watch(lines: Sequence[str]) -> Watch:
    """Every fourth line is held out.  ValueError, a sentence for the reader, where there are too few."""
    if len(lines) < FEWEST:
        raise refusal("These are too few lines to know what is normal: {n} are needed.", n=FEWEST)
    study = Study.of("\n".join(cut(x) for n, x in enumerate(lines) if n % 4), ORDER, hold_out=False)
    made = Watch(study, np.zeros(0))
    return Watch(study, np.array([made.score(line) for line in lines[::4]]))
