"""The game of a bag of words: f is a sum over the words, so that what each one adds is known exactly.

What      f(S) = log2 P(good | S) / P(bad | S) = prior + sum over words in S of log2 P(word | good) / P(word | bad)
Source    engine/lessons/bag/bayes.py; attribution on a model whose answer is a sum: Lundberg & Lee, 2017, corollary 1
Shapes    P = words of the text
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from engine.analysis.attribution.game import Game, Target
from engine.lessons.bag.bayes import NaiveBayes
from engine.lessons.bag.counts import count
from engine.lessons.bag.evaluate import log_odds
from engine.lessons.bag.words import places, words
from engine.text.corpora.reviews import CORPUS
from engine.text.tokenizers.base import Tokens

GOOD = "positive"


@lru_cache(1)
def counted() -> NaiveBayes:
    labels, texts = zip(*CORPUS.labelled(), strict=True)
    return NaiveBayes(count(labels, texts))


class BagGame(Game):
    """added_P: what each word adds; start: what is there without any."""

    def __init__(self, text: str) -> None:
        model = counted()
        index, spans = model.counts.index, places(text)
        ids = np.array([index.get("".join(words(text[a:b])), -1) for a, b in spans], int)
        labels = tuple(text[a:b] for a, b in spans)
        unknown = tuple(np.flatnonzero(ids < 0).tolist())
        self.tokens = Tokens(ids, labels, tuple(spans), unknown)
        good = model.counts.classes.index(GOOD)
        self.players = np.arange(len(ids))
        self.target, self.p_V = Target(good), np.zeros(0)
        self.added_P = np.where(ids < 0, 0.0, log_odds(model, good)[ids])
        prior_C = model.log2_prior_C
        self.start = float(prior_C[good] - prior_C[1 - good])

    def value(self, here_BP: np.ndarray) -> np.ndarray:
        return np.asarray(self.start + np.asarray(here_BP, float) @ self.added_P)
