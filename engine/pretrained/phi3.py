"""Phi-3: Llama with query, key and value in one matrix, and the gate in one with what it opens.

Source    Abdin et al., Phi-3 Technical Report: A Highly Capable Language Model Locally on Your Phone,
          2024, sec. 2
Shapes    matrices are kept (out, in)
Differs   Its way to scale places for long texts (longrope) is not here: the models with a context of
          4,096 tokens are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.pretrained import llama, mistral
from engine.pretrained.base import Family, Names, Parts

if TYPE_CHECKING:
    from torch import Tensor

LAYER = {
    "norm_1": ("input_layernorm",),
    "attention.qkv": ("self_attn.qkv_proj",),
    "attention.out": ("self_attn.o_proj",),
    "norm_2": ("post_attention_layernorm",),
    "feed_forward.both": ("mlp.gate_up_proj",),
    "feed_forward.down": ("mlp.down_proj",),
}


def settings(c: Any, names: Names) -> dict[str, Any]:
    c.ignores("original_max_position_embeddings")  # of scaled places
    return mistral.settings(c, names) | llama.partial(c)


def parts(c: Any) -> Parts:
    return llama.parts(c, LAYER)


def arranged(theirs: Any, c: Any, made: dict[str, Tensor]) -> dict[str, Tensor]:
    for i in range(c.layers):
        part = f"tower.blocks.{i}.feed_forward."
        gate, up = made.pop(f"{part}both.weight").chunk(2)
        made |= {f"{part}gate.weight": gate, f"{part}up.weight": up}
    return made


FAMILY = Family("transformer", ("model.",), settings, parts, arranged=arranged)
