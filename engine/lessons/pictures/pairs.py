"""Pairs: pictures and captions as vectors of one space, learned by the contrastive loss of CLIP.

What      logit(i, j) = cos(picture i, caption j) / temperature; loss = half the cross-entropy of the rows plus half
          that of the columns, the right answer on the diagonal
Source    Radford et al., Learning Transferable Visual Models From Natural Language Supervision, 2021, figure 3
Shapes    B = pairs, L = words, E = width of the space
Differs   Convolutions and a GRU in place of large encoders; its twin takes the mean of the words' vectors, so that
          their order is gone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from engine.lessons.pictures.scenes import S, every

SPACE, EMBED, HIDDEN, MAPS = 48, 32, 64, (16, 32)
START = 0.07  # temperature
WORDS = tuple(sorted({word for scene in every() for word in scene.caption.split()}))
NUMBER = {word: n + 1 for n, word in enumerate(WORDS)}  # 0 fills


def split(caption: str) -> tuple[list[str], list[str]]:
    """The words that it knows, and the others, in small letters."""
    said = re.findall(r"[^\W_]+", caption.lower())
    return [w for w in said if w in NUMBER], [w for w in said if w not in NUMBER]


def loss(logit_BB: np.ndarray) -> float:
    """The symmetric cross-entropy of a square of logits, in nats."""
    from scipy.special import log_softmax

    return -float(sum(np.diag(log_softmax(logit_BB, axis)).mean() for axis in (0, 1))) / 2


class Pairs(nn.Module):
    """`ordered`: captions are read word by word; else they are the mean of their words."""

    def __init__(self, ordered: bool) -> None:
        super().__init__()
        self.ordered = ordered
        self.sight = nn.Sequential(
            nn.Conv2d(3, MAPS[0], 3, 2, 1),
            nn.ReLU(),
            nn.Conv2d(*MAPS, 3, 2, 1),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(MAPS[1] * (S // 4) ** 2, SPACE),
        )
        self.embed = nn.Embedding(len(WORDS) + 1, EMBED, padding_idx=0)
        self.gru = nn.GRU(EMBED, HIDDEN, batch_first=True) if ordered else None
        self.out = nn.Linear(HIDDEN if ordered else EMBED, SPACE)
        self.scale = nn.Parameter(torch.tensor(-np.log(START)).float())

    def see(self, pictures_BSS3: np.ndarray) -> Tensor:
        """Vectors of length 1 (B, E)."""
        x = torch.tensor(np.asarray(pictures_BSS3)).float().permute(0, 3, 1, 2)
        return functional.normalize(self.sight(x), dim=-1)

    def read(self, captions: Sequence[str]) -> Tensor:
        """The same of captions; of one without a known word, zeros."""
        known = [[NUMBER[word] for word in split(one)[0]] for one in captions]
        length = torch.tensor([max(1, len(one)) for one in known])
        words = torch.zeros(len(known), int(length.max()), dtype=torch.long)
        for n, one in enumerate(known):
            words[n, : len(one)] = torch.tensor(one, dtype=torch.long)
        vectors = self.embed(words)
        if self.gru is None:
            found = vectors.sum(1) / length[:, None]
        else:
            found = self.gru(vectors)[0][torch.arange(len(known)), length - 1]
        there = torch.tensor([[float(bool(one))] for one in known])
        return functional.normalize(self.out(found), dim=-1) * there

    def forward(self, pictures_BSS3: np.ndarray, captions: Sequence[str]) -> Tensor:
        """Logits (B, B) at the temperature that was learned."""
        return self.see(pictures_BSS3) @ self.read(captions).T * self.scale.exp().clamp(max=100)

    @property
    def temperature(self) -> float:
        return float(1 / self.scale.detach().exp().clamp(max=100))

    def cosines(self, pictures: np.ndarray, captions: Sequence[str]) -> np.ndarray:
        with torch.inference_mode():
            found: np.ndarray = (self.see(pictures) @ self.read(captions).T).double().numpy()
            return found
