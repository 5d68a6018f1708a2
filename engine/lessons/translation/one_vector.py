"""One vector: a plain recurrent encoder and decoder with nothing between them but the last state.

What      encoder  h_t = tanh(W_xh x_t + W_hh h_t-1 + b_h); context c = the last h
          decoder  s_0 = c; s_t = tanh(W_ys y_t-1 + W_ss s_t-1 + b_s), p_t = softmax(W_so s_t + b_o)
          or, with the context at every step, + W_cs c inside the tanh
          quality  share of the letters of new texts that are written back rightly, as in use: each step
                   reads its own last letter
Source    Sutskever, Vinyals & Le, Sequence to Sequence Learning with Neural Networks, 2014 (context at the
          start); Cho et al., Learning Phrase Representations using RNN Encoder-Decoder for Statistical
          Machine Translation, 2014, eq. 7 (at every step)
Shapes    B = texts, S = letters and the end mark, T = steps, V = letters and a mark, H = units, N = SIZES
Differs   Plain tanh units instead of gates, and letters drawn at random, so that nothing can be guessed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

LETTERS = "abcd"
MARK = len(LETTERS)  # the start and the end
LEAST, MOST, SIZES = 2, 8, (1, 2, 3, 4, 5, 6, 7, 8, 10, 12)
STEPS, BATCH, RATE, HELD_OUT = 300, 64, 0.01, 200


class Decoder(nn.Module):
    def __init__(self, signs: int, units: int, every: bool) -> None:
        super().__init__()
        self.letter = nn.Linear(signs, units)
        self.state = nn.Linear(units, units, bias=False)
        self.context = nn.Linear(units, units, bias=False) if every else None
        self.output = nn.Linear(units, signs)

    def step(self, y_BV: Tensor, s_BH: Tensor, c_BH: Tensor) -> tuple[Tensor, Tensor]:
        """The next state (B, H) and its logits (B, V)."""
        sum_BH = y_BV @ self.letter.weight.T + self.state(s_BH)
        if self.context is not None:
            sum_BH = sum_BH + self.context(c_BH)
        s_BH = torch.tanh(sum_BH + self.letter.bias)
        return s_BH, self.output(s_BH)


class Net(nn.Module):
    def __init__(self, units: int, every: bool) -> None:
        super().__init__()
        self.encoder = nn.RNN(MARK + 1, units, batch_first=True)
        self.decoder = Decoder(MARK + 1, units, every)

    def states(self, letter_BS: Tensor) -> Tensor:
        """The encoder's state (B, S, H) after each letter; the last one is the context."""
        found: Tensor = self.encoder(hot(letter_BS))[0]
        return found

    def write(self, c_BH: Tensor, steps: int, right_BT: Tensor | None = None) -> Tensor:
        """Logits (B, T, V); each step reads the right letter before it, or its own likeliest one."""
        if right_BT is not None:
            return self.taught(c_BH, F.pad(right_BT[:, : steps - 1], (1, 0), value=MARK))
        s_BH, y_B, said = c_BH, torch.full((len(c_BH),), MARK), []
        for _ in range(steps):
            s_BH, logit_BV = self.decoder.step(hot(y_B), s_BH, c_BH)
            said.append(logit_BV)
            y_B = logit_BV.argmax(-1)
        return torch.stack(said, 1)

    def taught(self, c_BH: Tensor, read_BT: Tensor) -> Tensor:
        """The same steps for letters that are known before: all that doesn't need a state at once."""
        d = self.decoder
        given_BTH = d.letter(hot(read_BT))
        if d.context is not None:
            given_BTH = given_BTH + d.context(c_BH)[:, None]
        s_BH, made = c_BH, []
        for given_BH in given_BTH.unbind(1):
            s_BH = torch.tanh(torch.addmm(given_BH, s_BH, d.state.weight.T))
            made.append(s_BH)
        found: Tensor = d.output(torch.stack(made, 1))
        return found


def hot(letter: Tensor) -> Tensor:
    return F.one_hot(letter, MARK + 1).float()


@dataclass(frozen=True, eq=False)
class Learned:
    """right_N  share of letters that are written back, for each of SIZES"""

    net: Net
    right_N: np.ndarray


def drawn(count: int, size: int, draw: torch.Generator, back: bool) -> tuple[Tensor, Tensor]:
    """Letters with their end mark, and what is to be written: the same, or the letters backwards."""
    letter_BS = torch.randint(0, MARK, (count, size), generator=draw)
    target_BS = letter_BS.flip(1) if back else letter_BS
    return F.pad(letter_BS, (0, 1), value=MARK), F.pad(target_BS, (0, 1), value=MARK)


def learned(units: int, every: bool, back: bool, seed: int, steps: int = STEPS) -> Learned:
    """Trained here in about a second, on texts of LEAST to MOST letters."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        net = Net(units, every)
    draw = torch.Generator().manual_seed(seed)
    optimiser = torch.optim.Adam(net.parameters(), lr=RATE)
    for _ in range(steps):
        size = int(torch.randint(LEAST, MOST + 1, (), generator=draw))
        source_BS, target_BT = drawn(BATCH, size, draw, back)
        logit_BTV = net.write(net.states(source_BS)[:, -1], size + 1, target_BT)
        loss = F.cross_entropy(logit_BTV.flatten(0, 1), target_BT.flatten())
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimiser.step()
    return Learned(net, np.array([quality(net, size, back) for size in SIZES]))


@torch.inference_mode()
def quality(net: Net, size: int, back: bool) -> float:
    source_BS, target_BT = drawn(HELD_OUT, size, torch.Generator().manual_seed(10_000), back)
    wrote_BT = net.write(net.states(source_BS)[:, -1], size).argmax(-1)
    return float((wrote_BT == target_BT[:, :-1]).float().mean())


def read(text: str) -> list[int]:
    """Ids of the letters that it knows; ValueError where there are none."""
    found = [LETTERS.index(sign) for sign in text.casefold() if sign in LETTERS]
    if not found:
        raise ValueError("Type letters from a to d.")
    return found


@torch.inference_mode()
def written(net: Net, letters: list[int]) -> str:
    """What it writes back of these letters, as many as there are, `·` for an end mark."""
    c_BH = net.states(torch.tensor([[*letters, MARK]]))[:, -1]
    ids = net.write(c_BH, len(letters))[0].argmax(-1).tolist()
    return "".join((LETTERS + "·")[i] for i in ids)
