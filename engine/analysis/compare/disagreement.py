"""Disagreement: how differently two models would go on, whatever then came.

What      JSD(p, q) = H((p + q) / 2) - (H(p) + H(q)) / 2, with H(p) = -sum p log2 p; in bits
          0 where both say the same, 1 where each holds for impossible what the other expects.  It
          is the information that the next token, drawn from one of the two, gives about which of
          them it was drawn from
Source    Lin, Divergence Measures Based on the Shannon Entropy, IEEE Transactions on Information
          Theory 37, 1991, sec. III
Shapes    K = places, P = pairs of models, V = vocabulary, C = signs
Differs   Models with the same vocabulary are compared over tokens, others over the next sign
          (nextsign.py), which gives at most as much.  Of more than two models every pair is
          compared, so that the scale stays 0 to 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from engine.analysis.compare.nextsign import NextSign
from engine.core.trace import Trace
from engine.models.base import Model

TOKENS, SIGNS, AFTER_BLANK = "tokens", "characters", "characters after the blank"


@dataclass(frozen=True, slots=True)
class Disagreement:
    """jsd_KP in bits at the places `at` (characters); `over` says of what the distributions are;
    other_M: mean share that counts as one sign, empty without a place."""

    at: tuple[int, ...]
    pairs: tuple[tuple[int, int], ...]
    jsd_KP: np.ndarray
    over: str
    other_M: tuple[float, ...]


def entropy(p_KV: np.ndarray) -> np.ndarray:
    """Bits along the last axis."""
    with np.errstate(divide="ignore", invalid="ignore"):
        bits: np.ndarray = -np.where(p_KV > 0, p_KV * np.log2(p_KV), 0.0).sum(-1)
    return bits


def jensen_shannon(p_KV: np.ndarray, q_KV: np.ndarray) -> np.ndarray:
    """(K,) bits, 0 to 1; rows need not sum to exactly 1."""
    p_KV, q_KV = (
        x.astype(np.float64) / x.sum(-1, keepdims=True, dtype=np.float64) for x in (p_KV, q_KV)
    )
    return np.clip(entropy((p_KV + q_KV) / 2) - (entropy(p_KV) + entropy(q_KV)) / 2, 0.0, 1.0)


def disagreement(
    text: str, models: Sequence[Model[Any]], traces: Sequence[Trace], cuts: Sequence[int]
) -> Disagreement:
    """At the common cuts (alignment.py) where something can be said."""
    pairs = tuple(combinations(range(len(models)), 2))
    vocabulary = models[0].tokenizer.vocab
    if all(model.tokenizer.vocab == vocabulary for model in models[1:]):
        rows = [{stop: t for t, (_, stop) in enumerate(trace.spans)} for trace in traces]
        q_MKV = (
            [
                trace.field("probability").values[[row[c] for c in cuts]]
                for trace, row in zip(traces, rows, strict=True)
            ]
            if cuts
            else []
        )
        at, over, other = tuple(cuts), TOKENS, (0.0,) * len(models)
    else:
        asked = NextSign(models)
        at = tuple(asked.places(text, cuts))
        q_MKV = [asked.at(m, trace, at) for m, trace in enumerate(traces)] if at else []
        over = AFTER_BLANK if asked.skip else SIGNS
        other = tuple(float(q_KC[:, -1].mean()) for q_KC in q_MKV)
    jsd_KP = (
        np.stack([jensen_shannon(q_MKV[a], q_MKV[b]) for a, b in pairs], 1)
        if at
        else np.zeros((0, len(pairs)))
    )
    return Disagreement(at, pairs, jsd_KP, over, other)
