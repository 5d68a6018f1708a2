"""One step of a recurrent decoder with attention by hand: scores, weights, context, new state and the
probability of each word, from small matrices.

What      e_s = score(q, k_s); dot q . k, scaled dot q . k / sqrt(H), general q W_a k, concat
          v tanh(W_a [q, k]); a = softmax(e) over the places that are not hidden; c = sum_s a_s k_s;
          h = tanh(W_s q + W_y y + W_c c), P = softmax(W_o [h, c])
Source    Bahdanau, Cho & Bengio, Neural Machine Translation by Jointly Learning to Align and
          Translate, 2015; Luong, Pham & Manning, Effective Approaches to Attention-based Neural
          Machine Translation, 2015
Shapes    S = source words, H = units, D = numbers of a word, V = words to write
Differs   Whichever score, the old state looks, as in the course notes; the cell is a plain one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from engine.analysis.qkv.attend import softmax
from engine.core.registry import scores as registry

DOT, SCALED, GENERAL, CONCAT = "dot", "scaled_dot", "bilinear", "additive"
KINDS = {DOT: "dot", GENERAL: "general", CONCAT: "concat", SCALED: "scaled dot"}
GIVEN: dict[str, list[list[float]]] = {
    "keys": [[1.0, 0], [0, 1], [1, 1]],
    "query": [[0.5, 1]],
    "general": [[1, -0.5], [0.5, 2]],
    "concat": [[0.2, -0.1, 0.4, 0.3], [0.5, 0.1, -0.2, 0.6]],
    "v": [[1.0, -1]],
    "y": [[0.0, 1]],
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
    """(S,) of the keys (S, H) and the query (1, H), by the score of translators with the weights given;
    KeyError for no such kind."""
    units = given["query"].shape[1]
    weights = {
        DOT: {},
        SCALED: {},
        GENERAL: {"between": given["general"]},
        CONCAT: {
            "ask.weight": given["concat"][:, :units],
            "offer.weight": given["concat"][:, units:],
            "read.weight": given["v"],
        },
    }[kind]
    score = registry.get(kind)(units).double()
    score.load_state_dict({name: torch.tensor(values) for name, values in weights.items()})
    with torch.inference_mode():
        made = score(torch.tensor(given["query"]), torch.tensor(given["keys"]))
    return np.asarray(made[0].numpy())


def output(context_H: np.ndarray, given: dict[str, np.ndarray]) -> Output:
    """What the cell and the output layer make of a context (H,)."""
    new_H = np.tanh(
        given["w_s"] @ given["query"][0] + given["w_y"] @ given["y"][0] + given["w_c"] @ context_H
    )
    logit_V = given["w_o"] @ np.concatenate((new_H, context_H))
    return Output(new_H, logit_V, softmax(logit_V))
