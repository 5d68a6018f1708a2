"""Alignment: which head of cross-attention looks at the word that is being translated, where the
right answer is known.

What      a step hits where its largest weight lies on a source word that is linked to the word it
          writes;
          a link crosses where another link of the sentence has its two words in the other order
Source    Koehn & Knowles, Six Challenges for Neural Machine Translation, 2017, sec. 3.5 (attention
          against word alignments)
Shapes    L = layers, N = heads, T = steps, S = source words
Differs   The links are those of a grammar (engine/text/corpora/phrases.py), not those of another model.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from engine.models.base import Model


class Linked(Protocol):
    """A pair of sentences of single words, and which of them stand for each other."""

    @property
    def english(self) -> str: ...
    @property
    def french(self) -> str: ...
    @property
    def links(self) -> tuple[tuple[int, int], ...]: ...


@dataclass(frozen=True, slots=True, eq=False)
class Alignment:
    """Shares of the steps that hit (L, N), of all and of those whose link crosses; `place`: of
    pointing at the same place."""

    hits: np.ndarray
    crossing: np.ndarray
    place: float
    place_crossing: float
    steps: int
    steps_crossing: int

    @property
    def best(self) -> tuple[int, int]:
        """Layer and head that hit most often."""
        layer, head = np.unravel_index(int(self.hits.argmax()), self.hits.shape)
        return int(layer), int(head)


def hits_LN(attention_LNTS: np.ndarray, step: int, linked: Iterable[int]) -> np.ndarray:
    """Per head whether the largest weight of a step lies on one of the linked words."""
    return np.isin(attention_LNTS[:, :, step].argmax(-1), list(linked))


def crosses(step: int, linked: Iterable[int], links: Iterable[tuple[int, int]]) -> bool:
    """Whether one of a step's links crosses another link of the sentence."""
    links = list(links)
    return any((e - mine) * (f - step) < 0 for mine in linked for e, f in links)


def measure(model: Model[Any], pairs: Iterable[Linked]) -> Alignment:
    """Steps whose word has no link (French "des", where English says nothing) and the end are left
    out."""
    totals: list[Any] = [0, 0]  # hits of all steps, of those that cross
    places, counts = [0, 0], [0, 0]
    for pair in pairs:
        attention_LNTS = (
            model.trace(f"{pair.english}\n{pair.french}", fields=("cross.attention",))
            .field("cross.attention")
            .values
        )
        for step in range(len(pair.french.split())):
            linked = {e for e, f in pair.links if f == step}
            if not linked:
                continue
            for kind in (0, 1) if crosses(step, linked, pair.links) else (0,):
                totals[kind] = totals[kind] + hits_LN(attention_LNTS, step, linked)
                places[kind] += step in linked
                counts[kind] += 1
    if not all(counts):
        raise ValueError("no sentence here has a crossing pair of words; take more of them")
    shares = [total / count for total, count in zip(totals, counts, strict=True)]
    return Alignment(
        shares[0], shares[1], places[0] / counts[0], places[1] / counts[1], counts[0], counts[1]
    )
