"""Bilinear: one head's scores as q^T M k' of the tokens themselves, M = W_Q W_K^T, and what kind of
matrix M is.

What      (n_i W_Q) . (n_j W_K) = n_i M n_j^T; M is D x D but of rank K at most; W_Q R and W_K R^-T
          make the same M
Source    Luong et al., 2015, eq. 8 ("general"); Elhage et al., A Mathematical Framework for
          Transformer Circuits, 2021 (QK circuit)
Shapes    D = width of the stream, K = width of a head
Differs   Biases are left out.  M is never written out: its singular values come from two K x K
          matrices.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Form:
    """Singular values of M, largest first (K,), and what share of its squares its symmetric part
    has: 0.5 in a random matrix."""

    singular_K: np.ndarray
    symmetric: float

    @property
    def rank(self) -> int:
        """Singular values that are more than rounding of the largest."""
        return int((self.singular_K > self.singular_K[0] * 1e-6).sum())


def form(query_KD: np.ndarray, key_KD: np.ndarray) -> Form:
    q_KD, k_KD = query_KD.astype(np.float64), key_KD.astype(np.float64)
    _, r_KK = np.linalg.qr(q_KD.T)
    _, s_KK = np.linalg.qr(k_KD.T)
    singular_K = np.linalg.svd(r_KK @ s_KK.T, compute_uv=False)
    size = float((singular_K**2).sum())
    turned = float(np.trace(k_KD @ q_KD.T @ k_KD @ q_KD.T))  # sum of M * M^T
    return Form(singular_K, (size + turned) / (2 * size) if size else 1.0)


def largest_share(singular_K: np.ndarray, share: float = 0.9) -> int:
    """How many singular values hold this share of the sum of squares."""
    grown = np.cumsum(singular_K**2)
    return int(np.searchsorted(grown, share * grown[-1]) + 1)
