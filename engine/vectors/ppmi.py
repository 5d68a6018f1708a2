"""Positive pointwise mutual information, and the few directions that hold most of it.

What      PPMI_ij = max(0, ln(P(i, j) / (P(i) P_a(j))) - ln k),  P_a(j) = count(j)^a / sum count^a;
          U S V^T = the best approximation of rank D; vector of word i = row i of U S^p
Source    Church & Hanks, Word Association Norms, Mutual Information, and Lexicography, 1990 (PMI);
          Levy, Goldberg & Dagan, Improving Distributional Similarity with Lessons Learned from Word
          Embeddings, 2015, sec. 3 (shift k, smoothing a = 0.75, power p); Eckart & Young, 1936 (why
          the largest singular values)
Shapes    V = vocabulary, D = dimensions
Differs   The sign of a singular vector is free: here its largest number is positive.  Up to `DENSE`
          words numpy gives all singular values; above, ARPACK finds the largest D only.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

DENSE = 400


def ppmi(count_VV: sparse.csr_array, shift: float = 1.0, alpha: float = 1.0) -> sparse.csr_array:
    """The table (V, V) of a table of counts; what is not above 0 is not stored.  `shift` is k, not
    its logarithm."""
    found_VV = count_VV.copy()
    if found_VV.nnz == 0:
        return found_VV
    word_V, context_V = np.asarray(count_VV.sum(1)), np.asarray(count_VV.sum(0)) ** alpha
    with np.errstate(divide="ignore"):
        word_V, context_V = np.log(word_V), np.log(context_V) - np.log(context_V.sum())
    row_N = np.repeat(np.arange(len(word_V)), np.diff(found_VV.indptr))
    found_VV.data = np.maximum(
        np.log(found_VV.data) - word_V[row_N] - context_V[found_VV.indices] - np.log(shift), 0
    )
    found_VV.eliminate_zeros()
    return found_VV


def svd(table_VV: sparse.csr_array, width: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(u_VD, s_D, v_VD) with the largest singular values first; D = `width`, or V where that is
    less."""
    d = min(width, *table_VV.shape)
    if max(table_VV.shape) <= DENSE or d >= min(table_VV.shape) - 1:
        u_VV, s_V, vt_VV = np.linalg.svd(table_VV.toarray(), full_matrices=False)
        u_VD, s_D, v_VD = u_VV[:, :d], s_V[:d], vt_VV[:d].T
    else:
        from scipy.sparse.linalg import svds

        start_V = np.random.default_rng(0).standard_normal(min(table_VV.shape))
        u_VD, s_D, vt_DV = svds(table_VV, d, v0=start_V)
        u_VD, s_D, v_VD = u_VD[:, ::-1], s_D[::-1], vt_DV[::-1].T
    sign_D = np.sign(u_VD[np.abs(u_VD).argmax(0), np.arange(d)])
    return u_VD * sign_D, s_D, v_VD * sign_D


def vectors(u_VD: np.ndarray, s_D: np.ndarray, power: float = 0.5) -> np.ndarray:
    """Word vectors (V, D), float32: each direction weighted by its singular value to `power`."""
    found: np.ndarray = (u_VD * s_D**power).astype(np.float32)
    return found
