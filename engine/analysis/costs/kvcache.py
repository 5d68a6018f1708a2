"""The key-value cache: what a Transformer keeps of every token that it has read, by formula and on
tensors.

What      2 * layers * groups * dim * tokens * bytes: a key and a value for each layer and group of
          heads.  Multi-head: as many groups as heads; grouped-query: fewer; multi-query: one
Source    Shazeer, Fast Transformer Decoding: One Write-Head is All You Need, 2019; Ainslie et al.,
          GQA: Training Generalized Multi-Query Transformer Models from Multi-Head Checkpoints, 2023
Shapes    B = texts, G = groups of heads, T = tokens, K = width of a head
Differs   Sizes of published models are those of their papers and configurations.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

from engine.nn.attention import Attention, Sight


@dataclass(frozen=True, slots=True)
class Shape:
    """What of a model its cache depends on."""

    name: str
    layers: int
    heads: int
    groups: int
    dim: int

    def bytes(self, tokens: int, each: int, groups: int = 0) -> int:
        """Of one text; `each` number has so many bytes.  `groups` in place of its own, where not 0."""
        return 2 * self.layers * (groups or self.groups) * self.dim * tokens * each


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


@dataclass(frozen=True, slots=True)
class Kept:
    """What one attention layer with G groups keeps of T tokens, on real tensors."""

    groups: int
    key: tuple[int, ...]
    bytes: int
    parameters: int


class _Kept:
    """A tap that keeps keys and values."""

    def __init__(self) -> None:
        self.found: dict[str, torch.Tensor] = {}

    def __call__(self, name: str, value: torch.Tensor, axes: tuple[str, ...]) -> torch.Tensor:
        if name in ("key", "value"):
            self.found[name] = value
        return value

    def derived(self, *_: object) -> None:
        return None

    def switch(self, *_: object) -> None:
        return None

    def wants(self, name: str) -> bool:
        return False

    def edits(self, *names: str) -> bool:
        return False


def measured(width: int, heads: int, groups: int, tokens: int, dtype: torch.dtype) -> Kept:
    """One attention layer with random weights run over random tokens.  ValueError where the heads
    can't be shared out."""
    if heads % groups or width % heads:
        raise ValueError(f"{heads} heads can't be shared out among {groups} groups")
    with torch.inference_mode():
        part = Attention(width, heads, groups=groups).to(dtype)
        place = torch.arange(tokens)
        tap = _Kept()
        part(torch.randn(1, tokens, width, dtype=dtype), Sight(place, place), tap)  # type: ignore[arg-type]
    key, value = tap.found["key"], tap.found["value"]
    size = sum(t.numel() * t.element_size() for t in (key, value))
    return Kept(groups, tuple(key.shape), size, sum(p.numel() for p in part.parameters()))


def divisors(heads: int) -> list[int]:
    return [g for g in range(1, heads + 1) if heads % g == 0]
