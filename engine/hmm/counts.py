"""How many free numbers the tables of sequence models hold.

What      the whole joint distribution of N words: K^N - 1; an n-gram model with L words before, its
          starts among them: K^(L+1) - 1; a hidden Markov model: S - 1 of the start, S (S - 1) of the
          transitions, S (K - 1) of what is written
Shapes    K = words of the vocabulary, N = words of a text, S = states
"""

from __future__ import annotations


def joint(k: int, n: int) -> int:
    return int(k**n) - 1


def n_gram(k: int, before: int) -> int:
    """With the tables that begin a text."""
    return int(k ** (before + 1)) - 1


def hidden(s: int, k: int) -> int:
    return s * s + s * k - s - 1
