"""The recursions of a hidden Markov model over one text: predict, correct, look back, best path.

What      predict   p_t = P(s_t | w_1..t-1) = f_t-1 A
          filter    f_t = P(s_t | w_1..t) = p_t b(w_t) / P(w_t | w_1..t-1)
          smooth    g_t = P(s_t | all words), proportional to f_t r_t, where r_t = A (b(w_t+1) r_t+1)
          pair      P(s_t-1 = i, s_t = j | all words), proportional to f_t-1(i) A_ij b_j(w_t) r_t(j)
          Viterbi   d_t(j) = max_i d_t-1(i) A_ij b_j(w_t), and the i it comes from
Source    Rabiner, A Tutorial on Hidden Markov Models, Proceedings of the IEEE, 1989, section III;
          Viterbi, Error Bounds for Convolutional Codes, 1967
Shapes    T = tokens, S = states; like_TS[t, j] = b_j(w_t), the probability of token t in state j
Differs   Each step is scaled to a sum of 1 instead of being kept as a logarithm: the scales are the
          probabilities of the tokens.  A token that no state can write which was still possible
          has the probability 0 and says nothing: the belief stays what was predicted, and looking
          back passes over it (`heard`).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Change = Callable[[int, np.ndarray, np.ndarray], np.ndarray]
"""What an edit makes of a belief: (token, belief (S,), the one before) -> belief."""


def forwards(
    start_S: np.ndarray,
    a_SS: np.ndarray,
    like_TS: np.ndarray,
    predicted: Change | None = None,
    corrected: Change | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Beliefs before and after each token (T, S), and the probability of each token (T,).

    predicted, corrected  what edits make of a belief before, and after, its token is read
    """
    predict_TS, filter_TS = np.empty_like(like_TS), np.empty_like(like_TS)
    scale_T = np.empty(len(like_TS))
    p_S = start_S
    for t, like_S in enumerate(like_TS):
        if predicted is not None:
            p_S = predicted(t, p_S, predict_TS[t - 1] if t else np.zeros_like(p_S))
        both_S = p_S * like_S
        scale_T[t] = scale = np.add.reduce(both_S)  # as `sum` does, in half of the time
        f_S = both_S / scale if scale > 0 else p_S
        if corrected is not None:
            f_S = corrected(t, f_S, filter_TS[t - 1] if t else np.zeros_like(f_S))
        predict_TS[t], filter_TS[t] = p_S, f_S
        p_S = f_S @ a_SS
    return predict_TS, filter_TS, scale_T


def heard(like_TS: np.ndarray, scale_T: np.ndarray) -> np.ndarray:
    """The likelihoods for looking back (T, S): 1 in each state, where `forwards` had to pass over
    a token."""
    return np.where(scale_T[:, None] > 0, like_TS, 1.0)


def backwards(a_SS: np.ndarray, like_TS: np.ndarray) -> np.ndarray:
    """r_t(i) = P(tokens after t | state i at t) (T, S), each row up to a factor of its own; all of
    it 1 where an edit has made the tokens after t impossible.  `like_TS`: as `heard`."""
    r_TS = np.empty_like(like_TS)
    r_TS[-1:] = 1.0
    for t in range(len(like_TS) - 2, -1, -1):
        r_S = a_SS @ (like_TS[t + 1] * r_TS[t + 1])
        r_TS[t] = r_S / top if (top := np.maximum.reduce(r_S)) > 0 else 1.0
    return r_TS


def smoothed(filter_TS: np.ndarray, r_TS: np.ndarray) -> np.ndarray:
    """P(state | all tokens) (T, S)."""
    return rows(filter_TS * r_TS, filter_TS)


def pairs(
    filter_TS: np.ndarray, a_SS: np.ndarray, like_TS: np.ndarray, r_TS: np.ndarray
) -> np.ndarray:
    """P(state before, state | all tokens) (T, S, S); of the first token, before which none was, 0."""
    both_TSS = np.zeros((*like_TS.shape, like_TS.shape[1]))
    both_TSS[1:] = filter_TS[:-1, :, None] * a_SS * (like_TS * r_TS)[1:, None, :]
    total_T = both_TSS.sum((1, 2), keepdims=True)
    np.divide(both_TSS, total_T, out=both_TSS, where=total_T > 0)
    return both_TSS


def viterbi(
    start_S: np.ndarray, a_SS: np.ndarray, like_TS: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Log of the likeliest path that ends in each state, less that of the likeliest of all (T, S),
    and the state it came from (T, S); -inf where there is none.  Ties: the first state."""
    with np.errstate(divide="ignore"):
        log_a_SS = np.ascontiguousarray(np.log(a_SS).T)  # a row of it leads to a state
        log_like_TS, best_S, state_S = np.log(like_TS), np.log(start_S), np.arange(len(start_S))
    score_TS, back_TS = np.empty_like(like_TS), np.zeros(like_TS.shape, np.int64)
    for t, log_like_S in enumerate(log_like_TS):
        if t:
            from_SS = score_TS[t - 1] + log_a_SS
            best_S = from_SS[state_S, from_SS.argmax(1, out=back_TS[t])]
        now_S = best_S + log_like_S
        if (
            top := np.maximum.reduce(now_S)
        ) == -np.inf:  # a token that no state can write says nothing
            now_S, top = best_S, np.maximum.reduce(best_S)
        np.subtract(now_S, top, out=score_TS[t])
    return score_TS, back_TS


def path(score_TS: np.ndarray, back_TS: np.ndarray) -> np.ndarray:
    """The likeliest path (T,), followed back from its end."""
    found_T = np.empty(len(back_TS), np.int64)
    found_T[-1] = score_TS[-1].argmax()
    for t in range(len(back_TS) - 1, 0, -1):
        found_T[t - 1] = back_TS[t, found_T[t]]
    return found_T


def rows(x: np.ndarray, otherwise: np.ndarray | None = None) -> np.ndarray:
    """With a last axis that sums to 1; a row of zeros becomes that of `otherwise`, or stays."""
    total = x.sum(-1, keepdims=True)
    found: np.ndarray = np.divide(
        x, total, out=x.copy() if otherwise is None else otherwise.copy(), where=total > 0
    )
    return found
