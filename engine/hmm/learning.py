"""Learning a hidden Markov model without seeing a state: one round of Baum and Welch's method.

What      E step: how often each state is begun with, each pair of states follows, each state writes
          each word, on average over all paths, weighted by their probability given the lines.
          M step (by the caller): these counts, as shares.
Source    Baum, Petrie, Soules & Weiss, A Maximization Technique Occurring in the Statistical Analysis
          of Probabilistic Functions of Markov Chains, 1970; Rabiner, 1989, section III.C and V.A
Shapes    B = lines of a batch, T = words of a line, S = states, V = vocabulary
Differs   In log space, float64, many lines at once: a sum over states of e^x is a product with A
          after the largest x is taken out.  Shorter lines are padded, and what stands on the
          padding is counted nowhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

CELLS = 1 << 15  # places of a batch, padding among them


@dataclass(frozen=True, slots=True)
class Expected:
    """Expected counts, and the log-likelihood of the lines in nats."""

    start_S: Tensor
    transition_SS: Tensor
    emission_SV: Tensor
    log_likelihood: float


def batches(lines: Sequence[np.ndarray], cells: int = CELLS) -> Iterator[tuple[Tensor, Tensor]]:
    """All lines that are not empty, those of about one length together: ids (B, T), lengths (B,)."""
    order = sorted((n for n, ids in enumerate(lines) if len(ids)), key=lambda n: len(lines[n]))
    while order:
        longest, size = len(lines[order[-1]]), max(1, cells // len(lines[order[-1]]))
        some, order = order[-size:], order[:-size]
        ids_BT = np.zeros((len(some), longest), np.int64)
        for row, n in zip(ids_BT, some, strict=True):
            row[: len(lines[n])] = lines[n]
        yield torch.from_numpy(ids_BT), torch.tensor([len(lines[n]) for n in some])


def log_forwards(log_start_S: Tensor, a_SS: Tensor, log_like_BTS: Tensor) -> Tensor:
    """log P(words up to t, state at t) (B, T, S)."""
    at_BS = log_start_S + log_like_BTS[:, 0]
    found = [at_BS]
    for t in range(1, log_like_BTS.shape[1]):
        at_BS = _log_product(at_BS, a_SS) + log_like_BTS[:, t]
        found.append(at_BS)
    return torch.stack(found, 1)


def log_backwards(a_SS: Tensor, log_like_BTS: Tensor, length_B: Tensor) -> Tensor:
    """log P(words after t | state at t) (B, T, S); 0 from the last word of a line on."""
    after_BS = torch.zeros_like(log_like_BTS[:, 0])
    found = [after_BS]
    for t in range(log_like_BTS.shape[1] - 2, -1, -1):
        before_BS = _log_product(after_BS + log_like_BTS[:, t + 1], a_SS.T)
        after_BS = torch.where((length_B > t + 1)[:, None], before_BS, 0.0)
        found.append(after_BS)
    return torch.stack(found[::-1], 1)


def log_likelihoods(log_alpha_BTS: Tensor, length_B: Tensor) -> Tensor:
    """log P(words of the line) (B,)."""
    last_BS = log_alpha_BTS[torch.arange(len(length_B), device=length_B.device), length_B - 1]
    return last_BS.logsumexp(-1)


def expected(
    start_S: Tensor,
    a_SS: Tensor,
    emission_SV: Tensor,
    lines: Sequence[np.ndarray],
    cells: int = CELLS,
) -> Expected:
    """The E step over lines of ids.  The three tables are probabilities, on one device, float64.
    ValueError for lines to which they give no probability."""
    device = a_SS.device
    log_start_S, log_b_VS = start_S.log(), emission_SV.log().T.contiguous()
    starts_S, follows_SS = torch.zeros_like(start_S), torch.zeros_like(a_SS)
    written_VS, total = torch.zeros_like(log_b_VS), 0.0
    for ids_BT, length_B in batches(lines, cells):
        ids_BT, length_B = ids_BT.to(device), length_B.to(device)
        log_like_BTS = log_b_VS[ids_BT]
        log_alpha_BTS = log_forwards(log_start_S, a_SS, log_like_BTS)
        log_beta_BTS = log_backwards(a_SS, log_like_BTS, length_B)
        log_line_B = log_likelihoods(log_alpha_BTS, length_B)
        if not torch.isfinite(log_line_B).all():
            raise ValueError("the model gives a line no probability at all: its tables hold zeros")
        inside_BT = torch.arange(ids_BT.shape[1], device=device) < length_B[:, None]
        gamma_BTS = (log_alpha_BTS + log_beta_BTS - log_line_B[:, None, None]).exp()
        gamma_BTS = torch.where(inside_BT[..., None], gamma_BTS, 0.0)
        starts_S += gamma_BTS[:, 0].sum(0)
        written_VS.index_add_(0, ids_BT.flatten(), gamma_BTS.flatten(0, 1))
        # P(i at t, j at t + 1 | line) = alpha_t(i) A_ij b_j(w) beta_t+1(j) / P(line)
        from_BTS, top_from_BT = _scaled(log_alpha_BTS[:, :-1])
        into_BTS, top_into_BT = _scaled(log_like_BTS[:, 1:] + log_beta_BTS[:, 1:])
        weight_BT = (top_from_BT + top_into_BT - log_line_B[:, None]).exp()
        weight_BT = torch.where(inside_BT[:, 1:], weight_BT, 0.0)
        follows_SS += torch.einsum("bts,btz->sz", from_BTS * weight_BT[..., None], into_BTS) * a_SS
        total += float(log_line_B.sum())
    return Expected(starts_S, follows_SS, written_VS.T.contiguous(), total)


def _scaled(x: Tensor) -> tuple[Tensor, Tensor]:
    """e^(x - top), and the largest number of each row, 0 where all are -inf."""
    top = x.amax(-1)
    top = torch.where(torch.isfinite(top), top, 0.0)
    return (x - top[..., None]).exp(), top


def _log_product(x_BS: Tensor, a_SS: Tensor) -> Tensor:
    """log(e^x A)."""
    part_BS, top_B = _scaled(x_BS)
    return (part_BS @ a_SS).log() + top_B[:, None]
