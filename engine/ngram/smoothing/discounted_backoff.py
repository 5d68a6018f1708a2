"""Back-off with one fixed discount: the course notes' back-off, made to sum to 1.

What      alpha(hw) = (c(hw) - D) / c(h); what is missing from 1 goes to what was not seen, as the
          shorter context has it
Source    Ney, Essen & Kneser, On Structuring Probabilistic Dependences in Stochastic Language
          Modelling, 1994, sec. 3
Shapes    as in base.py
Differs   nothing but the unigrams: see `floor`
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from engine.ngram.smoothing.absolute import Absolute


@final
@dataclass(frozen=True, slots=True)
class DiscountedBackoff(Absolute):
    title = "Back-off, fixed discount"
    rank = 60
    idea = (
        "Take a little from every count; only unseen words share it, in the proportions of the"
        " shorter context."
    )
    source = (
        "Ney, Essen & Kneser, On Structuring Probabilistic Dependences in Stochastic Language"
        " Modelling, 1994, sec. 3"
    )
    formula = r"P(w \mid h) = \frac{c(hw) - D}{c(h)} \text{ if seen, else } \gamma(h)\,P(w \mid h')"
    interpolates = False


SMOOTHING = DiscountedBackoff
