"""Patches: a Vision Transformer that reads a digit as 16 patches and a class token.

What      z_0 = [class; E x_1; ...; E x_P] + positions; z' = z + MSA(LN(z)); z = z' + MLP(LN(z')); the class token
          of the last layer, normed, has a logit for each digit
Source    Dosovitskiy et al., An Image is Worth 16x16 Words: Transformers for Image Recognition at Scale, 2021
Shapes    B = images, P = 16 patches of 2 x 2 cells, N = P + 1 tokens, D = width, A = heads, L = layers, K = 10 digits
Differs   ReLU in place of GELU.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from engine.lessons.convolution.images import SIDE

PATCH, WIDTH, HEADS, LAYERS, HIDDEN, DIGITS = 2, 24, 4, 2, 48, 10
ACROSS = SIDE // PATCH
PATCHES = ACROSS * ACROSS


def cut(ink_B88: Tensor) -> Tensor:
    """Patches (B, P, 4) of images (B, 8, 8), row after row."""
    found = ink_B88.unfold(1, PATCH, PATCH).unfold(2, PATCH, PATCH)
    return found.reshape(len(ink_B88), PATCHES, PATCH * PATCH)


class Layer(nn.Module):
    """Attention and a feed-forward net, each behind its norm."""

    def __init__(self) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, HIDDEN), nn.Linear(HIDDEN, WIDTH)

    def forward(self, z_BND: Tensor) -> tuple[Tensor, Tensor]:
        """The tokens, and the attention (B, A, N, N)."""
        b, n, _ = z_BND.shape
        q, k, v = self.qkv(self.norm1(z_BND)).view(b, n, 3, HEADS, -1).permute(2, 0, 3, 1, 4)
        weight = (q @ k.transpose(-1, -2) / (WIDTH // HEADS) ** 0.5).softmax(-1)
        z_BND = z_BND + self.out((weight @ v).transpose(1, 2).reshape(b, n, WIDTH))
        z_BND = z_BND + self.down(functional.relu(self.up(self.norm2(z_BND))))
        return z_BND, weight


class Reader(nn.Module):
    """`placed`: it has positions; without them, the patches are a set."""

    def __init__(self, placed: bool) -> None:
        super().__init__()
        self.placed = placed
        self.embed = nn.Linear(PATCH * PATCH, WIDTH)
        self.token = nn.Parameter(torch.randn(WIDTH) * 0.02)
        self.place = nn.Parameter(torch.randn(PATCHES + 1, WIDTH) * 0.02, requires_grad=placed)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, DIGITS)

    def attend(self, patches_BPX: Tensor) -> tuple[Tensor, Tensor]:
        """Logits (B, K), and attention (L, B, A, N, N)."""
        x = self.embed(patches_BPX)
        z = torch.cat((self.token.expand(len(x), 1, WIDTH), x), 1)
        if self.placed:
            z = z + self.place
        found = []
        for layer in self.layers:
            z, weight = layer(z)
            found.append(weight)
        return self.head(self.norm(z[:, 0])), torch.stack(found)

    def forward(self, ink_B88: Tensor) -> Tensor:
        return self.attend(cut(ink_B88))[0]

    def correct(self, cells: np.ndarray, digit: np.ndarray, order: Tensor | None = None) -> int:
        """How many images it reads right, their patches in another order."""
        with torch.inference_mode():
            patches = cut(torch.tensor(cells / 16.0).float())
            if order is not None:
                patches = torch.stack([one[at] for one, at in zip(patches, order, strict=True)])
            return int((self.attend(patches)[0].argmax(1).numpy() == digit).sum())


def sizes(side: int, patch: int, channels: int = 3) -> tuple[int, int, int]:
    """(tokens with the class token, numbers of a patch, scores of a head) of a square image."""
    tokens = (side // patch) ** 2 + 1
    return tokens, channels * patch * patch, tokens * tokens
