"""Split: how many of N examples come to be training, validation and test, by each way of rounding.

What      one cut: round(N v), round(N t); two cuts: ceil(N t), then ceil((N - test) v / (1 - t)), as two calls of
          scikit-learn's train_test_split do; Hamilton: whole parts first, the rest to the largest remainders
Source    scikit-learn, model_selection/_split.py; vectors T49 (100, 200, 1,000 and 10,000 examples)
"""

from __future__ import annotations

import math

from scipy.stats import hypergeom
from sklearn.model_selection import train_test_split

from engine.language.message import refusal

Sizes = tuple[int, int, int]  # training, validation, test
SEED = 42


def one_cut(count: int, validation: float, test: float) -> Sizes:
    held = round(count * validation), round(count * test)
    return count - sum(held), *held


def two_cuts(count: int, validation: float, test: float) -> Sizes:
    """By the library.  ValueError, a sentence for the reader, where a part would be empty."""
    try:
        rest, tested = train_test_split(range(count), test_size=test, random_state=SEED)
        share = validation / (1 - test)
        learned, judged = train_test_split(rest, test_size=share, random_state=SEED)
    except ValueError as error:
        raise refusal(
            "Of {count} examples these shares leave nothing to learn from.", count=count
        ) from error
    return len(learned), len(judged), len(tested)


def hamilton(count: int, validation: float, test: float) -> Sizes:
    wanted = [count * share for share in (1 - validation - test, validation, test)]
    found = [math.floor(one) for one in wanted]
    order = sorted(range(3), key=lambda n: found[n] - wanted[n])
    for n in order[: count - sum(found)]:
        found[n] += 1
    return found[0], found[1], found[2]


def drawn(count: int, rare: int, test: int) -> tuple[int, int]:
    """How many of `rare` examples come into the test part by chance: 95 % of all draws lie between."""
    low, high = hypergeom(count, rare, test).interval(0.95)
    return int(low), int(high)
