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

from engine.core.trace import Axis, Field, FieldSpec, Kind, Table, TableSpec, Trace

SHUT = 2.0**-24
ROUNDING = 1e-9  # a product that is 1/2 but for its last digits is 1/2
BEFORE = "before"


def numbers(trace: Trace, memory: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What stays, what is written and the memory, each (L, T, U), float64.  `memory`: state, keep,
    write, complement."""
    state_LTU = trace.field(memory.state).values.astype(float)
    write_LTU = np.prod([trace.field(name).values.astype(float) for name in memory.write], axis=0)
    if not memory.keep:
        return np.ones_like(state_LTU), write_LTU, state_LTU
    keep_LTU = trace.field(memory.keep).values.astype(float)
    return (1 - keep_LTU if memory.complement else keep_LTU), write_LTU, state_LTU


@dataclass(frozen=True, slots=True, eq=False)
class Account:
    """The memory of one unit, taken apart.  Row t is a moment, column k the token that wrote; above
    the diagonal 0.

    part_TT    what token k put there, as much as is left of it: kept_TT * write_T
    kept_TT    the share that is left: f_k+1 * ... * f_t
    before_T   what is left of the memory from before the first token; 0 where the text begins with
               it
    """

    tokens: tuple[str, ...]
    offset: int
    symbol: str  # of the memory: c_t
    symbols: tuple[str, ...]  # of what is multiplied to be written: i_t, g_t
    factor_WT: np.ndarray
    part_TT: np.ndarray
    kept_TT: np.ndarray
    write_T: np.ndarray
    before_T: np.ndarray
    state_T: np.ndarray

    @property
    def sum_T(self) -> np.ndarray:
        """The memory again, added up from its parts."""
        return np.asarray(self.before_T + self.part_TT.sum(1))

    def largest(self, moment: int) -> int:
        """The token that put the most there, whatever its sign."""
        return int(np.abs(self.part_TT[moment]).argmax())

    def grid(self) -> Field:
        """(token, source): a moment, and who wrote; the first source is what was there before, in a
        text that is cut."""
        sources, parts = self.tokens, self.part_TT
        if self.offset:
            sources, parts = (BEFORE, *sources), np.hstack([self.before_T[:, None], parts])
        says = "What each earlier token (across) has in the memory at each moment (down)."
        spec = FieldSpec(
            "ledger", Kind.STATE, ("token", "source"), says, self.symbol, domain=(-1, 1)
        )
        return Field(
            spec, parts.astype(np.float32), (Axis("token", self.tokens), Axis("source", sources))
        )

    def sheet(self, moment: int) -> Table:
        """One row per token, newest first: what it wrote, how much is left, and the running total,
        which ends at the memory."""
        k = slice(moment, None, -1)
        steps, parts = list(self.tokens[k]), self.part_TT[moment, k]
        factors = {
            name.replace("_t", "_k"): row[k]
            for name, row in zip(self.symbols, self.factor_WT, strict=True)
        }
        columns = {**factors, "kept": self.kept_TT[moment, k], "contribution": parts}
        if self.offset:
            steps.append(BEFORE)
            columns = {name: np.append(column, np.nan) for name, column in columns.items()}
            columns["contribution"][-1] = self.before_T[moment]
        after = np.cumsum(columns["contribution"])
        columns = {
            "step": np.array(steps, object),
            "before": after - columns["contribution"],
            "after": after,
            **columns,
        }
        says = f"How {self.symbol} at “{self.tokens[moment]}” adds up, from the newest token back."
        return Table(TableSpec("account", tuple(columns), says), columns)

    def fading(self, source: int) -> Field:
        """What is left of what a token wrote, from that token on."""
        says = f"How much is left of what “{self.tokens[source]}” wrote."
        spec = FieldSpec("kept", Kind.GATE, ("token",), says)
        return Field(
            spec,
            self.kept_TT[source:, source].astype(np.float32),
            (Axis("token", self.tokens[source:]),),
        )


def account(trace: Trace, memory: Any, layer: int, unit: int) -> Account:
    """KeyError where the trace lacks a field that the memory names."""
    keep_T, write_T, state_T = (part[layer, :, unit] for part in numbers(trace, memory))
    count = len(state_T)
    kept_TT = np.zeros((count, count))
    for t in range(count):
        if t:
            kept_TT[t, :t] = kept_TT[t - 1, :t] * keep_T[t]
        kept_TT[t, t] = 1.0
    carried = state_T[0] - write_T[0] if trace.offset and count else 0.0
    before_T = carried * kept_TT[:, 0] if count else np.zeros(0)
    written = [trace.field(name) for name in memory.write]
    return Account(
        trace.tokens,
        trace.offset,
        trace.field(memory.state).spec.symbol,
        tuple(f.spec.symbol or f.spec.name for f in written),
        np.array([f.values[layer, :, unit] for f in written], float),
        kept_TT * write_T,
        kept_TT,
        write_T,
        before_T,
        state_T,
    )


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
        raise ValueError(
            f"a gate of {keep:g} has no half-life: it has to be at least 0 and below 1"
        )
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


def after(keep_T: np.ndarray) -> HalfLives:
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


def back(keep_T: np.ndarray) -> HalfLives:
    """At each moment, how many tokens back half is gone: of what is older, less than half is
    left."""
    count = len(keep_T)
    risen_T = np.concatenate([[0.0], -np.log(np.maximum(keep_T, SHUT)).cumsum()])
    last_T = np.searchsorted(risen_T, risen_T[1:] - math.log(2) + ROUNDING, side="right") - 1
    place_T = np.arange(1, count + 1)
    longer_T = last_T < 0
    return HalfLives(np.where(longer_T, place_T, place_T - last_T).astype(float), longer_T)


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
        rows = [after(column) for column in keep.reshape(len(keep), -1).T]
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
