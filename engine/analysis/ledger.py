"""Ledger: which token put how much into a unit's memory, and after how many tokens half of it is
gone.

What      c_T = sum over k of (f_k+1 * ... * f_T) * w_k, exact; w_k = i_k * g_k for an LSTM, z_k *
          n_k for a GRU
          half-life: the smallest n with f_k+1 * ... * f_k+n <= 1/2; of an average gate: ln 2 /
          -mean(ln f)
Source    Hochreiter & Schmidhuber, Long Short-Term Memory, 1997, sec. 3.2 (f = 1: nothing fades);
          Gers, Schmidhuber & Cummins, Learning to Forget, 2000, sec. 3 (f below 1: it fades by the
          product)
Shapes    T = tokens, k = the token that wrote, L = layers, U = units, N = tokens of all texts
          together
Differs   Products are built row by row in double precision and never divided, so a shut gate or a
          long text breaks no sum.
          A gate that is shut counts in a half-life as 2^-24, the step of single precision below 1.
          A half-life longer than what was read is said as "longer than" that, not as a guess.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.core.trace import Trace
from engine.language.message import refusal

SHUT = 2.0**-24
ROUNDING = 1e-9  # a product that is 1/2 but for its last digits is 1/2


def numbers(
    trace: Trace, memory: Any, at: Any = slice(None)
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What stays, what is written and the memory, each (L, T, U) or `at` a part of that, float64.  `memory`: state,
    keep, write, complement."""
    state, *write = (
        trace.field(name).values[at].astype(float) for name in (memory.state, *memory.write)
    )
    written = np.prod(write, axis=0)
    if not memory.keep:
        return np.ones_like(state), written, state
    keep = trace.field(memory.keep).values[at].astype(float)
    return (1 - keep if memory.complement else keep), written, state


@dataclass(frozen=True, slots=True, eq=False)
class Account:
    """The memory of one unit, taken apart.  Row t is a moment, column k the token that wrote; above
    the diagonal 0.

    part_TT    what token k put there, as much as is left of it: kept_TT * write_T
    kept_TT    the share that is left: f_k+1 * ... * f_t
    before_T   what is left of the memory from before the first token; 0 where the text begins with
               it
    keep_T     the gate that multiplies what was there before
    """

    part_TT: np.ndarray
    kept_TT: np.ndarray
    write_T: np.ndarray
    before_T: np.ndarray
    state_T: np.ndarray
    keep_T: np.ndarray

    @property
    def sum_T(self) -> np.ndarray:
        """The memory again, added up from its parts."""
        return np.asarray(self.before_T + self.part_TT.sum(1))


def account(trace: Trace, memory: Any, layer: int, unit: int) -> Account:
    """KeyError where the trace lacks a field that the memory names."""
    unit_1T = (slice(layer, layer + 1), slice(None), unit)
    keep_T, write_T, state_T = (part[0] for part in numbers(trace, memory, unit_1T))
    count = len(state_T)
    kept_TT = np.zeros((count, count))
    for t in range(count):
        if t:
            kept_TT[t, :t] = kept_TT[t - 1, :t] * keep_T[t]
        kept_TT[t, t] = 1.0
    carried = state_T[0] - write_T[0] if trace.offset and count else 0.0
    before_T = carried * kept_TT[:, 0] if count else np.zeros(0)
    return Account(kept_TT * write_T, kept_TT, write_T, before_T, state_T, keep_T)


@dataclass(frozen=True, slots=True, eq=False)
class HalfLives:
    """`tokens`: half-lives; where `longer`, all that is known is that it is longer than this."""

    tokens: np.ndarray
    longer: np.ndarray

    def say(self, *at: int) -> str:
        n = self.tokens[at]
        return (
            f"{'longer than ' if self.longer[at] else ''}{n:,.0f}"
            if n >= 100 or n == int(n)
            else f"{n:.3g}"
        )


def constant(keep: float) -> float:
    """Half-life in tokens of a gate that never moves.  ValueError for 1, which forgets nothing, and
    outside 0 to 1."""
    if not 0 <= keep < 1:
        raise refusal("a gate of {keep:g} has no half-life: it has to be at least 0 and below 1")
    return math.log(2) / -math.log(max(keep, SHUT))


def first(offset: int, count: int) -> int:
    """The first of `count` tokens whose gate counts in a half-life: that of the first token of a
    text, at `offset` 0, acted on an empty memory."""
    return int(offset == 0 and count > 1)


def average(keep_NU: np.ndarray) -> HalfLives:
    """Of the mean logarithm over the first axis: the half-life of a constant gate that forgets as
    much in N tokens.

    One token that empties the memory weighs more here than a hundred that keep it; `median` does
    not see how deep it fell.
    """
    count = len(keep_NU)
    mean_U = np.log(np.maximum(keep_NU, SHUT)).mean(0) if count else np.zeros(keep_NU.shape[1:])
    with np.errstate(divide="ignore"):
        tokens_U = np.where(mean_U < 0, math.log(2) / -np.minimum(mean_U, 0), np.inf)
    longer_U = tokens_U > count
    return HalfLives(np.where(longer_U, count, tokens_U), longer_U)


def measure_half_lives(keep_T: np.ndarray) -> HalfLives:
    """From each token on, how many more it takes until half is gone; longer than the text where it
    ends first."""
    count = len(keep_T)
    fallen_T = -np.log(np.maximum(keep_T, SHUT)).cumsum()
    # the token at which half is gone
    first_T = np.searchsorted(fallen_T, fallen_T + math.log(2) - ROUNDING)
    place_T = np.arange(count)
    longer_T = first_T >= count
    return HalfLives(
        np.where(longer_T, count - 1 - place_T, first_T - place_T).astype(float), longer_T
    )


def median(keeps: Sequence[np.ndarray], reach: int) -> HalfLives:
    """Of the half-lives counted from each token that has `reach` more behind it; texts (T,
    ..units).

    At least half of the tokens have lost half after so many.  Without a token that far from the
    end: longer than 0.
    """
    shape = keeps[0].shape[1:]
    found: list[np.ndarray] = []
    for keep in keeps:
        places = max(0, len(keep) - reach)
        rows = [measure_half_lives(column) for column in keep.reshape(len(keep), -1).T]
        found.append(
            np.array(
                [np.where(r.longer | (r.tokens > reach), np.inf, r.tokens)[:places] for r in rows]
            )
        )
    all_UN = np.concatenate(found, 1)
    if not all_UN.shape[1]:
        return HalfLives(np.zeros(shape), np.ones(shape, bool))
    tokens_U = np.quantile(all_UN, 0.5, axis=1, method="lower").reshape(shape)
    longer_U = np.isinf(tokens_U)
    return HalfLives(np.where(longer_U, reach, tokens_U), longer_U)
