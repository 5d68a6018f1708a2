"""Hierarchy: one vector of a document, made of the vectors of its segments, which are made of those of their tokens.

What      a token has a vector x_t that is learned; of a segment of at most `BODY` tokens a_t = softmax of
          c tanh(W x_t + b), s = sum a_t x_t; over the segments g_i = softmax of c' tanh(W' s_i + b'), d = sum g_i s_i;
          P(positive) = sigmoid(w d + e).  Without attention a_t, or g_i, are all alike
Source    Yang et al., Hierarchical Attention Networks for Document Classification, 2016, sec. 2.2; Pappagari et al.,
          Hierarchical Transformers for Long Document Classification, 2019 (segments as long as a window of BERT)
Shapes    B = documents, S = segments, T = tokens, D = width
Differs   No recurrent net reads the tokens, and none the segments, so that the weights speak of single words: a word
          counts for what it is wherever it stands.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from engine.models.bert import Bert

BODY, WIDTH, HIDDEN, DROPPED = 126, 16, 32, 0.3
NOTHING = 0  # the id that fills short segments
WAYS = {
    "both": "attention over tokens and over segments",
    "segments": "mean of the tokens, attention over segments",
    "mean": "mean of the tokens, mean of the segments",
    "first": "the first segment alone",
}
Document = Sequence[np.ndarray]
"""The ids of each segment."""


class Net(nn.Module):
    """`way`: one of WAYS."""

    def __init__(self, way: str, vocabulary: int) -> None:
        super().__init__()
        assert way in WAYS
        self.way = way
        self.embed = nn.Embedding(vocabulary, WIDTH)
        nn.init.normal_(self.embed.weight, std=0.1)
        self.word = _scorer() if way == "both" else None
        self.segment = _scorer() if way in ("both", "segments") else None
        self.out = nn.Linear(WIDTH, 1)

    def forward(self, ids_BST: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Logits (B,), and the weights of the tokens (B, S, T) and of the segments (B, S)."""
        there_BST = ids_BST != NOTHING
        x_BSTD = F.dropout(self.embed(ids_BST), DROPPED, self.training)
        a_BST = _weights(self.word, x_BSTD, there_BST)
        s_BSD = (a_BST[..., None] * x_BSTD).sum(2)
        g_BS = _weights(self.segment, s_BSD, there_BST.any(2))
        if self.way == "first":
            g_BS = torch.zeros_like(g_BS)
            g_BS[:, 0] = 1
        return self.out((g_BS[..., None] * s_BSD).sum(1))[:, 0], a_BST, g_BS


def _scorer() -> nn.Sequential:
    return nn.Sequential(nn.Linear(WIDTH, HIDDEN), nn.Tanh(), nn.Linear(HIDDEN, 1, bias=False))


def _weights(scorer: nn.Module | None, x: Tensor, there: Tensor) -> Tensor:
    """Over the last axis but one; what is not there has none, and where nothing is there all are 0."""
    score = scorer(x)[..., 0] if scorer is not None else torch.zeros(there.shape)
    found: Tensor = score.masked_fill(~there, -1e9).softmax(-1) * there
    return found


def load(way: str, arrays: Mapping[str, np.ndarray]) -> Net:
    """A net whose numbers are among these."""
    begin = f"hierarchy.{way}."
    own = {name[len(begin) :]: x for name, x in arrays.items() if name.startswith(begin)}
    found = Net(way, len(own["embed.weight"]))
    found.load_state_dict({name: torch.from_numpy(np.array(x)) for name, x in own.items()})
    return found.eval()


def segments(model: Bert, text: str) -> tuple[list[np.ndarray], list[list[tuple[int, int]]]]:
    """The ids of the tokens of each segment, without marks, and where each stands in the text."""
    tokens = model.tokens(text)
    kept = [n for n, (start, stop) in enumerate(tokens.spans) if stop > start]
    cuts = [kept[at : at + BODY] for at in range(0, len(kept), BODY)]
    return [tokens.ids[own] for own in cuts], [[tokens.spans[n] for n in own] for own in cuts]


def padded(documents: Sequence[Document]) -> Tensor:
    """(B, S, T) with NOTHING where nothing is."""
    most_T = max(len(ids_T) for some in documents for ids_T in some)
    ids_BST = np.full((len(documents), max(map(len, documents)), most_T), NOTHING)
    for b, some in enumerate(documents):
        for s, ids_T in enumerate(some):
            ids_BST[b, s, : len(ids_T)] = ids_T
    return torch.from_numpy(ids_BST)


def answer(net: Net, document: Document) -> tuple[float, list[np.ndarray], np.ndarray]:
    """P(positive), the weights of the tokens of each segment, and of the segments (S,)."""
    with torch.inference_mode():
        logit_B, a_BST, g_BS = net(padded([document]))
    weights = [a_BST[0, s, : len(ids_T)].numpy() for s, ids_T in enumerate(document)]
    return float(logit_B.sigmoid()[0]), weights, g_BS[0].numpy()


def learn(
    net: Net,
    documents: Sequence[Document],
    positive: Sequence[bool],
    rounds: int,
    rate: float,
    batch: int = 32,
) -> Iterator[float]:
    """The mean loss of each round."""
    rng = np.random.default_rng(0)
    right_B = torch.tensor(positive, dtype=torch.float32)
    optimiser: Any = torch.optim.Adam(net.parameters(), lr=rate)
    by_size = np.argsort([len(one) for one in documents], kind="stable")
    cuts = [by_size[at : at + batch] for at in range(0, len(documents), batch)]
    for round_ in range(rounds):
        total = 0.0
        for group in optimiser.param_groups:
            group["lr"] = rate * (1 - round_ / rounds)
        for n in rng.permutation(len(cuts)):
            optimiser.zero_grad()
            logit_B = net(padded([documents[b] for b in cuts[n]]))[0]
            loss = F.binary_cross_entropy_with_logits(logit_B, right_B[cuts[n]])
            loss.backward()
            optimiser.step()
            total += float(loss.detach()) * len(cuts[n])
        yield total / len(documents)
