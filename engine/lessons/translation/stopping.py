"""How long a text becomes: the end mark is a word like any other, with a probability at every step.

What      P(y_1 .. y_M) = p(stop | y_1 .. y_M) prod_m p(y_m | y_1 .. y_m-1)
          P(M) = the sum of that over all texts of M words.  Without the factor of the end mark the
          same sum is P(at least M words), and all lengths together are more than 1
Source    Cho et al., Learning Phrase Representations using RNN Encoder-Decoder for Statistical
          Machine Translation, 2014, eq. 2; length penalty: engine/analysis/decode/beam.py
Shapes    M = words of a text, K = words of a vocabulary, N = texts drawn, S = source tokens, V =
          vocabulary with the end mark
Differs   A translator has too many texts to sum over.  Words are drawn from what it expects if it
          does not end, and each step gives the exact probability that it ends there: the mean of
          these over draws has the right expectation, and the lengths sum to 1 with what is left
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from engine.models.translating import TranslatingModel


def of_table(first: np.ndarray, then: np.ndarray, most: int, stop: bool = True) -> np.ndarray:
    """P(M) (most + 1,) of a table decoder, whose next word depends on the last one alone.

    first  (K + 1,) probabilities of each word and, last, of the end mark at the start; `then`
           (K, K + 1) those behind each word
    stop   False: the texts of M words together, without the factor of the end mark

    ValueError where a row does not sum to 1.
    """
    rows = np.vstack((first, then))
    if not np.allclose(rows.sum(1), 1) or (rows < 0).any():
        raise ValueError("each row of the table has to be probabilities that sum to 1")
    found = np.empty(most + 1)
    found[0] = first[-1] if stop else 1.0
    at_K = np.asarray(first[:-1], float)  # all texts so far, by their last word
    for m in range(1, most + 1):
        found[m] = at_K @ then[:, -1] if stop else at_K.sum()
        at_K = at_K @ then[:, :-1]
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Lengths:
    """p_M     (most + 1,) of each number of tokens before the end mark
    least_M  of at least so many
    left     of more than `most`
    """

    p_M: np.ndarray
    least_M: np.ndarray

    @property
    def left(self) -> float:
        return max(0.0, 1.0 - float(self.p_M.sum()))


@torch.inference_mode()
def drawn(
    model: TranslatingModel[Any], source: np.ndarray, draws: int, most: int, seed: int = 0
) -> Lengths:
    """Of a translator and one source (S,), the end mark among its ids; estimated from `draws`
    texts."""
    halves, end = model.halves, model.tokenizer.boundary
    dice = torch.Generator().manual_seed(seed)
    ids_NT = torch.full((draws, 1), model.start)
    made = halves.read(torch.from_numpy(source)[None].expand(draws, -1))
    on_N, p_M, least_M = torch.ones(draws, dtype=torch.float64), [], []
    for m in range(most + 1):
        p_NV = halves.write(ids_NT, made)[:, -1].double().softmax(-1)
        ends_N = p_NV[:, end].clone()
        p_M.append(float((on_N * ends_N).mean()))
        least_M.append(float(on_N.mean()))
        on_N = on_N * (1 - ends_N)
        if m == most or float(on_N.mean()) < 1e-6:
            break
        p_NV[:, end] = 0
        ids_NT = torch.cat((ids_NT, torch.multinomial(p_NV, 1, generator=dice)), 1)
    filled = np.zeros((2, most + 1))
    filled[:, : len(p_M)] = p_M, least_M
    return Lengths(*filled)


@dataclass(frozen=True, slots=True)
class Text:
    """ids without the end mark; ln P of them and of the end mark behind them."""

    ids: tuple[int, ...]
    words: float
    stop: float

    @property
    def total(self) -> float:
        return self.words + self.stop


@torch.inference_mode()
def best(
    model: TranslatingModel[Any], source: np.ndarray, width: int, most: int
) -> tuple[Text, ...]:
    """The likeliest text of each length from 0 to `most`, as far as a beam of `width` finds it: the
    end mark is tried behind each text that is kept, and takes no place."""
    end = model.tokenizer.boundary
    ids_NT = torch.full((1, 1), model.start)
    total_N = torch.zeros(1, dtype=torch.float64)
    found = []
    made_1 = torch.from_numpy(source)[None]
    made = {n: model.halves.read(made_1.expand(n, -1)) for n in (1, width)}
    for _ in range(most + 1):
        n = len(ids_NT)
        read = made[n] if n in made else model.halves.read(made_1.expand(n, -1))
        ln_NV = model.halves.write(ids_NT, read)[:, -1].double().log_softmax(-1)
        at = int((total_N + ln_NV[:, end]).argmax())
        found.append(
            Text(tuple(ids_NT[at, 1:].tolist()), float(total_N[at]), float(ln_NV[at, end]))
        )
        ln_NV[:, end] = -torch.inf
        flat = (total_N[:, None] + ln_NV).flatten()
        total_N, place = flat.topk(min(width, n * (ln_NV.shape[1] - 1)))
        row, id = place // ln_NV.shape[1], place % ln_NV.shape[1]
        ids_NT = torch.cat((ids_NT[row], id[:, None]), 1)
    return tuple(found)


@torch.inference_mode()
def ends(model: TranslatingModel[Any], source: np.ndarray, ids: tuple[int, ...]) -> np.ndarray:
    """p(stop) (M + 1,) before each of `ids` and behind the last."""
    read = model.halves.read(torch.from_numpy(source)[None])
    p_MV = model.halves.write(torch.tensor([[model.start, *ids]]), read)[0].double().softmax(-1)
    found: np.ndarray = p_MV[:, model.tokenizer.boundary].numpy()
    return found
