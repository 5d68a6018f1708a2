"""Receptive field: which earlier tokens a prediction of dilated causal convolutions is made of, and
what each of them does to it.

What      place t of layer l reads the places t - k d of the layer below, k = 0 ... K - 1, d = 2^l;
          effect(t, s) = 1/2 sum over v of |p(v | x) - p(v | x with a line end at s)|, the largest
          difference that the change at s makes to the probability of any set of tokens
Source    van den Oord et al., WaveNet, 2016, sec. 2.1; total variation: Levin & Peres, Markov Chains
          and Mixing Times, 2nd ed., sec. 4.1
Shapes    T = tokens, L = layers, V = vocabulary
Differs   One token is changed at a time; what two do together is not seen.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.models.neural import NeuralLanguageModel


@dataclass(frozen=True)
class Field:
    """Of one text: what each place of each layer lets through, and what each token does to each
    prediction.

    written_LT  mean of |tanh a . sigmoid(g)| over the filters
    effect_TT   [t, s], from 0 to 1; nothing where s is after t
    next_T      the likeliest next tokens with their probabilities
    """

    labels: tuple[str, ...]
    written_LT: np.ndarray
    effect_TT: np.ndarray
    next_T: tuple[tuple[tuple[str, float], ...], ...]


def reach(layers: int, kernel: int, dilated: bool = True) -> int:
    """Tokens that a prediction is made of."""
    steps = 2**layers - 1 if dilated else layers
    return 1 + (kernel - 1) * steps


def measure(model: NeuralLanguageModel, text: str, most: int = 5) -> Field:
    """Of the tokens of a text, with the start mark in front as the first."""
    import torch

    trace = model.trace(text, fields=["candidate", "gate.output"])
    written = np.abs(
        np.asarray(trace.field("candidate").values) * np.asarray(trace.field("gate.output").values)
    )
    tokens = model.tokens(text)
    ids_T = torch.from_numpy(np.asarray(tokens.ids))
    count = len(ids_T)
    changed = ids_T.repeat(count + 1, 1)
    changed[torch.arange(count), torch.arange(count)] = model.tokenizer.boundary
    with torch.inference_mode():
        p_BTV = model.net(changed).float().softmax(-1)
    effect_ST = (0.5 * (p_BTV[:-1] - p_BTV[-1]).abs().sum(-1)).numpy()
    best = p_BTV[-1].topk(min(most, p_BTV.shape[-1]), -1)
    vocabulary = model.tokenizer.vocab
    return Field(
        tuple(trace.tokens),
        written.mean(-1),
        np.tril(effect_ST.T.astype(float)),
        tuple(
            tuple((vocabulary[i], p) for i, p in zip(row, shares, strict=True))
            for row, shares in zip(best.indices.tolist(), best.values.tolist(), strict=True)
        ),
    )
