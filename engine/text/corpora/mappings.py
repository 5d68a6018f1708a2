"""Mappings: words, each with a label; which kind of word gets which label is drawn anew for each line.

What      a line is "word = label ; word = label ..."; FEWEST to MOST words of two to four KINDS, a label
          for each kind.  A kind never stands with a label that `unseen` names
Source    Chan et al., Data Distributional Properties Drive Emergent In-Context Learning in
          Transformers, 2022; Wei et al., Symbol Tuning Improves In-Context Learning in Language
          Models, 2023
Shapes    a line has 4 n - 1 tokens for n words
Differs   Classes of words in the place of classes of pictures.  What kind a word is of has to be
          learned into the weights, since no line says it; which label it has can only be read off
          the line.  The pairs that never stand in the text show that it is read.
"""

from __future__ import annotations

import numpy as np

from engine.text.corpora.base import Fact, Lines

KINDS = {
    "animal": "cat dog horse fox owl crab cow goat wolf bear lion frog".split(),
    "food": "bread rice soup cheese cake bean apple butter egg pear honey jam".split(),
    "plant": "oak rose fern moss palm reed pine tulip grass ivy elm lily".split(),
    "tool": "saw hammer drill spade rope nail axe rake knife file pliers wrench".split(),
    "dress": "coat hat shoe shirt sock scarf glove belt skirt boot cap dress".split(),
    "vehicle": "car bus train ship truck bike plane boat van tram taxi wagon".split(),
    "body": "arm leg nose ear knee hand foot neck chin elbow thumb heel".split(),
    "room": "door window roof wall floor stairs kitchen cellar attic hall chimney gate".split(),
}
LABELS = "yes no red blue left right up down".split()
KIND_OF = {word: kind for kind, words in KINDS.items() for word in words}
MARK, BETWEEN, FEWEST, MOST = "=", ";", 2, 10


def unseen(kind: str, label: str) -> bool:
    """Whether no line gives a kind this label."""
    return ([*KINDS].index(kind) + LABELS.index(label)) % 4 == 3


class Mappings(Lines):
    id = "mappings"
    title = "Words with labels"
    says = (
        "Words of eight kinds, each with a label; which kind gets which label is drawn for each line,"
        " so that only the words before say it."
    )

    def generate(self, lines: int, seed: int = 0) -> list[str]:
        rng = np.random.default_rng(seed)
        return [written(rng, int(rng.integers(FEWEST, MOST + 1))) for _ in range(lines)]

    def facts(self, line: str) -> list[Fact]:
        """Each label with its latest one before."""
        found, last, at = list[Fact](), dict[str, tuple[int, int]](), 0
        for pair in line.split(f" {BETWEEN} "):
            word, _, label = pair.partition(f" {MARK} ")
            span = at + len(pair) - len(label), at + len(pair)
            if (kind := KIND_OF.get(word, word)) in last:
                found.append(Fact("label", last[kind], span))
            last[kind], at = span, at + len(pair) + len(BETWEEN) + 2
        return found


def drawn(rng: np.random.Generator) -> dict[str, str]:
    """A label for each of two to four kinds."""
    kinds = rng.permutation([*KINDS])[: rng.integers(2, 5)].tolist()
    while True:
        labels = rng.permutation(LABELS)[: len(kinds)].tolist()
        if not any(map(unseen, kinds, labels)):
            return dict(zip(kinds, labels, strict=True))


def written(rng: np.random.Generator, size: int) -> str:
    """One line of so many words."""
    label = drawn(rng)
    kinds = rng.choice([*label], size).tolist()
    return f" {BETWEEN} ".join(
        f"{KINDS[kind][rng.integers(len(KINDS[kind]))]} {MARK} {label[kind]}" for kind in kinds
    )


CORPUS = Mappings()
