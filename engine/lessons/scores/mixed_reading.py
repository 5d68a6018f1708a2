"""Mixed reading: what a recurrent translator writes when a coin decides, at every step, whether it
reads the right word or its own; and how much worse it is on its own words, over many sentences.

What      step t reads the right word where u_t < share, else the likeliest of step t - 1; share 1 is
          teacher forcing, share 0 free running.  The coins u_t come from a seed alone, so that a
          share changes only which of them fall on either side
Source    Bengio, Vinyals, Jaitly & Shazeer, Scheduled Sampling for Sequence Prediction with
          Recurrent Neural Networks, 2015, sec. 2.4; that a model is not trained on its own words
          (exposure bias): Ranzato et al., Sequence Level Training with Recurrent Neural Networks,
          2016
Shapes    N = steps, T = right tokens, B = sentences, L = the longest of them, V = vocabulary
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from engine.lessons.scores.free_running import Free
from engine.models.seq2seq import Net, Seq2seq
from engine.models.translating import NOTHING

MOST = 40  # steps of a sentence that is looked at


@dataclass(frozen=True, slots=True, eq=False)
class Mixed:
    """read_N    ids, the start mark first
    own_N     whether it is a word of its own
    wrote_N   the likeliest, up to the end mark that would be read next, or MOST
    p_N       its probability
    right_N   that of the right token; nan behind the last right one
    """

    read_N: np.ndarray
    own_N: np.ndarray
    wrote_N: np.ndarray
    p_N: np.ndarray
    right_N: np.ndarray


def coins(seed: int, count: int = MOST) -> np.ndarray:
    """u_t (count,) in [0, 1); the first is never tossed, as nothing is written before it."""
    return np.random.default_rng(seed).random(count)


@torch.inference_mode()
def read(
    model: Seq2seq,
    source: np.ndarray,
    right: Sequence[int],
    share: float,
    seed: int = 0,
    free: Free | None = None,
) -> Mixed:
    """`source` (S,) and `right` (T,) are ids, each up to its end mark, as far as they are known.
    Behind the right tokens it reads its own.  `free`: what it writes where it reads its own alone,
    where that is known; not computed again then."""
    net, right = _net(model), list(right)[:MOST]
    known = len(right)
    own_N = coins(seed) >= share
    own_N[0], own_N[known + 1 :] = False, True
    ended = free is not None and (
        len(free.ids) == MOST or free.ids[-1:] == (model.tokenizer.boundary,)
    )
    if free is not None and ended and own_N[1:].all():
        ids_N = np.array(free.ids)
        read_N = np.concatenate(([model.start], ids_N[:-1]))
        return Mixed(read_N, own_N[: len(ids_N)], ids_N, free.p_N, free.right_N)
    x_N = np.zeros(MOST, np.int64)
    x_N[0], x_N[1 : known + 1] = model.start, right[: MOST - 1]
    made = net.read(torch.from_numpy(source)[None])
    logit_1NV = net.write(torch.from_numpy(x_N)[None], made, own_BT=torch.from_numpy(own_N)[None])
    p_NV = logit_1NV[0].softmax(-1).numpy()
    wrote_N = p_NV.argmax(-1)
    ends = np.flatnonzero((wrote_N == model.tokenizer.boundary) & np.append(own_N[1:], True))
    count = int(ends[0]) + 1 if len(ends) else MOST
    read_N = np.where(own_N, np.concatenate(([model.start], wrote_N[:-1])), x_N)
    right_N = np.full(MOST, np.nan, np.float32)
    right_N[:known] = p_NV[np.arange(known), right]
    return Mixed(*(part[:count] for part in (read_N, own_N, wrote_N, p_NV.max(-1), right_N)))


@dataclass(frozen=True, slots=True)
class Measured:
    """share   of right words read
    nats    per right token
    right   share of the right tokens that are the likeliest at their step
    whole   share of the sentences in which all of them are
    after   share of right tokens behind the first wrong one; nan where none is wrong
    """

    share: float
    nats: float
    right: float
    whole: float
    after: float


@torch.inference_mode()
def measured(
    model: Seq2seq, pairs: Sequence[tuple[np.ndarray, np.ndarray]], share: float, seed: int = 0
) -> Measured:
    """Over pairs of ids, both with their end mark."""
    net = _net(model)
    (source_BL, target_BL), y_BL = model.batch(pairs)
    source_BS = source_BL[:, : int((source_BL >= 0).sum(1).max())]
    real_BS = source_BS >= 0
    u_BL = np.random.default_rng(seed).random(target_BL.shape)
    logit_BLV = net.write(
        target_BL.clamp(min=0),
        net.read(source_BS.clamp(min=0), real_BS=real_BS),
        real_BS=real_BS,
        own_BT=torch.from_numpy(u_BL >= share),
    )
    counts_BL = y_BL != NOTHING
    nats_BL = -logit_BLV.log_softmax(-1).gather(-1, y_BL.clamp(min=0)[..., None])[..., 0]
    hit_BL = (logit_BLV.argmax(-1) == y_BL) & counts_BL
    wrong_BL = counts_BL & ~hit_BL
    later_BL = counts_BL & ((wrong_BL.cumsum(1) - wrong_BL.long()) > 0)
    return Measured(
        share,
        float(nats_BL[counts_BL].mean()),
        float(hit_BL.sum() / counts_BL.sum()),
        float((~wrong_BL.any(1)).float().mean()),
        float((hit_BL & later_BL).sum() / later_BL.sum()) if later_BL.any() else float("nan"),
    )


def _net(model: Seq2seq) -> Net:
    assert isinstance(model.net, Net)
    model.net.eval()
    return model.net
