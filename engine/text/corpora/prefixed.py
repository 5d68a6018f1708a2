"""Prefixed: letters, and what a word before them says is to be done with them.

What      a line is "task: letters = answer"; of 2 to LONGEST letters, each drawn alone, the answer is
          the same letters (copy), from the last to the first (reverse), or from a to z (sort)
Source    Raffel et al., Exploring the Limits of Transfer Learning with a Unified Text-to-Text
          Transformer, 2020: a prefix says the task
Shapes    a line has 2 n + 5 characters and those of the prefix, for n letters
Differs   T5's prefixes tell tasks on text apart, such as "summarize: " and "translate English to German: ".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from engine.text.corpora.base import Lines

LETTERS, LONGEST = "abcdefgh", 6
TASKS: Mapping[str, Callable[[str], str]] = {
    "copy": str,
    "reverse": lambda word: word[::-1],
    "sort": lambda word: "".join(sorted(word)),
}


class Prefixed(Lines):
    id = "prefixed"
    title = "Three tasks by prefix"
    says = "Letters to copy, to reverse or to sort: a word before them says which."

    def generate(self, lines: int, seed: int = 0) -> list[str]:
        rng = np.random.default_rng(seed)
        found = []
        for _ in range(lines):
            word = "".join(rng.choice([*LETTERS], rng.integers(2, LONGEST + 1)))
            task = [*TASKS][rng.integers(len(TASKS))]
            found.append(f"{task}: {word} = {TASKS[task](word)}")
        return found


CORPUS = Prefixed()
