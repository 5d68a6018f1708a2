"""Beyond counts: what a net that reads words as vectors makes of the limits of counting, measured on one text.

What      unseen: for each token whether it was counted behind the words of a window, and the longest run that was;
          nearest: the word whose vector points most alike; moved: how far two models' next words move when one word
          of the text gives way to another; mixed: the net's probability of each token beside that of counts and of
          a cache of the words before, with shares
Source    Bengio et al., 2003, sections 1 and 2 (dimension, similar words); Kuhn & De Mori, 1990 (cache); linear
          interpolation: Jelinek & Mercer, 1980
Shapes    T = tokens after the first, V = vocabulary, K = models: net, counts, cache
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.language.message import refusal
from engine.lessons.feedforward.swaps import predict_next
from engine.models.base import Model
from engine.models.feedforward import FeedForward
from engine.ngram.align import align
from engine.ngram.cache import cache_distribution


def unseen(counts: Model[Any], text: str, n: int) -> np.ndarray:
    """(T,): for each token how many of it and the words before it the longest run has that was counted, at most n."""
    matched_T = counts.trace(text, fields=("matched",)).field("matched").values[1:]
    made: np.ndarray = np.minimum(matched_T.astype(int), n)
    return made


def nearest(model: FeedForward, id: int) -> tuple[int, float]:
    """The word whose vector has the largest cosine with that of another, and that cosine."""
    e_VD = model.weights()["embed.weight"]
    unit_VD = e_VD / np.maximum(np.linalg.norm(e_VD, axis=1, keepdims=True), 1e-12)
    cosine_V = unit_VD @ unit_VD[id]
    words = model.tokenizer
    cosine_V[
        [i for i in (id, words.unknown, words.start, words.end) if i is not None and i >= 0]
    ] = -2
    best = int(cosine_V.argmax())
    return best, float(cosine_V[best])


def moved(model: Model[Any], text: str, other: str, at: int = -1) -> float:
    """Total variation distance, 0 to 1, of the distributions after the text as it is, and with `other` in the place of
    its token `at`, the last if none is named; a word that the model lacks is its unknown word."""
    tokens, vocab = model.tokens(text), list(model.tokenizer.vocab)
    changed_T = tokens.ids.copy()
    changed_T[at] = vocab.index(other) if other in vocab else model.tokenizer.unknown
    p_SV = predict_next(model, tokens, np.stack([tokens.ids, changed_T])).astype(float)
    return float(np.abs(p_SV[0] - p_SV[1]).sum() / 2)


def weigh_each(net: Model[Any], counts: Model[Any], text: str, fade: float = 1.0) -> np.ndarray:
    """(T, K): the probability of each token by the net, by counts said in the net's words, and by a cache of the tokens
    before it, in which one of age a counts `fade` to the power of a − 1; the first token has no cache: 0."""
    ids = net.tokens(text).ids
    p_TV, q_TU = (
        m.trace(text, fields=("probability",)).field("probability").values for m in (net, counts)
    )
    if len(p_TV) != len(q_TU):
        raise ValueError("the two models do not cut this text alike")
    vocab = list(net.tokenizer.vocab)
    q_TV = align(q_TU.astype(float), list(counts.tokenizer.vocab), vocab)
    at = np.arange(len(ids) - 1), ids[1:]
    cache_T = [cache_distribution(ids[1:t], len(vocab), fade)[ids[t]] for t in range(1, len(ids))]
    made: np.ndarray = np.stack([p_TV[at].astype(float), q_TV[at], np.array(cache_T)], 1)
    return made


def mix(p_TK: np.ndarray, counts: float, cache: float) -> np.ndarray:
    """(T,): the three with shares of the counts and of the cache; the cache's goes to the others where it is empty."""
    if not 0 <= counts + cache <= 1:
        raise refusal("shares of {counts} and {cache} leave nothing")
    share_K = np.array([1 - counts - cache, counts, cache])
    empty_T = np.arange(len(p_TK)) == 0
    made_T: np.ndarray = p_TK @ share_K
    if cache < 1:
        made_T[empty_T] /= 1 - cache
    return made_T
