"""Senses: the vector of one word in several sentences, from the table of embeddings up through
every layer.

What      cos(u, v) of each two occurrences at each depth, and where they lie on their first two
          principal components
Source    Ethayarajh, How Contextual are Contextualized Word Representations?, 2019, sec. 3; the
          same idea in BERT's lesson: "bank"
Shapes    N = occurrences, L = depths (word alone, with place, after each layer), D = width
Differs   A word of several pieces has the mean of their vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.language.message import _, refusal
from engine.lessons.bert.masked_prediction import fit
from engine.text.segmentation import in_word

if TYPE_CHECKING:
    from engine.models.base import Model

ALONE = "word alone"
FIELDS = ("embedding.token", "residual.before", "residual")


@dataclass(frozen=True, slots=True)
class Occurrence:
    sentence: int  # from 0
    text: str
    start: int  # characters


@dataclass(frozen=True, slots=True)
class Senses:
    word: str
    where: tuple[Occurrence, ...]
    depths: tuple[str, ...]
    vectors_LND: np.ndarray
    without: tuple[int, ...]  # sentences in which the word does not stand

    @property
    def alone(self) -> bool:
        """Whether the first depth is the word alone; embeddings narrower than the layers have no
        place beside the rest."""
        return self.depths[0] == ALONE

    def cosines(self) -> np.ndarray:
        """(L, N, N)."""
        unit = self.vectors_LND / np.maximum(
            np.linalg.norm(self.vectors_LND, axis=-1, keepdims=True), 1e-12
        )
        return np.clip(unit @ unit.transpose(0, 2, 1), -1, 1)

    def places(self, depth: int) -> tuple[np.ndarray, float]:
        """(N, 2) on the first two principal components at one depth, and the share of the variance
        that they show."""
        x_ND = self.vectors_LND[depth] - self.vectors_LND[depth].mean(0)
        u, s, __ = np.linalg.svd(x_ND, full_matrices=False)
        spread = float((s**2).sum())
        if spread < 1e-9 * float((self.vectors_LND[depth] ** 2).sum()):
            return np.zeros((len(x_ND), 2)), 1.0
        found = np.zeros((len(x_ND), 2))
        found[:, : min(2, len(s))] = (u * s)[:, :2]
        return found, float((s[:2] ** 2).sum() / spread)


def senses(model: Model[Any], sentences: Sequence[str], word: str) -> Senses:
    """Every occurrence of `word` in the sentences, each read alone.  ValueError where it stands in
    none."""
    found, vectors, without = [], [], []
    for n, text in enumerate(sentences):
        tokens = fit(model, model.tokens(text))
        groups = _occurrences(text, tokens.spans, word)
        if not groups:
            without.append(n)
            continue
        trace = model.trace(text, fields=FIELDS, tokens=tokens)
        before, after = (trace.field(name).values for name in FIELDS[1:])
        levels = np.concatenate([before[:1], after])  # (L, T, D)
        if FIELDS[0] in trace:  # a model that is read-only does not tell them
            alone = trace.field(FIELDS[0]).values
            if alone.shape == before[0].shape:  # embeddings may be narrower than layers
                levels = np.concatenate([alone[None], levels])
        for group in groups:
            found.append(Occurrence(n, text, tokens.spans[group[0]][0]))
            vectors.append(levels[:, group].mean(1))
    if not vectors:
        raise refusal("None of the sentences has “{word}” as a word of its own.")
    stacked = np.stack(vectors, 1).astype(np.float64)
    layers = tuple(_("after layer {i}", i=i + 1) for i in range(len(after)))
    depths = (ALONE, "with its place", *layers)[-len(stacked) :]
    return Senses(word, tuple(found), depths, stacked, tuple(without))


def _occurrences(text: str, spans: Sequence[tuple[int, int]], word: str) -> list[list[int]]:
    """The tokens of each occurrence of the word, whole and in any case."""
    wanted, low, found = word.strip().lower(), text.lower(), []
    at = low.find(wanted) if wanted and len(low) == len(text) else -1
    while at >= 0:
        stop = at + len(wanted)
        alone = not (at and in_word(low[at - 1])) and not (stop < len(low) and in_word(low[stop]))
        group = [t for t, (a, b) in enumerate(spans) if b and a < stop and b > at]
        # a byte-level piece may carry the blank before its word
        if alone and group and spans[group[0]][0] >= at - 1 and spans[group[-1]][1] == stop:
            found.append(group)
        at = low.find(wanted, stop)
    return found
