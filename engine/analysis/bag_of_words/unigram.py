"""Unigram model: every word is drawn by itself, so only the counts of a text matter and never the
order of its words.

What      P(w_1 ... w_N) = prod P(w_n), P(w) = count / total; a bag can be laid out in N! / prod
          n_w! orders, and P(bag) = that number * P(any one of them)
Source    Jurafsky & Martin, Speech and Language Processing, 3rd ed., sec. 3.1 and 4.1 (unigram
          model, bag of words)
Differs   The notes ask for the probability of the bag and give that of one sequence; both are here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import factorial, prod


def orders(words: Sequence[str]) -> int:
    """In how many different orders these words can stand."""
    return factorial(len(words)) // prod(factorial(n) for n in Counter(words).values())


def sequence(words: Sequence[str], counts: Mapping[str, int]) -> Fraction:
    """P of these words in this order, which is that of any other order.  ZeroDivisionError where
    nothing was counted."""
    total = sum(counts.values())
    return prod((Fraction(counts.get(w, 0), total) for w in words), start=Fraction(1))


def bag(words: Sequence[str], counts: Mapping[str, int]) -> Fraction:
    """P of the words in whatever order: the multinomial distribution."""
    return orders(words) * sequence(words, counts)
