"""Marked words: a list of words, one of which stands behind a mark; what kind it is of is the label.

What      a line is "label, tab, words"; of SHORTEST to LONGEST words one, at a random place, has the
          mark before it
Source    made here; a fact among distractors, as in Hochreiter & Schmidhuber, Long Short-Term Memory,
          1997, sec. 5
Shapes    a line has as many words as are drawn, and the mark
Differs   Nothing but the marked word says what is right, so where a model has to look is known.
"""

from __future__ import annotations

import numpy as np

from engine.text.corpora.base import Fact, Lines

KINDS = {
    "animal": ("cat", "dog", "horse", "fox", "owl", "crab"),
    "food": ("bread", "rice", "soup", "cheese", "cake", "bean"),
    "plant": ("oak", "rose", "fern", "moss", "palm", "reed"),
    "tool": ("saw", "hammer", "drill", "spade", "rope", "nail"),
}
MARK, SHORTEST, LONGEST = "!", 3, 20
KIND_OF = {word: kind for kind, words in KINDS.items() for word in words}


class Marked(Lines):
    id = "marked"
    title = "Marked words"
    says = (
        "Words of four kinds, one of them behind the sign !; the label of a line is the kind of that"
        " word, and the others say nothing."
    )

    def generate(self, lines: int, seed: int = 0) -> list[str]:
        rng = np.random.default_rng(seed)
        return [written(rng, int(rng.integers(SHORTEST, LONGEST + 1))) for _ in range(lines)]

    def facts(self, line: str) -> list[Fact]:
        """The mark with its word."""
        _, _, text = line.partition("\t")
        at = line.find(MARK)
        if at < 0 or not text:
            return []
        word = line[at:].split()[1]
        start = line.index(word, at)
        return [Fact("mark", (at, at + 1), (start, start + len(word)))]


def written(rng: np.random.Generator, size: int, place: int | None = None) -> str:
    """One line of so many words; `place` says which of them is marked."""
    words = list(rng.choice(list(KIND_OF), size))
    at = int(rng.integers(size)) if place is None else place
    return f"{KIND_OF[words[at]]}\t{' '.join([*words[:at], MARK, *words[at:]])}"


CORPUS = Marked()
