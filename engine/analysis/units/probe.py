"""Probe: which units tell whether a hypothesis holds, and which of that is more than chance.

What      AUC = P(unit higher where the hypothesis holds than where not), ties count half
              = (sum of the ranks where it holds - n1 (n1 + 1) / 2) / (n1 n0); 0.5 is chance, 0 and
              1 are perfect
          p   = share of all N circular shifts of the text against the unit with an AUC at least as
              far from 0.5
          q   = the smallest false discovery rate at which a pair counts as found: min over larger p
              of p m / rank
Source    Mann & Whitney, On a Test of Whether One of Two Random Variables is Stochastically Larger
          than the Other, 1947;
          Benjamini & Hochberg, Controlling the False Discovery Rate, 1995
Shapes    U = units, N = positions, F = hypotheses
Differs   Shuffled positions would be too easy a chance to beat: neighbours in a text are alike, in
          a unit too.  A shift keeps both and breaks only their being together.  All N shifts come
          from one correlation by Fourier transform;
          the shift by 0 is one of them, so p is at least 1 / N, and m tests with one single find
          need N > m / rate.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.core.numbers import ranks

LEAST = 10  # positions with and without, for a hypothesis to be tested
ROUNDING = 1e-5  # of single precision: what is as far from chance as that counts as equally far


@dataclass(frozen=True, slots=True, eq=False)
class Probe:
    """(U, F) each.  Not a number where nothing was tested: the hypothesis hardly ever (or always)
    holds, or the unit is broken."""

    auc: np.ndarray
    p: np.ndarray
    q: np.ndarray

    def best(self, hypothesis: int | None = None, rate: float = 0.05) -> tuple[int, int] | None:
        """(unit, hypothesis) furthest from chance among those found at this false discovery rate;
        None where nothing was."""
        far_UF = np.where(self.q <= rate, np.abs(self.auc - 0.5), -1.0)
        if hypothesis is not None:
            kept_F = np.arange(far_UF.shape[1]) == hypothesis
            far_UF = np.where(kept_F, far_UF, -1.0)
        if not far_UF.size or far_UF.max() < 0:
            return None
        unit, found = np.unravel_index(int(far_UF.argmax()), far_UF.shape)
        return int(unit), int(found)


def auc(state_N: np.ndarray, holds_FN: np.ndarray) -> np.ndarray:
    """(F,) of one unit, without what chance would give."""
    n, one_F = len(state_N), holds_FN.sum(1).astype(float)
    found_F = np.full(len(holds_FN), np.nan)
    tested_F = np.flatnonzero((one_F >= LEAST) & (n - one_F >= LEAST))
    if len(tested_F) and np.isfinite(state_N).all():
        centred_N = ranks(state_N) - (n + 1) / 2
        pairs_F = one_F[tested_F] * (n - one_F[tested_F])
        found_F[tested_F] = 0.5 + holds_FN[tested_F] @ centred_N / pairs_F
    return found_F


def probe(state_UN: np.ndarray, holds_FN: np.ndarray) -> Probe:
    """Every unit against every hypothesis."""
    from scipy.fft import next_fast_len

    (u, n), f = state_UN.shape, len(holds_FN)
    auc_UF, p_UF = np.full((u, f), np.nan), np.full((u, f), np.nan)
    one_F = holds_FN.sum(1).astype(float)
    tested_F = np.flatnonzero((one_F >= LEAST) & (n - one_F >= LEAST))
    if len(tested_F):
        centred_FN = (holds_FN[tested_F] - holds_FN[tested_F].mean(1, keepdims=True)).astype(
            np.float32
        )
        # a length with a large prime factor is slow to transform; twice as many zeros are not
        m = n if next_fast_len(n, real=True) == n else next_fast_len(2 * n - 1, real=True)
        wave_FK = np.conj(np.fft.rfft(centred_FN, m))
        pairs_F = one_F[tested_F] * (n - one_F[tested_F])
        held_FN = holds_FN[tested_F].astype(float)
        for unit, state_N in enumerate(state_UN):
            if not np.isfinite(state_N).all():
                continue
            centred_N = ranks(state_N) - (n + 1) / 2
            auc_UF[unit, tested_F] = 0.5 + held_FN @ centred_N / pairs_F
            p_UF[unit, tested_F] = shifted(centred_N, wave_FK, m)
    return Probe(auc_UF, p_UF, discoveries(p_UF))


def shifted(centred_N: np.ndarray, wave_FK: np.ndarray, m: int) -> np.ndarray:
    """(F,) share of the circular shifts at which unit and hypothesis agree at least as much, with
    either sign.  The waves are of m numbers: those of the text, or these with zeros behind them."""
    n = len(centred_N)
    agree_FM = np.fft.irfft(np.fft.rfft(centred_N.astype(np.float32), m) * wave_FK, m)
    if m > n:  # what is shifted out at the end comes in at the beginning
        agree_FM[:, 1:n] += agree_FM[:, m - n + 1 :]
    size_FN = np.abs(agree_FM[:, :n])
    slack = ROUNDING * np.sqrt((centred_N**2).sum() * len(centred_N))
    found: np.ndarray = (size_FN >= size_FN[:, :1] - slack).mean(1)
    return found


def discoveries(p: np.ndarray) -> np.ndarray:
    """q of every p by Benjamini and Hochberg, over all that were tested together."""
    q, tested = np.full(p.shape, np.nan), np.isfinite(p)
    known = p[tested]
    order = np.argsort(known)[::-1]  # the largest first
    least = np.minimum.accumulate(known[order] * len(known) / np.arange(len(known), 0, -1))
    known[order] = np.clip(least, 0, 1)
    q[tested] = known
    return q
