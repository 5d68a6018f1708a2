"""Levels: an LSTM over the last states of another, beside one LSTM over all, on a copy task of two levels.

What      v_s = last state of LSTM(letters of segment s); d = last state of LSTM(v_1 .. v_S); logits of
          the S answers = W d + b; on one level d = last state of LSTM(all letters)
          task: each segment has one capital letter among small ones; answer all capitals, in order
Source    Li, Luong & Jurafsky, A Hierarchical Neural Autoencoder for Paragraphs and Documents, 2015,
          sec. 3.2
Shapes    B = texts, S = segments, W = letters of a segment, C = kinds of letters, H = width
Differs   The answers are read from one state at once, not written one by one.  From the first letter
          to the answers it is W + S steps on two levels, S W on one.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from engine.analysis.lstm_variants.training import Trained, trained

LETTERS = "abcd"
COUNT, SEGMENTS, LONG = len(LETTERS), 5, 6
WIDTH, BATCH, RATE, HELD_OUT = 32, 64, 0.01, 500
STEPS = (0, 20, 40, 60, 80, 100, 125, 150)
KINDS = {"two": "two levels", "one": "one level"}


class Net(nn.Module):
    def __init__(self, kind: str) -> None:
        """KeyError for no such kind."""
        super().__init__()
        assert KINDS[kind]
        self.embed = nn.Embedding(2 * COUNT, WIDTH)
        self.letters = nn.LSTM(WIDTH, WIDTH, batch_first=True)
        self.segments = nn.LSTM(WIDTH, WIDTH, batch_first=True) if kind == "two" else None
        self.out = nn.Linear(WIDTH, SEGMENTS * COUNT)

    def forward(self, vectors: list[Tensor]) -> Tensor:
        """Logits (B, S, C) from the embeddings (B, W, H) of each segment."""
        if self.segments is None:
            read_BH = self.letters(torch.cat(vectors, 1))[1][0][-1]
        else:
            each = [self.letters(one_BWH)[1][0][-1] for one_BWH in vectors]
            read_BH = self.segments(torch.stack(each, 1))[1][0][-1]
        found: Tensor = self.out(read_BH).unflatten(-1, (SEGMENTS, COUNT))
        return found

    def of(self, token_BSW: Tensor) -> Tensor:
        return self(list(self.embed(token_BSW).unbind(1)))


def drawn(count: int, draw: torch.Generator) -> tuple[Tensor, Tensor]:
    """Random texts (B, S, W), capitals as C and more, and their answers (B, S)."""
    token_BSW = torch.randint(0, COUNT, (count, SEGMENTS, LONG), generator=draw)
    at_BS1 = torch.randint(0, LONG, (count, SEGMENTS, 1), generator=draw)
    answer_BS = token_BSW.gather(2, at_BS1)[..., 0]
    return token_BSW.scatter_add(2, at_BS1, torch.full_like(at_BS1, COUNT)), answer_BS


def learned(kind: str, seed: int) -> Trained[Net]:
    """Trained here, in one or two seconds; tried after each of STEPS."""
    return trained(
        lambda: Net(kind),
        drawn,
        Net.of,
        STEPS,
        seed,
        batch=BATCH,
        rate=RATE,
        held_out=HELD_OUT,
        clip=1.0,
    )


def read(text: str) -> list[list[int]]:
    """Ids of the letters of each segment; ValueError unless there are SEGMENTS of them."""
    known = LETTERS + LETTERS.upper()
    found = [[known.index(sign) for sign in part if sign in known] for part in text.split()]
    found = [part for part in found if part]
    if len(found) != SEGMENTS:
        raise ValueError(f"Type {SEGMENTS} groups of letters from a to d, each with one capital")
    return found


def answer(net: Net, segments: list[list[int]]) -> tuple[str, np.ndarray]:
    """The capitals that it answers, and for each letter of the text how long the gradient of their
    logits' sum is with respect to its embedding."""
    vectors = [net.embed(torch.tensor([part])).detach().requires_grad_() for part in segments]
    logit_SC = net(vectors)[0]
    grads = torch.autograd.grad(logit_SC.amax(-1).sum(), vectors)
    said = "".join(LETTERS[i] for i in logit_SC.argmax(-1).tolist()).upper()
    return said, torch.cat([g[0].norm(dim=-1) for g in grads]).numpy()
