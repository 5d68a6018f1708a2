"""What the spelling of an unknown word says of its tag: tags of rare words, counted by their endings.

What      P_i(tag | last i letters) = (share of the tag among rare words that end so + theta P_i-1) /
          (1 + theta), up from all rare words that are written like it: small, capital, with a digit
Source    Brants, TnT: A Statistical Part-of-Speech Tagger, 2000, section 2.3
Shapes    K = tags, N = endings
Differs   theta is the standard deviation of the shares of all rare words, as there; the smoothing is
          done once, when the model is made.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache

import numpy as np


@lru_cache(1024)
def endings(word: str, longest: int) -> tuple[str, ...]:
    """What is counted of a word, from the least to the most: how it is written, then its endings
    behind that."""
    shape = "0" if any(c.isdigit() for c in word) else "A" if word[:1].isupper() else "a"
    low = word.lower()
    return shape, *(f"{shape}{low[-i:]}" for i in range(1, min(longest, len(low)) + 1))


def learn(
    words: Iterable[tuple[str, int]], k: int, longest: int, least: int = 1
) -> dict[str, np.ndarray]:
    """P(tag | ending) / P(tag), (K,) for each ending of `least` words or more; "" has ones.

    words  rare words with the number of their tag
    """
    count: defaultdict[str, np.ndarray] = defaultdict(lambda: np.zeros(k))
    for word, tag in words:
        for ending in ("", *endings(word, longest)):
            count[ending][tag] += 1
    if not count:
        return {}
    total_K = count[""] + 0.5  # no tag is impossible
    share = {"": total_K / total_K.sum()}
    theta = max(float(share[""].std(ddof=1)) if k > 1 else 1.0, 1e-3)
    for ending in sorted(count, key=len):
        if ending and (seen := count[ending].sum()) >= least:
            above = share[ending[:1] + ending[2:] if len(ending) > 1 else ""]
            share[ending] = (count[ending] / seen + theta * above) / (1 + theta)
    return {ending: found / share[""] for ending, found in share.items()}


def factor(table: Mapping[str, np.ndarray], word: str, longest: int) -> np.ndarray | float:
    """Of the longest ending that was counted (K,); 1 where none was."""
    found: np.ndarray | float = 1.0
    for ending in endings(word, longest):
        if ending not in table:
            break
        found = table[ending]
    return found
