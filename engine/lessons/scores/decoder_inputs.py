"""Decoder inputs: the small recurrent translators of one copy task, alike but for what their decoder reads
in training: the right letter alone, what it made a step before too, or letters of its own.

What      plain: h_t = cell(y_t-1, h_t-1) under teacher forcing; feeds: h_t = cell([y_t-1, h~_t-1],
          h_t-1), h~ what was made of state and context (input feeding); own: y_t-1 is the likeliest
          letter of the step before, with a probability that rises evenly from 0 to 1/2 (scheduled
          sampling)
          tried as in use: each step reads its own last letter, on texts as long as in training and
          longer
Source    Luong, Pham & Manning, Effective Approaches to Attention-based Neural Machine Translation, 2015,
          sec. 3.3; Bengio et al., Scheduled Sampling for Sequence Prediction with Recurrent Neural
          Networks, 2015
Shapes    B = texts, S = letters and the end mark of a source, T = steps, N = SIZES
Differs   The nets are those of the model seq2seq (GRU, encoder both ways, general score), trained by Adam
          on texts drawn as it goes; a batch has one length.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from engine.analysis import coverage
from engine.core.tap import Recorder
from engine.models.seq2seq import LOOK, Config, Net

LETTERS = "abcd"
END = START = len(LETTERS)
KINDS = {"plain": "teacher forcing", "feeds": "input feeding", "own": "scheduled sampling"}
LEAST, MOST, SIZES = 4, 12, (4, 6, 8, 10, 12, 14, 16, 18, 20)
STEPS, BATCH, RATE, OWN = 400, 32, 0.01, 0.5
HELD_OUT, FEW, LONG = 200, 20, 16


@dataclass(frozen=True, eq=False)
class Learned:
    """The net; per size of SIZES the shares of letters and of whole texts (N,) that it copies rightly; and
    the mean of |c_s - 1|, c_s the coverage of a letter, over texts of LONG letters."""

    net: Net
    letters_N: np.ndarray
    whole_N: np.ndarray
    off: float


def drawn(
    count: int, size: int, draw: torch.Generator, back: bool = False
) -> tuple[Tensor, Tensor]:
    """Random texts with their end mark (B, size + 1), and what is to be written: the same letters, or
    from the last to the first."""
    letter_BS = torch.randint(0, len(LETTERS), (count, size), generator=draw)
    source_BS = F.pad(letter_BS, (0, 1), value=END)
    target_BS = letter_BS.flip(1) if back else letter_BS
    return source_BS, F.pad(target_BS, (0, 1), value=END)


def made(kind: str, looks: str, seed: int) -> Net:
    """KeyError for no such kind, ValueError for no such order."""
    assert KINDS[kind]
    config = Config(attention="bilinear", looks=looks, feeds=kind == "feeds", units=32, width=16)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return Net(len(LETTERS) + 1, config)


def learned(kind: str, looks: str, seed: int, back: bool = False) -> Learned:
    """Trained here, in a few seconds."""
    net, draw = made(kind, looks, seed).train(), torch.Generator().manual_seed(seed)
    optimiser = torch.optim.Adam(net.parameters(), lr=RATE)
    for step in range(STEPS):
        size = int(torch.randint(LEAST, MOST + 1, (), generator=draw))
        source_BS, target_BT = drawn(BATCH, size, draw, back)
        own_BT = None
        if kind == "own":
            own_BT = torch.rand(target_BT.shape, generator=draw) < OWN * step / STEPS
        logit_BTV = net.write(shifted(target_BT), net.read(source_BS), own_BT=own_BT)
        loss = F.cross_entropy(logit_BTV.flatten(0, 1), target_BT.flatten())
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimiser.step()
    net.eval()
    letters_N, whole_N = np.array([tried(net, size, back) for size in SIZES]).T
    return Learned(net, letters_N, whole_N, uncovered(net))


def shifted(target_BT: Tensor) -> Tensor:
    """What the steps read that shall write these: the start mark, then all but the last."""
    return F.pad(target_BT[:, :-1], (1, 0), value=START)


@torch.inference_mode()
def tried(net: Net, size: int, back: bool = False) -> tuple[float, float]:
    """On HELD_OUT texts of `size` letters: the shares of letters, end marks among them, and of whole
    texts that are right."""
    source_BS, target_BT = drawn(HELD_OUT, size, torch.Generator().manual_seed(10_000), back)
    right_BT = written(net, source_BS, size + 1) == target_BT
    return float(right_BT.float().mean()), float(right_BT.all(1).float().mean())


@torch.inference_mode()
def written(net: Net, source_BS: Tensor, count: int) -> Tensor:
    """The likeliest letters (B, count), each step reading its own last one."""
    own_BT = torch.ones(len(source_BS), count, dtype=torch.bool)
    own_BT[:, 0] = False
    begun_BT = torch.full(own_BT.shape, START)
    wrote_BT: Tensor = net.write(begun_BT, net.read(source_BS), own_BT=own_BT).argmax(-1)
    return wrote_BT


def uncovered(net: Net) -> float:
    """The mean of |c_s - 1| over the letters of FEW texts of LONG letters."""
    source_BS, _ = drawn(FEW, LONG, torch.Generator().manual_seed(20_000))
    sums = [coverage.sums(copied(net, one)[1])[:-1] for one in source_BS[:, :-1].tolist()]
    return float(np.abs(np.stack(sums) - 1).mean())


def read(text: str) -> list[int]:
    """Ids of the letters that it knows; ValueError where there are none."""
    found = [LETTERS.index(sign) for sign in text.casefold() if sign in LETTERS]
    if not found:
        raise ValueError("Type letters from a to d.")
    return found


@torch.inference_mode()
def copied(net: Net, letters: list[int]) -> tuple[str, np.ndarray]:
    """What it writes of these letters, up to its end mark or twice as many steps as there are letters,
    and the weights (T, S) of each step, the one that writes the end mark among them."""
    source = torch.tensor([[*letters, END]])
    ids = written(net, source, 2 * len(letters))[0].tolist()
    ids = ids[: ids.index(END) + 1] if END in ids else ids
    recorder = Recorder((), {LOOK.name})
    net.write(shifted(torch.tensor([ids])), net.read(source), recorder)
    return "".join(LETTERS[i] for i in ids if i != END), recorder.values(LOOK)[0, 0]
