"""The next word from the mean of the last ones: knows what a text is about, and nothing of word
order.

What      P(w | last words) is proportional to share(w) exp(beta cos(w, m)); m is the mean of the
          last words' unit
          vectors, nearer words and rarer words weighing more: 0.9^age * a / (a + share(word)), a =
          0.001
Source    Arora, Liang & Ma, A Simple but Tough-to-Beat Baseline for Sentence Embeddings, 2017
          (weights by rarity);
          Mnih & Hinton, Three New Graphical Models for Statistical Language Modelling, 2007
          (log-bilinear prediction)
Shapes    T = words of the text, V = vocabulary, D = width
Differs   Nothing is trained but beta, one number, found on held-out lines.  It stands beside the
          language models to show how far likeness of words goes by itself.
"""

from __future__ import annotations

import numpy as np
import torch

MEMORY, FADE, RARE = 10, 0.9, 1e-3


def contexts(unit_TD: np.ndarray, share_T: np.ndarray) -> np.ndarray:
    """Per word the direction (T, D) of the weighted mean of it and the words before it; zeros where
    none has a vector."""
    weighted_TD = unit_TD * (RARE / (RARE + share_T))[:, None].astype(np.float32)
    mean_TD = np.zeros_like(weighted_TD)
    for age in range(min(MEMORY, len(unit_TD))):
        mean_TD[age:] += FADE**age * weighted_TD[: len(unit_TD) - age]
    length_T1 = np.linalg.norm(mean_TD, axis=1, keepdims=True)
    found: np.ndarray = mean_TD / np.where(length_T1 > 0, length_T1, 1)
    return found


def log_shares(share_V: np.ndarray) -> np.ndarray:
    """What `expect` adds for how common each word (V,) is; -inf for a share of 0."""
    with np.errstate(divide="ignore"):
        found: np.ndarray = np.log(share_V)
    return found


def expect(
    context_TD: np.ndarray, unit_VD: np.ndarray, log_share_V: np.ndarray, beta: float
) -> np.ndarray:
    """Probabilities (T, V), float32; words of share 0 get 0."""
    cosine_TV = (torch.from_numpy(context_TD) @ torch.from_numpy(unit_VD).T).numpy()
    return weighed(cosine_TV, log_share_V, beta)


def weighed(cosine_TV: np.ndarray, log_share_V: np.ndarray, beta: float) -> np.ndarray:
    """The same from the cosines of contexts and words."""
    logit_TV = torch.from_numpy(cosine_TV) * beta + torch.from_numpy(log_share_V)
    found: np.ndarray = logit_TV.softmax(-1).numpy()
    return found


def find_beta(
    unit_VD: np.ndarray, share_V: np.ndarray, lines: list[np.ndarray], most: int = 4000
) -> float:
    """The beta under which the held-out lines (ids) are least surprising, to 0.5; 0 when there are
    none."""
    ids = [line[:200] for line in lines if len(line) > 1]
    while sum(map(len, ids)) > most:
        ids.pop()
    if not ids:
        return 0.0
    context_TD = np.concatenate([contexts(unit_VD[line[:-1]], share_V[line[:-1]]) for line in ids])
    next_T, log_share_V = np.concatenate([line[1:] for line in ids]), log_shares(share_V)

    def surprise(beta: float) -> float:
        total = 0.0
        for i in range(0, len(next_T), 500):
            p_TV = expect(context_TD[i : i + 500], unit_VD, log_share_V, beta)
            total -= float(
                np.log(np.maximum(p_TV[np.arange(len(p_TV)), next_T[i : i + 500]], 1e-30)).sum()
            )
        return total

    return min((float(b) for b in np.arange(0, 15.5, 0.5)), key=surprise)
