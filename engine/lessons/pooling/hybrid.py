"""Hybrid: self-attention over the states of an LSTM, beside each of the two alone, on a recall task.

What      h_1 .. h_T = LSTM(e); q = h_T W_Q, k_t = h_t W_K, v_t = h_t W_V; logits = W_O sum over t of
          softmax(q k_t / sqrt(H)) v_t; without attention logits = W_O h_T; without an LSTM h_t = e_t
          task: letters and digits in turn, each letter and each digit at most once, then one of the
          letters again; the answer is the digit that followed it
Source    Chen et al., The Best of Both Worlds, 2018 (layers of both kinds put together); the task:
          Graves, Wayne & Danihelka, Neural Turing Machines, 2014, sec. 4.3
Shapes    B = texts, T = tokens, H = width, C = letters or digits (as many of each), M = pairs
Differs   One head, no feed-forward part and no positions: attention alone knows which digits are
          there, not what each stood behind, and cannot do better than 1 of M.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

LETTERS, DIGITS = "abcdefgh", "01234567"
COUNT, PAIRS, WIDTH, BATCH, RATE, HELD_OUT = len(LETTERS), 5, 32, 64, 0.01, 1_000
STEPS = (0, 25, 50, 75, 100, 125, 150, 200)
KINDS = {"both": "LSTM, then attention", "lstm": "LSTM alone", "attention": "attention alone"}


class Net(nn.Module):
    def __init__(self, kind: str) -> None:
        """KeyError for no such kind."""
        super().__init__()
        assert KINDS[kind]
        self.embed = nn.Embedding(2 * COUNT, WIDTH)
        self.lstm = nn.LSTM(WIDTH, WIDTH, batch_first=True) if kind != "attention" else None
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH) if kind != "lstm" else None
        self.out = nn.Linear(WIDTH, COUNT)

    def forward(self, token_BT: Tensor) -> tuple[Tensor, Tensor | None]:
        """Logits (B, C) after the last token, and where it looks (B, T); None without attention."""
        h_BTH = self.embed(token_BT)
        if self.lstm is not None:
            h_BTH = self.lstm(h_BTH)[0]
        if self.qkv is None:
            return self.out(h_BTH[:, -1]), None
        q_BTH, k_BTH, v_BTH = self.qkv(h_BTH).chunk(3, -1)
        weight_BT = ((k_BTH @ q_BTH[:, -1, :, None])[..., 0] / WIDTH**0.5).softmax(-1)
        return self.out((weight_BT[:, None] @ v_BTH)[:, 0]), weight_BT


def drawn(count: int, draw: torch.Generator) -> tuple[Tensor, Tensor]:
    """Random texts (B, T) and their answers (B,)."""
    letter_BM, digit_BM = (
        torch.rand(count, COUNT, generator=draw).argsort(-1)[:, :PAIRS] for _ in range(2)
    )
    at_B1 = torch.randint(0, PAIRS, (count, 1), generator=draw)
    pair_BT = torch.stack((letter_BM, COUNT + digit_BM), -1).flatten(1)
    return torch.cat((pair_BT, letter_BM.gather(1, at_B1)), 1), digit_BM.gather(1, at_B1)[:, 0]


def learned(kind: str, seed: int) -> tuple[Net, np.ndarray]:
    """Trained here, in about a second, and the share (S,) of held-out texts that are right after each of
    STEPS."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        net = Net(kind)
    draw, right = torch.Generator().manual_seed(seed), []
    text_BT, answer_B = drawn(HELD_OUT, torch.Generator().manual_seed(10_000))
    optimiser = torch.optim.Adam(net.parameters(), lr=RATE)
    for step in range(STEPS[-1] + 1):
        if step in STEPS:
            with torch.no_grad():
                right.append(float((net(text_BT)[0].argmax(-1) == answer_B).float().mean()))
        some_BT, wanted_B = drawn(BATCH, draw)
        optimiser.zero_grad()
        cross_entropy(net(some_BT)[0], wanted_B).backward()  # type: ignore[no-untyped-call]
        optimiser.step()
    return net.eval(), np.array(right)


def read(text: str) -> list[int]:
    """Token ids of what is typed, of which signs it does not know are left out; ValueError where
    no letter stands at the end."""
    found = [(LETTERS + DIGITS).index(sign) for sign in text.casefold() if sign in LETTERS + DIGITS]
    if len(found) < 3 or found[-1] >= COUNT:
        raise ValueError(
            "Type letters from a to h, each with a digit from 0 to 7, and a letter at the end."
        )
    return found


@torch.inference_mode()
def answer(net: Any, tokens: list[int]) -> tuple[np.ndarray, np.ndarray | None]:
    """Probabilities (C,) of the digits, and where the last token looks (T,)."""
    logit_BC, weight_BT = net(torch.tensor([tokens]))
    return logit_BC[0].softmax(-1).numpy(), None if weight_BT is None else weight_BT[0].numpy()
