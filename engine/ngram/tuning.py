"""Tuning: the weights of a method that learns them, fitted on lines that it neither counts nor is
judged on.

What      about one of twenty of the lines to count is set aside; the weights are fitted to these
          over the counts of the others, and then serve with the counts of all
Source    Jelinek & Mercer, Interpolated Estimation of Markov Source Parameters from Sparse Data,
          1980: data apart from those that are counted; Jurafsky & Martin, Speech and Language
          Processing, 3rd ed., sec. 3.6.1
Differs   nothing
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.ngram.counts import Counts, count
from engine.ngram.smoothing.base import Smoothing
from engine.text.tokenizers.base import Tokenizer, split
from engine.text.tokenizers.words import never_of


def tuned(
    method: Smoothing, lines: Sequence[str], tokenizer: Tokenizer, order: int, seed: int = 0
) -> Smoothing:
    """The method with its weights fitted, for n-grams of up to `order` tokens; itself where it has
    none to fit or there is a single line, of which nothing can be set aside."""
    if not method.tunes:
        return method
    counted, apart = split(list(lines), seed)
    if not apart:
        return method
    facts = (len(tokenizer.vocab), order, tokenizer.boundary)
    raw = Counts(list(count(tokenizer.stream(counted), *facts)), tokenizer.boundary)
    predicted = len(tokenizer.vocab) - (never_of(tokenizer) is not None)
    return method.tuned(raw, tokenizer.stream(apart), predicted)
