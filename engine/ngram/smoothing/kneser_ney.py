"""Kneser-Ney: absolute discounting, but a shorter context counts in how many places a token stands,
not how often.

What      absolute.py on adjusted counts: below the highest order, the number of distinct tokens to
          the left of an n-gram.
          "Francisco" is frequent, but only ever behind "San": as a guess for a new place it is
          worth one.
Source    Kneser & Ney, Improved Backing-off for M-gram Language Modeling, ICASSP 1995;
          the interpolated form: Chen & Goodman 1999, sec. 2.7
Shapes    as in base.py
Differs   N-grams behind <s> have nothing to their left and keep their counts, as in KenLM.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from engine.ngram.smoothing.absolute import Absolute


@final
@dataclass(frozen=True, slots=True)
class KneserNey(Absolute):
    title = "Kneser-Ney"
    rank = 100
    idea = (
        "Absolute discounting, but the shorter context counts how many different words a word has"
        " followed, not how often it occurs."
    )
    source = "Kneser & Ney, Improved Backing-off for M-gram Language Modeling, ICASSP 1995"
    formula = (
        r"\begin{gathered} P(w \mid h) = \frac{\max(a(hw) - d, 0)}{a(h)} + \gamma(h)\,P(w \mid h'),"
        r" \\ a(hw) = N_{1+}(\cdot\,hw) \end{gathered}"
    )
    adjusted = True


SMOOTHING = KneserNey
