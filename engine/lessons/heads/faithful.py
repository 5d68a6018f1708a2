"""Does attention explain?  What the answer loses when nobody may read a token, beside the weight
that heads gave it.

What      for each earlier token j, in all layers and heads: a score of -inf before softmax for
          every query but j, so that
          A[q, j] = 0 and the rest of the row shares out 1 again.  effect_j = KL(P || P_j) in bits,
          drop_j = log2 P(next)
          - log2 P_j(next).  Per head Spearman's rho between its weights and the effects, tied ranks
          averaged
Source    Jain & Wallace, Attention is not Explanation, 2019; Wiegreffe & Pinter, Attention is not
          not Explanation, 2019;
          switching off weights: Geva et al., Dissecting Recall of Factual Associations, 2023
          (attention knockout)
Shapes    T = earlier tokens, V = vocabulary, L = layers, N = heads
Differs   The token itself still reads itself and its place; only what others take from it is gone,
          so every run stays one the model knows how to make.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from engine.core.numbers import spearman
from engine.core.tap import Recorder
from engine.core.trace import FieldSpec
from engine.language.message import _, refusal
from engine.lessons.heads import combine
from engine.models.abilities import Attends, HasNet
from engine.models.base import Model
from engine.models.neural import NeuralLanguageModel
from engine.text.tokenizers.base import Tokens

# earlier tokens: more take too long, with fewer a rank correlation says nothing
MOST, FEWEST = 128, 4
BATCH = 8  # runs in one
ANSWERS = ("probability", "fill")  # what comes next, or what stands at a place
WEAK = 0.2  # a rho below this is called a disagreement


class Unread(Recorder):
    """In run b of a batch nobody but the token itself reads token `columns[b]`; of the answer only
    the row `target` is kept."""

    def __init__(self, columns: list[int], target: int, nothing: float = -math.inf) -> None:
        """nothing  the score that makes a weight of 0"""
        super().__init__(fields=("attention",))
        self.nothing = nothing
        self.columns, self.batch, self.target = (
            torch.tensor(columns),
            torch.arange(len(columns)),
            target,
        )
        self.answer = np.zeros((0, 0))

    def at(self, **index: int) -> Unread:
        return self  # one for all layers

    def edits(self, *names: str) -> bool:
        return "score" in names

    def derived(self, name: str, make: Callable[[], Any], axes: tuple[str, ...]) -> None:
        if name in ANSWERS:
            self(name, make(), axes)

    def __call__(self, name: str, value: Any, axes: tuple[str, ...]) -> Any:
        if name == "score" and len(self.columns):
            value, b, j = value.clone(), self.batch, self.columns
            own_BN = value[b, :, j, j].clone()
            value[b, :, :, j] = self.nothing
            value[b, :, j, j] = own_BN
        elif name in ANSWERS:
            self.answer = value[:, self.target].double().cpu().numpy()
        return value


@dataclass(frozen=True, slots=True, eq=False)
class Effects:
    """effect, drop: (T,) in bits; weight: (L, N + 3, T) of the target on each, the last three the
    heads combined.

    next  the token whose log-probability drops: the one that stands after the target, or the
          likeliest one
    """

    target: int
    next: int
    real: bool  # whether `next` stands in the text
    effect: np.ndarray
    drop: np.ndarray
    weight: np.ndarray

    def agreement(self) -> np.ndarray:
        """(L, N + 3): Spearman's rho of weight and effect; nan where one of them is the same
        everywhere."""
        flat = self.weight.reshape(-1, self.weight.shape[-1])
        return np.array([spearman(row, self.effect) for row in flat]).reshape(self.weight.shape[:2])


def work(model: Model[Any], tokens: Tokens, target: int) -> float:
    """How many multiplications the measurement takes.  ValueError where there is nothing to
    measure."""
    stop, others = _others(model, tokens, target)
    size = sum(p.numel() for p in model.net.parameters()) if isinstance(model, HasNet) else 1e7
    return len(others) * stop * float(size)


def _others(model: Model[Any], tokens: Tokens, target: int) -> tuple[int, list[int]]:
    """How many tokens are read, and which of them are hidden in turn."""
    names = {s.name for s in model.spec() if isinstance(s, FieldSpec)}
    if "attention" not in names or not names & set(ANSWERS):
        raise refusal(
            "{title} foretells no token, so there is no answer to measure an effect on.",
            title=_(model.card.title),
        )
    stop = target + 1 if model.causal else len(tokens)
    others = [j for j in range(stop) if j != target]
    if len(others) < FEWEST:
        raise refusal(
            "Choose a token with at least {FEWEST} tokens to look at: with fewer a rank"
            " correlation says nothing."
        )
    if len(others) > MOST:
        raise refusal(
            "At most {MOST} tokens are measured, one run each; here are {others}. Choose an"
            " earlier token or a shorter text.",
            others=len(others),
        )
    return stop, others


@torch.inference_mode()
def effects(model: Model[Any], tokens: Tokens, target: int) -> Effects:
    """Run the text once for each token before `target` (after it too, for a model that looks both
    ways).

    ValueError with a sentence for the reader where there is nothing to measure.
    """
    stop, others = _others(model, tokens, target)
    part = tokens[:stop]
    plain = Recorder(fields=("attention",))
    spec = next(s for s in model.spec() if isinstance(s, FieldSpec) and s.name == "attention")
    model.run(part, plain)
    weight_LNTT = plain.values(spec)
    whole_LHTT = np.concatenate([weight_LNTT, combine.combine(weight_LNTT)], 1)
    end = Unread([], target)
    model.run(part, end)
    p_V = end.answer[0]
    real = model.causal and target + 1 < len(tokens)
    id = int(tokens.ids[target + 1]) if real else int(p_V.argmax())
    q_TV = _answers(model, part, others, target)
    log_p, log_q = np.log2(np.maximum(p_V, 1e-300)), np.log2(np.maximum(q_TV, 1e-300))
    effect = (p_V * (log_p - log_q)).sum(1)
    effect[effect < 1e-9] = 0  # rounding
    return Effects(
        target, id, real, effect, log_p[id] - log_q[:, id], whole_LHTT[:, :, target, others]
    )


def _answers(model: Model[Any], tokens: Tokens, columns: list[int], target: int) -> np.ndarray:
    """(J, V): the answer at `target` where each of the columns is not read."""
    # then several runs fit into one
    if isinstance(model, NeuralLanguageModel) and type(model).run is NeuralLanguageModel.run:
        device = next(model.net.parameters()).device
        ids_BT = torch.from_numpy(tokens.ids)[None].to(device)
        linear = isinstance(model, Attends) and model.tower.design.kernel == "linear"
        nothing = 0.0 if linear else -math.inf  # likeness is no exponent
        parts = []
        for some in (columns[i : i + BATCH] for i in range(0, len(columns), BATCH)):
            logit_BTV = model.net(ids_BT.expand(len(some), -1), Unread(some, target, nothing))
            parts.append(logit_BTV[:, target].double().softmax(-1).cpu().numpy())
        return np.concatenate(parts)
    found = []
    for column in columns:
        tap = Unread([column], target)
        model.run(tokens, tap)
        found.append(tap.answer[0])
    return np.stack(found)
