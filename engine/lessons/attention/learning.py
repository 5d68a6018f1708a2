"""Learning queries, keys and values: one head, from weights by chance to a lookup that is always right.

What      a text is a few pairs of a letter and a digit, then a letter; the answer is the digit that
          stood with it.  x = one-hot letter beside one-hot digit; q = x W_Q, k = x W_K, v = x W_V;
          a = softmax(q k^T / sqrt(K)) over the pairs; logits = a v W_O; loss = cross-entropy
Source    Vaswani et al., Attention Is All You Need, 2017, sec. 3.2.1; the task: Graves, Wayne &
          Danihelka, Neural Turing Machines, 2014, sec. 4.3 (associative recall), each item one token
Shapes    B = texts, M = pairs, C = letters or digits (as many of each), K = width of the head
Differs   The pairs are given as one token each, so one head is enough, and nothing else is learned.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

LETTERS, DIGITS = "abcdefgh", "01234567"
WIDTH, PAIRS, BATCH, RATE = 8, 5, 128, 0.02
STEPS = (0, 5, 10, 20, 30, 40, 60, 80, 100, 150, 200, 300)
HELD_OUT = 1_000
STARTS = {"random": "all by chance", "keys": "keys 0", "both": "queries and keys 0"}
NAMES = ("query", "key", "value", "out")


@dataclass(frozen=True)
class Head:
    """The weights at one moment: query, key, value (2 C, K) and out (K, C)."""

    query: np.ndarray
    key: np.ndarray
    value: np.ndarray
    out: np.ndarray

    def matches(self) -> np.ndarray:
        """(C, C): the score of each letter that asks with each letter that is offered."""
        c = len(LETTERS)
        found: np.ndarray = self.query[:c] @ self.key[:c].T / math.sqrt(WIDTH)
        return found

    def answers(self) -> np.ndarray:
        """(C, C): what a digit that is read adds to the logit of each answer."""
        found: np.ndarray = self.value[len(LETTERS) :] @ self.out
        return found

    def read(
        self, letters: list[int], digits: list[int], asked: list[int]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Weights (N, M) and probabilities (N, C) for each letter `asked` of the pairs."""
        x = torch.from_numpy(_pairs(np.array([letters]), np.array([digits]))).repeat(
            len(asked), 1, 1
        )
        parts = [torch.from_numpy(getattr(self, name)) for name in NAMES]
        weight, logit = forward(parts, _letters(torch.tensor(asked)), x)
        return weight.numpy(), logit.softmax(-1).numpy()


@dataclass(frozen=True)
class Course:
    """A training: the head after each of STEPS, its loss in nats and the share of HELD_OUT texts it
    answers rightly, the length of each gradient there (S, 4), in the order of NAMES, and its role:
    the mean weight on the pair of the letter that asks."""

    heads: tuple[Head, ...]
    loss_S: np.ndarray
    right_S: np.ndarray
    gradient_S4: np.ndarray
    role_S: np.ndarray


def forward(parts: list[Tensor], ask_BD: Tensor, pair_BMD: Tensor) -> tuple[Tensor, Tensor]:
    """Weights (B, M) and logits (B, C); `parts` in the order of NAMES."""
    query, key, value, out = parts
    q_BK, k_BMK, v_BMK = ask_BD @ query, pair_BMD @ key, pair_BMD @ value
    weight_BM = ((k_BMK @ q_BK[..., None])[..., 0] / math.sqrt(WIDTH)).softmax(-1)
    return weight_BM, (weight_BM[:, None] @ v_BMK)[:, 0] @ out


def drawn(count: int, draw: np.random.Generator) -> tuple[Tensor, Tensor, Tensor]:
    """Random texts: what asks (B, 2 C), the pairs (B, M, 2 C), the answers (B,)."""
    letter_BM = draw.permuted(np.tile(np.arange(len(LETTERS)), (count, 1)), axis=1)[:, :PAIRS]
    digit_BM = draw.integers(0, len(DIGITS), (count, PAIRS))
    at_B = draw.integers(0, PAIRS, count)
    rows = np.arange(count)
    return (
        _letters(torch.from_numpy(letter_BM[rows, at_B])),
        torch.from_numpy(_pairs(letter_BM, digit_BM)),
        torch.from_numpy(digit_BM[rows, at_B]),
    )


def learned(seed: int, start: str = "random") -> Course:
    """Trained here, in about a second.  KeyError for no such start."""
    assert STARTS[start]
    draw = np.random.default_rng(seed)
    shapes = [(len(LETTERS) + len(DIGITS), WIDTH)] * 3 + [(WIDTH, len(DIGITS))]
    parts = [torch.from_numpy(draw.normal(0, 0.3, shape).astype(np.float32)) for shape in shapes]
    for n in {"random": (), "keys": (1,), "both": (0, 1)}[start]:
        parts[n] = torch.zeros_like(parts[n])
    for part in parts:
        part.requires_grad_()
    held_out = drawn(HELD_OUT, np.random.default_rng(10_000))
    optimiser = torch.optim.Adam(parts, lr=RATE)
    heads, loss, right, gradient, role = [], [], [], [], []
    for step in range(STEPS[-1] + 1):
        if step in STEPS:
            ask, pair, answer = held_out
            weight, logit = forward(parts, ask, pair)
            role.append(float((weight.detach() * (pair @ ask[..., None])[..., 0]).sum(1).mean()))
            cost = F.cross_entropy(logit, answer)
            found = torch.autograd.grad(cost, parts)
            heads.append(Head(*(part.detach().numpy().copy() for part in parts)))
            loss.append(cost.item())
            right.append(float((logit.argmax(-1) == answer).float().mean()))
            gradient.append([float(g.norm()) for g in found])
        ask, pair, answer = drawn(BATCH, draw)
        optimiser.zero_grad()
        F.cross_entropy(forward(parts, ask, pair)[1], answer).backward()  # type: ignore[no-untyped-call]
        optimiser.step()
    return Course(tuple(heads), *map(np.array, (loss, right, gradient, role)))


def read(text: str) -> tuple[list[int], list[int]]:
    """The letters and digits of the pairs in a text such as "a3 c1 f7", of a letter that stands
    twice the last; ValueError where there is none."""
    found = {a: int(b) for a, b in re.findall(r"([a-h])\s*([0-7])", text.casefold())}
    if not found:
        raise ValueError(
            "Type pairs of a letter from a to h and a digit from 0 to 7, such as a3 c1 f7."
        )
    return [LETTERS.index(a) for a in found], [*found.values()]


def _letters(letter_B: Tensor) -> Tensor:
    return F.one_hot(letter_B, len(LETTERS) + len(DIGITS)).float()


def _pairs(letter_BM: np.ndarray, digit_BM: np.ndarray) -> np.ndarray:
    both = np.concatenate([np.eye(len(LETTERS))[letter_BM], np.eye(len(DIGITS))[digit_BM]], -1)
    return both.astype(np.float32)
