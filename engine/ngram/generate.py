"""Generate: draw a text from the model, one token at a time, and say which order spoke at each.

What      inverse of the cumulative distribution: the first token w with u < P(w_1 | h) + ... + P(w
          | h), u uniform in
          0 to 1; with a temperature, of P^(1/temperature) made to sum to 1; temperature 0 takes the
          likeliest token
Source    Shannon, A Mathematical Theory of Communication, 1948, sec. 3: text drawn from letters and
          words of orders 0 to 3;
          Devroye, Non-Uniform Random Variate Generation, 1986, sec. III.2
Shapes    V = token ids, M = orders 0 (uniform) to n
Differs   Scores that do not sum to 1 (stupid back-off) are divided by their sum.  Where every token
          is impossible, as with maximum likelihood behind an unseen context, the text ends and says
          so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from engine.language.message import refusal
from engine.ngram.smoothed import Smoothed

ROUNDING = 1e-4  # a row of float32 that is this far from 1 is one of scores


class Stop(Enum):
    """Why a text ended, as a sentence for the reader."""

    END = "The end of the sentence was drawn."
    LENGTH = "The maximum length is reached."
    NOTHING = (
        "Nothing can follow: the model gives every token probability 0 here, because this"
        " context never occurs."
    )


@dataclass(frozen=True, slots=True)
class Step:
    """One token that was drawn.

    probability  what the model gives it (a score, where the method has scores)
    chance       with which it was drawn: after the temperature, and of scores as a share
    u            the uniform number that chose it
    part         what each order, 0 (uniform) to n, added to `probability`
    order        the order that added most
    matched      the longest order whose n-gram, this token last, was counted; 0 for none
    """

    id: int
    probability: float
    chance: float
    u: float
    part: tuple[float, ...]
    order: int
    matched: int


@dataclass(frozen=True, slots=True)
class Generated:
    steps: tuple[Step, ...]
    stop: Stop

    @property
    def ids(self) -> tuple[int, ...]:
        """The tokens drawn, the end mark too if it was."""
        return tuple(step.id for step in self.steps)


def draw(
    model: Smoothed,
    context: Sequence[int],
    u: float,
    temperature: float = 1.0,
    vocabulary: Sequence[int] | np.ndarray | None = None,
) -> Step | None:
    """The token after a context, or None where every token is impossible.

    context     ids; the boundary (or the start mark) where a sentence begins; none at all: the
                beginning of a sentence
    u           0 <= u < 1
    vocabulary  ids in the order in which their probabilities are added up; without it, in the order
                of the ids
    """
    counts = model.counts
    ids_T = np.array(context[-model.order :] or [counts.boundary], np.int64)
    if model.never is not None:
        ids_T[ids_T == model.never] = counts.boundary
    place_1M = counts.places(ids_T)[-1:]
    weight_1M = model.weights(place_1M)
    p_V = model.distributions(place_1M, weight_1M)[0].astype(np.float64)
    listed = None if vocabulary is None else np.asarray(vocabulary, np.int64)
    chance_K = tempered(p_V if listed is None else p_V[listed], temperature)
    if chance_K is None:
        return None
    sum_K = chance_K.cumsum()
    at = int(np.searchsorted(sum_K, u, side="right"))
    if at == len(sum_K):  # the sum is a rounding error below 1
        at = int(np.flatnonzero(chance_K)[-1])
    id = at if listed is None else int(listed[at])
    at_1M = np.full_like(place_1M, -1)
    at_1M[:, 0], at_1M[:, 1] = 0, id
    for m in range(2, model.order + 1):
        at_1M[:, m] = counts.find(m, place_1M[:, m - 1], at_1M[:, 1])
    part_M, matched = model.parts(at_1M, weight_1M)[0], int(model.matched(at_1M)[0])
    return Step(
        id,
        float(p_V[id]),
        float(chance_K[at]),
        u,
        tuple(part_M.tolist()),
        int(part_M.argmax()),
        matched,
    )


def tempered(p_K: np.ndarray, temperature: float) -> np.ndarray | None:
    """Shares of 1, sharper below temperature 1, flatter above; None where there is nothing to
    share."""
    if temperature < 0:
        raise refusal("a temperature is 0 or more; {temperature} was given")
    total = p_K.sum()
    if total <= 0:
        return None
    if temperature == 0:
        greedy_K = np.zeros_like(p_K)
        greedy_K[p_K.argmax()] = 1
        return greedy_K
    if temperature != 1:
        with np.errstate(divide="ignore"):
            log_K = np.log(p_K)
        p_K = np.exp((log_K - log_K.max()) / temperature)
        total = p_K.sum()
    return p_K / total if abs(total - 1) > ROUNDING or temperature != 1 else p_K


def generate(
    model: Smoothed,
    context: Sequence[int] = (),
    *,
    length: int = 50,
    temperature: float = 1.0,
    seed: int = 0,
    u: Sequence[float] | None = None,
    vocabulary: Sequence[int] | np.ndarray | None = None,
) -> Generated:
    """At most `length` tokens after a context (see `draw`), or as many as there are numbers `u`;
    the end mark is the last."""
    numbers = uniform(seed, length) if u is None else u
    ids, steps = list(context) or [model.counts.boundary], list[Step]()
    for number in numbers:
        step = draw(model, ids, float(number), temperature, vocabulary)
        if step is None:
            return Generated(tuple(steps), Stop.NOTHING)
        steps.append(step)
        ids.append(step.id)
        if step.id == model.counts.boundary:
            return Generated(tuple(steps), Stop.END)
    return Generated(tuple(steps), Stop.LENGTH)


def uniform(seed: int, length: int) -> tuple[float, ...]:
    """The numbers that a seed stands for; a longer text begins with the same ones."""
    return tuple(np.random.default_rng(seed).random(length).tolist())


def draw_together(
    models: Sequence[Smoothed],
    context: Sequence[int] = (),
    *,
    length: int = 50,
    temperature: float = 1.0,
    seed: int = 0,
    u: Sequence[float] | None = None,
    vocabulary: Sequence[int] | np.ndarray | None = None,
) -> list[Generated]:
    """One text of each model, all from the same uniform numbers."""
    numbers = uniform(seed, length) if u is None else u
    return [
        generate(model, context, temperature=temperature, u=numbers, vocabulary=vocabulary)
        for model in models
    ]
