"""Wiring: which text the queries, keys and values of an attention come from, and the shapes that
follow.

What      self: all three from one text (N = M); cross: queries from one text (N tokens), keys and
          values from another (M)
Source    Vaswani et al., Attention Is All You Need, 2017, sec. 3.2.3
Shapes    N = tokens that look, M = tokens looked at, D = width of a token, K = width of query and
          key, V = of a value
Differs   "swapped" is the wiring of the course notes: queries and keys from the text looked at,
          values from the text that looks.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.analysis.qkv.attend import softmax

WIRINGS = ("self", "cross", "swapped")


@dataclass(frozen=True, eq=False)
class Wired:
    """Per step its name, from what it is made, and its shape; `problem` is numpy's own error where
    the next step fails."""

    rows: tuple[tuple[str, str, tuple[int, int]], ...]
    weight: np.ndarray
    problem: str = ""


def wire(wiring: str, n: int, m: int, d: int, k: int, v: int, seed: int = 0) -> Wired:
    """Random matrices of these sizes, really multiplied.  KeyError for an unknown wiring."""
    if wiring not in WIRINGS:
        raise KeyError(f"no wiring {wiring!r}; there are {', '.join(WIRINGS)}")
    draw = np.random.default_rng(seed)
    looks, looked = "X" if wiring == "self" else "X_dec", "X" if wiring == "self" else "X_enc"
    texts = {looks: draw.standard_normal((n, d))}
    texts.setdefault(looked, draw.standard_normal((m, d)))
    of = {"Q": looks, "K": looked, "V": looked}
    if wiring == "swapped":
        of = {"Q": looked, "K": looked, "V": looks}
    made, rows = {}, [(name, "a text: a row is a token", x.shape) for name, x in texts.items()]
    for name, wide in (("Q", k), ("K", k), ("V", v)):
        made[name] = texts[of[name]] @ draw.standard_normal((d, wide)) / np.sqrt(d)
        rows.append((name, f"{of[name]} W_{name}, W_{name} is {d} × {wide}", made[name].shape))
    score = made["Q"] @ made["K"].T / np.sqrt(k)
    weight = softmax(score)
    rows += [("scores", "Q Kᵀ / √d", score.shape), ("weights", "softmax of each row", weight.shape)]
    try:
        out = weight @ made["V"]
    except ValueError as problem:
        return Wired(tuple(rows), weight, str(problem))
    return Wired((*rows, ("output", "weights × V", out.shape)), weight)
