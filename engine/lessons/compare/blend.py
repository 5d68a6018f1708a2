"""Blend: one text written by two models together, from all of A (w = 0) to all of B (w = 1).

What      mixture of experts   p(x) = (1 - w) p_A(x) + w p_B(x): before each token a coin with
          chance w says who writes it
          product of experts   p(x) in proportion to p_A(x)^(1 - w) p_B(x)^w, which is softmax((1 -
                               w) log p_A + w log p_B):
                               both must agree; what one of them forbids is not written
          and p^(1/T), made to sum to 1 again, at temperature T
Source    mixture: Jelinek & Mercer, Interpolated Estimation of Markov Source Parameters from Sparse
          Data, 1980;
          product: Hinton, Products of Experts, 1999; Genest & Zidek, Combining Probability
          Distributions, 1986 (logarithmic pool)
Shapes    V = vocabulary of one model, N = shared tokens
Differs   Both are asked over the tokens that both know, each divided by its sum over these.  With
          different merges the same text could be cut otherwise by each; both read it as it was
          written, token by token.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.analysis.decode.choice import draw
from engine.analysis.decode.place import read, then
from engine.analysis.decode.sample import pieces
from engine.analysis.decode.temperature import softmax, temperature
from engine.models.base import Model

MIXTURE, PRODUCT = "mixture", "product"
MARK = re.compile(r"<\|.*\|>|\[(PAD|UNK|CLS|SEP|MASK|unk)\]|</?(s|unk|pad)>")


@dataclass(frozen=True, slots=True)
class Shared:
    """The tokens that two vocabularies have in common: their ids in each (N,)."""

    a_N: np.ndarray
    b_N: np.ndarray


@dataclass(frozen=True, slots=True)
class Written:
    """One token: the text it adds, with what probability it was drawn, and how much it speaks for A
    against B (bits)."""

    piece: str
    p: float
    odds: float


def shared(a: Any, b: Any) -> Shared:
    """Of two tokenizers.  ValueError with a sentence where their tokens are of different kinds, or
    they share none."""
    if a.id != b.id:
        raise ValueError(
            f"one cuts the text into {a.id}, the other into {b.id}: there is no token that both"
            " could draw. Choose two models with the same tokenizer"
        )
    place = {piece: id for id, piece in enumerate(b.vocab) if is_text(b, id, piece)}
    found = [
        (id, place[piece])
        for id, piece in enumerate(a.vocab)
        if is_text(a, id, piece) and piece in place
    ]
    if a.vocab[a.boundary] not in place:
        found.append((a.boundary, b.boundary))
    if len(found) < 2:
        raise ValueError(
            "their vocabularies have no token in common, so neither could go on with what the other"
            " wrote"
        )
    return Shared(*(np.array(column) for column in zip(*found, strict=True)))


def is_text(tokenizer: Any, id: int, piece: str) -> bool:
    """Whether a token stands for text, or for a line end; the sign for what is unknown stands for
    none."""
    return id == tokenizer.boundary or (id != tokenizer.unknown and not MARK.fullmatch(piece))


def blend(log_a_N: np.ndarray, log_b_N: np.ndarray, w: float, kind: str) -> np.ndarray:
    """(N,) float64.  ValueError where a product has nothing left, or for another kind."""
    p_a_N, p_b_N = softmax(log_a_N), softmax(log_b_N)
    if kind == MIXTURE or w in (0, 1):
        mixed_N: np.ndarray = (1 - w) * p_a_N + w * p_b_N
        return mixed_N
    if kind != PRODUCT:
        raise ValueError(f"kind is {MIXTURE!r} or {PRODUCT!r}, not {kind!r}")
    with np.errstate(divide="ignore"):
        return softmax((1 - w) * np.log(p_a_N) + w * np.log(p_b_N))


def write(
    a: Model[Any],
    b: Model[Any],
    prompt: str,
    *,
    w: float,
    kind: str = PRODUCT,
    steps: int = 100,
    seed: int = 0,
    t: float = 1.0,
) -> Iterator[Written]:
    """`steps` tokens after the prompt.  ValueError where the two can't write together."""
    both = shared(a.tokenizer, b.tokenizer)  # type: ignore[attr-defined]
    at_a, at_b = read(a, a.tokens(prompt)), read(b, b.tokens(prompt))
    rng, drawn, last = (
        np.random.default_rng(seed),
        list[tuple[int, float, float]](),
        int(at_a.tokens.ids[-1]),
    )
    for step in range(steps):
        log_a_N, log_b_N = at_a.logit_V[both.a_N], at_b.logit_V[both.b_N]
        p_N = temperature(blend(log_a_N, log_b_N, w, kind), t)
        n = draw(p_N, rng)
        with np.errstate(divide="ignore"):
            odds = float(np.log2(softmax(log_a_N)[n]) - np.log2(softmax(log_b_N)[n]))
        drawn.append((int(both.a_N[n]), float(p_N[n]), odds))
        if step + 1 < steps:
            at_a, at_b = then(at_a, int(both.a_N[n])), then(at_b, int(both.b_N[n]))
    said = pieces(last, (id for id, _, _ in drawn), a.tokenizer, len(drawn))  # type: ignore[attr-defined]
    for piece, (_, p, odds) in zip(said, drawn, strict=True):
        yield Written(piece, p, odds)
