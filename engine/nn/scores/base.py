"""Score: a number for every query and key.  A kind says how.

Shapes    N = queries, M = keys, K = numbers in a query or key
"""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np
import torch
from torch import Tensor, nn


class Score(nn.Module):
    title: ClassVar[str]
    formula: ClassVar[str]
    called: ClassVar[str]  # in papers on translation
    rank: ClassVar[int] = 1000  # its place in lists
    says: ClassVar[str] = ""  # what one sees of it in the plane of all keys
    reads_keys: ClassVar[bool] = True  # otherwise only a key's place counts

    def __init__(self, k: int) -> None:
        super().__init__()
        self.k = k

    def forward(self, q_NK: Tensor, k_MK: Tensor) -> Tensor:
        """(N, M), or (..., N, M) of several texts at once."""
        return self.met(self.asked(q_NK), self.offered(k_MK))

    def asked(self, q_NK: Tensor) -> Tensor:
        """What is made of the queries alone (N, any)."""
        return q_NK

    def offered(self, k_MK: Tensor) -> Tensor:
        """What is made of the keys alone (M, any): once per text, however many queries come one by
        one."""
        return k_MK

    def met(self, asked_NX: Tensor, offered_MX: Tensor) -> Tensor:
        """The scores (N, M), from what was made of both; a dot product in most."""
        return asked_NX @ offered_MX.mT

    @classmethod
    def drawn(cls, k: int, seed: int) -> Self:
        """One with the weights that this seed gives; the draws of others are left as they are."""
        with torch.random.fork_rng(devices=()):
            torch.manual_seed(seed)
            return cls(k)

    def numbers(self, q_NK: np.ndarray, k_MK: np.ndarray) -> np.ndarray:
        """(N, M)."""
        with torch.inference_mode():
            found = self(*(torch.as_tensor(x, dtype=torch.float32) for x in (q_NK, k_MK)))
        return np.asarray(found.numpy())

    def multiplications(self) -> int:
        """For one query and one key."""
        raise NotImplementedError
