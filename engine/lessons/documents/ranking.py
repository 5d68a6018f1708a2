"""Ranking: vectors of sentences, and the order of sentences for a question.

What      tf-idf (engine/analysis/tfidf.py); the mean of the vectors of the words; the mean of BERT's vectors of the
          tokens; two are compared by their cosine.
          BM25: sum over words of the question of ln(1 + (N - df + 0.5) / (df + 0.5)) f (k + 1) / (f + k (1 - b +
          b length / mean length))
Source    Robertson & Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009
Shapes    S = sentences, D = width
Differs   The logarithm of BM25 has 1 added, as in Lucene: a word in more than half of the sentences would else count
          against them.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
import torch

from engine.analysis.tfidf import Tfidf
from engine.models.bert import Bert
from engine.vectors.base import Vectors

WORD = re.compile(r"\w+")
SATURATION, LENGTH = 1.2, 0.75  # k and b
WAYS = {"tfidf": "tf-idf", "words": "mean of word vectors", "bert": "mean of BERT's vectors"}
BM25 = "bm25"


def words(text: str) -> list[str]:
    return WORD.findall(text.lower())


def bm25(question: str, some: Sequence[str]) -> np.ndarray:
    """The score of each sentence (S,)."""
    counted = [Counter(words(one)) for one in some]
    mean = sum(map(Counter.total, counted)) / max(1, len(some)) or 1.0
    found_S = np.zeros(len(some))
    for word in {*words(question)}:
        df = sum(word in of for of in counted)
        weight = math.log(1 + (len(some) - df + 0.5) / (df + 0.5))
        for s, of in enumerate(counted):
            f = of[word]
            bent = f + SATURATION * (1 - LENGTH + LENGTH * of.total() / mean)
            found_S[s] += weight * f * (SATURATION + 1) / bent if f else 0.0
    return found_S


def vectors(
    way: str, some: Sequence[str], model: Bert | None = None, space: Vectors | None = None
) -> np.ndarray:
    """(S, D), each of length 1 or 0.  ValueError where a model that is needed is not there."""
    if way == "tfidf":
        return Tfidf.of(some).dense()
    if way == "words":
        if space is None:
            raise ValueError("The shipped word vectors are missing: `make zoo` makes them.")
        known = [
            [row for word in words(one) if (row := space.row(word)) is not None] for one in some
        ]
        mean = [space.unit[r].mean(0) if r else np.zeros(space.values.shape[1]) for r in known]
        return _unit(np.stack(mean))
    if model is None:
        raise ValueError("The shipped BERT is missing: `make zoo` makes it.")
    return _unit(np.stack([_bert(model, one) for one in some]))


@torch.inference_mode()
def _bert(model: Bert, text: str) -> np.ndarray:
    ids = model.tokens(" ".join(text.split())).ids
    if len(ids) > model.config.context:
        ids = np.append(ids[: model.config.context - 1], model.tokenizer.end)
    mean_D: np.ndarray = model.net(torch.from_numpy(ids)[None])[0].mean(0).numpy()
    return mean_D


def _unit(x_SD: np.ndarray) -> np.ndarray:
    length_S1 = np.linalg.norm(x_SD, axis=1, keepdims=True)
    return np.divide(x_SD, length_S1, out=np.zeros(x_SD.shape), where=length_S1 > 0)


def scores(
    way: str,
    question: str,
    some: Sequence[str],
    model: Bert | None = None,
    space: Vectors | None = None,
) -> np.ndarray:
    """How well each sentence fits the question (S,)."""
    if way == BM25:
        return bm25(question, some)
    found_SD = vectors(way, [*some, question], model, space)
    fits_S: np.ndarray = found_SD[:-1] @ found_SD[-1]
    return fits_S
