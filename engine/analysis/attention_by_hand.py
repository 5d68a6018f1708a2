"""One step of a recurrent decoder with attention by hand: scores, weights, context, new state and the
probability of each word, from small matrices.

What      e_s = score(q, k_s); dot q . k, scaled dot q . k / sqrt(H), general q W_a k, concat
          v tanh(W_a [q, k]); a = softmax(e) over the places that are not hidden; c = sum_s a_s k_s;
          h = tanh(W_s q + W_y y + W_c c), P = softmax(W_o [h, c])
          entropy of weights: -sum_s a_s log2 a_s, 0 where one word has all, log2 S where all have the
          same
Source    Bahdanau, Cho & Bengio, Neural Machine Translation by Jointly Learning to Align and
          Translate, 2015; Luong, Pham & Manning, Effective Approaches to Attention-based Neural
          Machine Translation, 2015
Shapes    S = source words, H = units, D = numbers of a word, V = words to write
Differs   Whichever score, the old state looks, as in the course notes; the cell is a plain one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

DOT, SCALED, GENERAL, CONCAT = "dot", "scaled_dot", "bilinear", "additive"
KINDS = {DOT: "dot", GENERAL: "general", CONCAT: "concat", SCALED: "scaled dot"}
GIVEN = {
    "keys": [[1.0, 0], [0, 1], [1, 1]],
    "query": [[0.5, 1]],
    "general": [[1, -0.5], [0.5, 2]],
    "concat": [[0.2, -0.1, 0.4, 0.3], [0.5, 0.1, -0.2, 0.6]],
    "v": [[1.0, -1]],
    "word": [[0.0, 1]],
    "w_s": [[0.3, 0.1], [-0.2, 0.4]],
    "w_y": [[0.5, -0.3], [0.1, 0.2]],
    "w_c": [[0.6, 0], [-0.1, 0.7]],
    "w_o": [[0.4, -0.2, 0.3, 0.1], [-0.5, 0.6, 0.2, -0.1], [0.1, 0.1, -0.4, 0.5]],
}


@dataclass(frozen=True, slots=True, eq=False)
class Output:
    """New state (H,), logits (V,) and probabilities (V,)."""

    new_H: np.ndarray
    logit_V: np.ndarray
    p_V: np.ndarray


def scores(kind: str, given: dict[str, np.ndarray]) -> np.ndarray:
    """(S,) of the keys (S, H) and the query (1, H); KeyError for no such kind."""
    key_SH, query_H = given["keys"], given["query"][0]
    assert KINDS[kind]
    if kind == GENERAL:
        query_H = query_H @ given["general"]
    if kind == CONCAT:
        both_S2H = np.hstack((np.tile(query_H, (len(key_SH), 1)), key_SH))
        made: np.ndarray = np.tanh(both_S2H @ given["concat"].T) @ given["v"][0]
        return made
    score_S: np.ndarray = key_SH @ query_H
    return score_S / np.sqrt(key_SH.shape[1]) if kind == SCALED else score_S


def softmax(score_N: np.ndarray) -> np.ndarray:
    """(N,); what scores minus infinity weighs nothing.  All of them may not."""
    up_N = np.exp(score_N - score_N.max())
    share: np.ndarray = up_N / up_N.sum()
    return share


def entropy(weight_N: np.ndarray) -> float:
    """In bits."""
    some = weight_N[weight_N > 0]
    return float(-(some * np.log2(some)).sum() + 0.0)


def output(context_H: np.ndarray, given: dict[str, np.ndarray]) -> Output:
    """What the cell and the output layer make of a context (H,)."""
    new_H = np.tanh(
        given["w_s"] @ given["query"][0]
        + given["w_y"] @ given["word"][0]
        + given["w_c"] @ context_H
    )
    logit_V = given["w_o"] @ np.concatenate((new_H, context_H))
    return Output(new_H, logit_V, softmax(logit_V))
