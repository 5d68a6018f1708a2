"""Hierarchy: one vector of a document that is longer than the model, made of the vectors of its segments.

What      of each segment of at most `BODY` tokens BERT gives x_t; a_t = softmax over its tokens of c tanh(W x_t + b),
          s = sum a_t x_t; over the segments g_i = softmax of c' tanh(W' s_i + b'), d = sum g_i s_i; P(positive) =
          sigmoid(w d + e).  Without attention a_t, or g_i, are all alike
Source    Yang et al., Hierarchical Attention Networks for Document Classification, 2016, sec. 2.2; Pappagari et al.,
          Hierarchical Transformers for Long Document Classification, 2019 (BERT for the segments)
Shapes    B = documents, S = segments, T = tokens, D = width
Differs   BERT stays as it is, in place of their recurrent nets; the attention and the last line are what learns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from engine.models.bert import Bert

BODY, HIDDEN = 126, 32
MOST = 12  # segments of a text that is typed
WAYS = {
    "both": "attention over tokens and over segments",
    "segments": "mean of the tokens, attention over segments",
    "mean": "mean of the tokens, mean of the segments",
    "first": "the first segment alone",
}


class Net(nn.Module):
    """`way`: one of WAYS."""

    mean: Tensor
    spread: Tensor

    def __init__(self, way: str, width: int) -> None:
        super().__init__()
        assert way in WAYS
        self.way = way
        self.word = _scorer(width) if way == "both" else None
        self.segment = _scorer(width) if way in ("both", "segments") else None
        self.out = nn.Linear(width, 1)
        self.register_buffer("mean", torch.zeros(width))
        self.register_buffer("spread", torch.ones(()))

    def forward(self, x_BSTD: Tensor, there_BST: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Logits (B,), and the weights of the tokens (B, S, T) and of the segments (B, S)."""
        x_BSTD = (x_BSTD - self.mean) / self.spread
        a_BST = _weights(self.word, x_BSTD, there_BST)
        s_BSD = (a_BST[..., None] * x_BSTD).sum(2)
        g_BS = _weights(self.segment, s_BSD, there_BST.any(2))
        if self.way == "first":
            g_BS = torch.zeros_like(g_BS)
            g_BS[:, 0] = 1
        return self.out((g_BS[..., None] * s_BSD).sum(1))[:, 0], a_BST, g_BS


def _scorer(width: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(width, HIDDEN), nn.Tanh(), nn.Linear(HIDDEN, 1, bias=False))


def _weights(scorer: nn.Module | None, x: Tensor, there: Tensor) -> Tensor:
    """Over the last axis but one; what is not there has none, and where nothing is there all are 0."""
    score = scorer(x)[..., 0] if scorer is not None else torch.zeros_like(there, dtype=x.dtype)
    found = score.masked_fill(~there, -1e9).softmax(-1)
    return found * there


def load(way: str, arrays: Mapping[str, np.ndarray], width: int) -> Net:
    """A net whose numbers are among these."""
    found, begin = Net(way, width), f"hierarchy.{way}."
    own = {name: np.array(x) for name, x in arrays.items() if name.startswith(begin)}
    found.load_state_dict({name[len(begin) :]: torch.from_numpy(x) for name, x in own.items()})
    return found.eval()


def segments(model: Bert, text: str) -> tuple[list[np.ndarray], list[list[tuple[int, int]]]]:
    """The tokens of each segment, without marks, and where each stands in the text."""
    tokens = model.tokens(text)
    kept = [n for n, (start, stop) in enumerate(tokens.spans) if stop > start]
    cuts = [kept[at : at + BODY] for at in range(0, len(kept), BODY)]
    return [tokens.ids[own] for own in cuts], [[tokens.spans[n] for n in own] for own in cuts]


def read(model: Bert, ids: Sequence[np.ndarray]) -> Iterator[np.ndarray]:
    """What BERT gives for the tokens of each segment (T, D)."""
    t = model.tokenizer
    for ids_T in ids:
        with torch.inference_mode():
            x_1LD = model.net(torch.from_numpy(np.concatenate(([t.start], ids_T, [t.end])))[None])
        yield x_1LD[0, 1:-1].numpy()


def padded(documents: Sequence[Sequence[np.ndarray]]) -> tuple[Tensor, Tensor]:
    """(B, S, T, D) with zeros where nothing is, and what is there (B, S, T)."""
    most_S = max(map(len, documents))
    most_T = max(len(x_TD) for some in documents for x_TD in some)
    width = documents[0][0].shape[1]
    x_BSTD = np.zeros((len(documents), most_S, most_T, width), np.float32)
    there_BST = np.zeros((len(documents), most_S, most_T), bool)
    for b, some in enumerate(documents):
        for s, x_TD in enumerate(some):
            x_BSTD[b, s, : len(x_TD)], there_BST[b, s, : len(x_TD)] = x_TD, True
    return torch.from_numpy(x_BSTD), torch.from_numpy(there_BST)


def answer(net: Net, x: Sequence[np.ndarray]) -> tuple[float, list[np.ndarray], np.ndarray]:
    """P(positive), the weights of the tokens of each segment, and of the segments (S,)."""
    with torch.inference_mode():
        logit_B, a_BST, g_BS = net(*padded([x]))
    weights = [a_BST[0, s, : len(x_TD)].numpy() for s, x_TD in enumerate(x)]
    return float(logit_B.sigmoid()[0]), weights, g_BS[0].numpy()


def learn(
    net: Net,
    documents: Sequence[Sequence[np.ndarray]],
    positive: Sequence[bool],
    rounds: int,
    rate: float,
    batch: int = 16,
) -> Iterator[tuple[int, float]]:
    """Round, and its mean loss."""
    rng = np.random.default_rng(0)
    right_B = torch.tensor(positive, dtype=torch.float32)
    optimiser: Any = torch.optim.AdamW(net.parameters(), lr=rate, weight_decay=0.05)
    steps = rounds * -(-len(documents) // batch)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: 1 - step / steps)
    by_size = np.argsort([len(one) for one in documents], kind="stable")
    for round_ in range(rounds):
        cuts = [by_size[at : at + batch] for at in range(0, len(documents), batch)]
        total = 0.0
        for n in rng.permutation(len(cuts)):
            some = cuts[n]
            optimiser.zero_grad()
            logit_B = net(*padded([documents[b] for b in some]))[0]
            loss = nn.functional.binary_cross_entropy_with_logits(logit_B, right_B[some])
            loss.backward()
            optimiser.step()
            schedule.step()
            total += float(loss.detach()) * len(some)
        yield round_, total / len(documents)
