"""Align: turn one space of word vectors onto another, so that the two can be compared.

What      R = argmin |A R - B| over rotations and reflections;  A' B = U S V'  gives  R = U V'
Source    Schönemann, A Generalized Solution of the Orthogonal Procrustes Problem, 1966;
          Hamilton, Leskovec & Jurafsky, Diachronic Word Embeddings Reveal Statistical Laws of
          Semantic Change, 2016 (for words)
Shapes    N = words that both know, D = dimensions
Differs   Rows are made of length 1 and centred on the mean of the words that both know before R is
          found.  Nothing is scaled: lengths play no part in a cosine.
"""

from __future__ import annotations

import numpy as np

from engine.language.message import refusal


def find_rotation(from_ND: np.ndarray, to_ND: np.ndarray) -> np.ndarray:
    """R (D, D) that turns one table of vectors onto another of the same words in the same order."""
    return procrustes(*(_centred(rows_ND) for rows_ND in (from_ND, to_ND)))


def _centred(rows_ND: np.ndarray) -> np.ndarray:
    length_N1 = np.linalg.norm(np.asarray(rows_ND, np.float64), axis=1, keepdims=True)
    unit_ND = rows_ND / np.where(length_N1 > 0, length_N1, 1)
    found: np.ndarray = unit_ND - unit_ND.mean(0)
    return found


def procrustes(from_ND: np.ndarray, to_ND: np.ndarray) -> np.ndarray:
    """The orthogonal R (D, D) for which from @ R lies nearest to `to`.  ValueError when the shapes
    differ."""
    if from_ND.shape != to_ND.shape:
        raise refusal(
            "only spaces of one width can be turned onto each other, not {shape} and {shape_2}"
            " numbers a word",
            shape=from_ND.shape[1],
            shape_2=to_ND.shape[1],
        )
    u_DD, __, v_DD = np.linalg.svd(
        np.asarray(from_ND, np.float64).T @ np.asarray(to_ND, np.float64)
    )
    found: np.ndarray = u_DD @ v_DD
    return found
