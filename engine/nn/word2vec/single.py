"""One update of word2vec with every number kept: what is asked, what comes out, each gradient, both
tables afterwards.

What      h = row of the centre (skip-gram) or mean of the window's rows (CBOW); z = o . h for the
          rows o that are asked;
          softmax: loss = - sum ln p(target), error = (number of targets) p - targets; sigmoids:
          loss = - ln s(z) where yes is right, - ln s(- z) where no is, error = s(z) - right; d loss
          / d o = error h, d loss / d h = sum of error o
Source    Rong, word2vec Parameter Learning Explained, 2014, eq. 1-63
Shapes    V = vocabulary, D = width, I = input rows, R = rows of the output table that are asked, K
          = noise words of a target
Differs   nothing; float64
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.nn.word2vec.huffman import Tree


@dataclass(frozen=True, eq=False)
class Ask:
    """input_I    rows of the input table; several are averaged, a repeated one counts each time
    targets    words that are right
    noise_TK   noise words of each target; for output "negative"
    tree       for output "hierarchical"
    """

    input_I: tuple[int, ...]
    targets: tuple[int, ...]
    output: str
    noise_TK: tuple[tuple[int, ...], ...] = ()
    tree: Tree | None = None


@dataclass(frozen=True, eq=False)
class Update:
    """row_R    rows of the output table in the order asked; `of_R` the target that each was asked
    for
    right_R  what the answer should be: 1 or 0, with a softmax how many of the targets
    chance_R p with a softmax, else s(z)
    in_VD, out_VD  gradients of the loss; zero in rows that take no part
    """

    h_D: np.ndarray
    row_R: np.ndarray
    of_R: np.ndarray
    score_R: np.ndarray
    chance_R: np.ndarray
    right_R: np.ndarray
    error_R: np.ndarray
    loss: float
    h_gradient_D: np.ndarray
    in_VD: np.ndarray
    out_VD: np.ndarray


def update(in_VD: np.ndarray, out_VD: np.ndarray, ask: Ask) -> Update:
    """Changes nothing: a step is `table - rate * gradient`."""
    h_D = in_VD[list(ask.input_I)].mean(0)
    row_R, of_R, right_R = _asked(ask, len(out_VD))
    score_R = out_VD[row_R] @ h_D
    if ask.output == "softmax":
        chance_R = np.exp(score_R - score_R.max())
        chance_R /= chance_R.sum()
        error_R = len(ask.targets) * chance_R - right_R
        loss = -float(np.log(chance_R) @ right_R)
    else:
        chance_R = 1 / (1 + np.exp(-score_R))
        error_R = chance_R - right_R
        loss = float(np.logaddexp(0, np.where(right_R == 1, -score_R, score_R)).sum())
    h_gradient_D = error_R @ out_VD[row_R]
    grown_in_VD, grown_out_VD = np.zeros_like(in_VD), np.zeros_like(out_VD)
    np.add.at(grown_in_VD, list(ask.input_I), h_gradient_D / len(ask.input_I))
    np.add.at(grown_out_VD, row_R, error_R[:, None] * h_D)
    return Update(
        h_D,
        row_R,
        of_R,
        score_R,
        chance_R,
        right_R,
        error_R,
        loss,
        h_gradient_D,
        grown_in_VD,
        grown_out_VD,
    )


def _asked(ask: Ask, v: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows, for which target, and the right answers (R,)."""
    if ask.output == "softmax":
        return np.arange(v), np.full(v, -1), np.bincount(ask.targets, minlength=v).astype(float)
    rows: list[tuple[int, int, float]] = []
    for t, target in enumerate(ask.targets):
        if ask.output == "negative":
            rows += [(target, target, 1.0), *((word, target, 0.0) for word in ask.noise_TK[t])]
        elif ask.tree is not None:
            turns = ask.tree.length_V[target]
            path = zip(
                ask.tree.node_VL[target, :turns], ask.tree.turn_VL[target, :turns], strict=True
            )
            rows += [(int(node), target, 1.0 - float(turn)) for node, turn in path]
    row_R, of_R, right_R = (np.array(column) for column in zip(*rows, strict=True))
    return row_R, of_R, right_R
