"""Tuned: ready-made vectors as the first layer of a small classifier, frozen or learned further, and how far words
drift then.

What      p = softmax(W m + b), m the mean of the vectors of a text's words; W and b learn, and where vectors are tuned
          each of them too: the gradient of a word that stands in no text is 0, so it stays where it was
Source    Kim, Convolutional Neural Networks for Sentence Classification, 2014, section 3.1 (static, non-static and
          random vectors)
Shapes    N = texts, V = words of the texts that have a vector, D = dimensions
Differs   A mean of vectors in place of a convolution, and so few texts that all are read at each step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from engine.text.corpora import reviews
from engine.text.segmentation import TOKENS
from engine.vectors.base import Vectors

WAYS = ("frozen", "tuned", "random")
TEST, STEPS, RATE, SLOW = 80, 100, 0.05, 0.02
SIZES = (10, 20, 40, 80, 160)
DRAWS = 3


@dataclass(frozen=True)
class Texts:
    """rows  of each text the rows of its words in the table"""

    rows: tuple[tuple[int, ...], ...]
    positive_N: np.ndarray


@dataclass(frozen=True)
class Trained:
    """
    right     share of the test texts
    rows      words that stood in the training texts
    after_VD  their vectors when the training was over
    """

    right: float
    rows: np.ndarray
    after_VD: np.ndarray


def texts(space: Vectors) -> Texts:
    """The built-in reviews; those without a word that has a vector are left out."""
    rows, labels = [], []
    for label, text in reviews.CORPUS.labelled():
        found = [space.row(word) for word in TOKENS.findall(text.lower())]
        if known := tuple(row for row in found if row is not None):
            rows.append(known)
            labels.append(label == "positive")
    return Texts(tuple(rows), np.array(labels))


def split(count: int, size: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The texts to learn from, so many, and those to judge by, always the same."""
    order = np.random.default_rng(1).permutation(count)
    learn = np.random.default_rng((2, seed)).permutation(order[TEST:])
    return learn[:size], order[:TEST]


def train(space: Vectors, of: Texts, way: str, size: int, seed: int = 0) -> Trained:
    import torch
    from torch.nn import functional as F

    learn, test = split(len(of.rows), size, seed)
    words = np.unique([row for n in learn for row in of.rows[n]])
    every = np.unique([row for n in (*learn, *test) for row in of.rows[n]])
    spread = float(space.values[every].std())
    start_VD = space.values[every]
    if way == "random":
        start_VD = np.random.default_rng(seed).normal(0, spread, start_VD.shape).astype(np.float32)
    vector_VD = torch.tensor(start_VD, requires_grad=way != "frozen")
    learn_NV, test_NV = (
        torch.from_numpy(_shares([of.rows[n] for n in some], every)) for some in (learn, test)
    )
    weight_2D = torch.zeros(2, start_VD.shape[1], requires_grad=True)
    bias_2 = torch.zeros(2, requires_grad=True)
    groups = [{"params": [weight_2D, bias_2], "lr": RATE}]
    if way != "frozen":
        groups.append({"params": [vector_VD], "lr": SLOW * spread})
    optimiser = torch.optim.Adam(groups)
    right_N = torch.from_numpy(of.positive_N).long()

    def logits(share_NV: torch.Tensor) -> torch.Tensor:
        return F.linear(share_NV @ vector_VD / spread, weight_2D, bias_2)

    for _step in range(STEPS):
        optimiser.zero_grad()
        F.cross_entropy(logits(learn_NV), right_N[learn]).backward()
        optimiser.step()
    with torch.no_grad():
        share = float((logits(test_NV).argmax(1) == right_N[test]).float().mean())
    after_VD = vector_VD.detach().numpy()[np.searchsorted(every, words)]
    return Trained(share, words, after_VD)


def _shares(rows: Sequence[Sequence[int]], every: np.ndarray) -> np.ndarray:
    """Of each text the share of each word (N, V)."""
    found = np.zeros((len(rows), len(every)), np.float32)
    for n, words in enumerate(rows):
        np.add.at(found[n], np.searchsorted(every, words), 1 / len(words))
    return found


@dataclass(frozen=True)
class Drift:
    """Of words that moved, farthest first: how far, as a share of their length, and how alike a word that stayed was
    and is.

    friends  the nearest word that stands in no training text
    """

    rows: np.ndarray
    far: np.ndarray
    friends: np.ndarray
    before: np.ndarray
    after: np.ndarray


def drift(space: Vectors, of: Trained, most: int = 8) -> Drift:
    old_VD = space.values[of.rows]
    far_V = np.linalg.norm(of.after_VD - old_VD, axis=1) / np.linalg.norm(old_VD, axis=1)
    at = np.argsort(-far_V, kind="stable")[:most]
    cosine_KV = space.cosines(old_VD[at])
    cosine_KV[:, of.rows] = -1
    friends = cosine_KV.argmax(1)
    now = np.einsum("kd,kd->k", _unit(of.after_VD[at]), space.unit[friends])
    return Drift(of.rows[at], far_V[at], friends, cosine_KV[np.arange(len(at)), friends], now)


def _unit(x_KD: np.ndarray) -> np.ndarray:
    found: np.ndarray = x_KD / np.linalg.norm(x_KD, axis=1, keepdims=True)
    return found


def places(
    space: Vectors, of: Trained, rows: Sequence[int]
) -> tuple[np.ndarray, np.ndarray, float]:
    """Words before and after (K, 2) on the two directions in which they differ most, and the share that these show."""
    at = {int(row): n for n, row in enumerate(of.rows)}
    old_KD = space.values[list(rows)]
    new_KD = np.stack([of.after_VD[at[row]] if row in at else space.values[row] for row in rows])
    both = np.concatenate([old_KD, new_KD])
    centre = both.mean(0)
    _u, size, direction = np.linalg.svd(both - centre, full_matrices=False)
    side = direction[:2][[0, 1], np.abs(direction[:2]).argmax(1)]
    plane = direction[:2] * np.where(side < 0, -1, 1)[:, None]
    share = float((size[:2] ** 2).sum() / max(1e-12, (size**2).sum()))
    return (old_KD - centre) @ plane.T, (new_KD - centre) @ plane.T, share


@lru_cache(32)
def trained(space: Vectors, way: str, size: int, seed: int = 0) -> Trained:
    return train(space, texts(space), way, size, seed)
