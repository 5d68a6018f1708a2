"""The key-value cache: what a Transformer keeps of every token that it has read.

What      2 * layers * groups * dim * tokens: a key and a value for each layer and group of
          heads.  Multi-head: as many groups as heads; grouped-query: fewer; multi-query: one
Source    Shazeer, Fast Transformer Decoding: One Write-Head is All You Need, 2019; Ainslie et al.,
          GQA: Training Generalized Multi-Query Transformer Models from Multi-Head Checkpoints, 2023
Differs   Sizes of published models are those of their papers and configurations.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Shape:
    """What of a model its cache depends on."""

    name: str
    layers: int
    heads: int
    groups: int
    dim: int

    def numbers(self, tokens: int, groups: int = 0) -> int:
        """Kept of one text; with `groups` in place of its own, where not 0."""
        return 2 * self.layers * (groups or self.groups) * self.dim * tokens


MODELS = (
    Shape("GPT-2 small", 12, 12, 12, 64),
    Shape("Llama 2 7B", 32, 32, 32, 128),
    Shape("Llama 2 70B", 80, 64, 8, 128),
    Shape("Llama 3 8B", 32, 32, 8, 128),
    Shape("Mistral 7B", 32, 32, 8, 128),
    Shape("Qwen2 7B", 28, 28, 4, 128),
    Shape("Gemma 2B", 18, 8, 1, 256),
    Shape("Falcon 7B", 32, 71, 1, 64),
    Shape("PaLM 540B", 118, 48, 1, 256),
)


def divisors(heads: int) -> list[int]:
    return [g for g in range(1, heads + 1) if heads % g == 0]
