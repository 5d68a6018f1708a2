"""Counted: how many numbers of a Transformer learn, by sums.

What      a layer: 4 (D^2 + D) + 2 D F + F + D + 4 D;  the output of C classes: C D + C
          an adapter: 2 D M + M + D in each layer;  LoRA: r (D + D) for each square matrix
          the rate of a layer n below the output: rate * share^n
Shapes    D = width, F = inner width, L = layers, C = labels, M = width of the bottleneck, r = rank
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Sizes:
    """`all`: numbers of the whole net, its embeddings too, without an output for labels."""

    title: str
    width: int
    layers: int
    inner: int
    all: int

    @property
    def layer(self) -> int:
        d, f = self.width, self.inner
        return 4 * (d * d + d) + 2 * d * f + f + d + 4 * d

    def head(self, labels: int) -> int:
        return labels * self.width + labels

    def unfrozen(self, n: int, labels: int) -> int:
        return self.head(labels) + n * self.layer

    def adapters(self, inner: int) -> int:
        return self.layers * (2 * self.width * inner + inner + self.width)

    def lora(self, rank: int, matrices: int) -> int:
        return self.layers * matrices * rank * 2 * self.width


MODELS = {
    "base": Sizes("BERT-base", 768, 12, 3072, 109_482_240),
    "large": Sizes("BERT-large", 1024, 24, 4096, 335_141_888),
    "gpt2": Sizes("GPT-2", 768, 12, 3072, 124_439_808),
}


def rates(layers: int, rate: float, share: float) -> list[float]:
    """Of the embeddings, of each layer from below, of the output."""
    return [rate * share ** (layers + 1 - depth) for depth in range(layers + 2)]
