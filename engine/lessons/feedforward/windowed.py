"""Windowed: a feed-forward language model taken apart, by the places of its window.

What      the sum before tanh is H x_t + d = H_1 e(w_t-n+1) + ... + H_n e(w_t) + d: one block of H for
          each place, so the same word adds something else in another place
Source    Bengio, Ducharme, Vincent & Jauvin, A Neural Probabilistic Language Model, JMLR 3, 2003,
          section 2
Shapes    T = tokens, N = words of the window, D = width, H = units, V = vocabulary
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.models.feedforward import Config, FeedForward


def blocks(model: FeedForward) -> np.ndarray:
    """(N, H, D): the weights of each place, oldest first."""
    w_HE = model.weights()["hidden.weight"]
    n = model.config.window
    return w_HE.reshape(len(w_HE), n, -1).transpose(1, 0, 2)


def pushes(block_NHD: np.ndarray, window_TND: np.ndarray) -> np.ndarray:
    """(T, N): how long the vector is that each place adds to the sums of the hidden layer."""
    made: np.ndarray = np.linalg.norm(np.einsum("nhd,tnd->tnh", block_NHD, window_TND), axis=-1)
    return made


def compare_places(model: FeedForward, id: int) -> np.ndarray:
    """(N, N): the cosine between what one word adds in two places."""
    added_NH = blocks(model) @ model.weights()["embed.weight"][id]
    length_N = np.linalg.norm(added_NH, axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        cosine_NN: np.ndarray = added_NH @ added_NH.T / np.outer(length_N, length_N)
    return np.nan_to_num(cosine_NN).clip(-1, 1)


@dataclass(frozen=True, slots=True)
class Size:
    """How many numbers are learned: vectors of the words, hidden layer, output layer, direct
    connections."""

    vectors: int
    hidden: int
    output: int
    direct: int

    @property
    def total(self) -> int:
        return self.vectors + self.hidden + self.output + self.direct


def size(config: Config, v: int, n: int) -> Size:
    """Of a net like this one with a window of n words."""
    return Size(
        v * config.width,
        config.units * n * config.width + config.units,
        v * config.units + v,
        v * n * config.width if config.direct else 0,
    )
