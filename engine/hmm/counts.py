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


def tables(k: int, n: int) -> list[tuple[int, int, int]]:
    """For each word of a text of `n`: its histories, the free numbers of a row, and those of its
    table.  All tables together: `joint`, for k^0 + .. + k^(n-1) = (k^n - 1) / (k - 1)."""
    return [(int(k**i), k - 1, int(k**i) * (k - 1)) for i in range(n)]
