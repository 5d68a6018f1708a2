"""Phi, 1 to 2: attention and feed-forward part side by side behind one norm, rotary places for half of
each head, and a bias wherever one can be.

Source    Gunasekar et al., Textbooks Are All You Need, 2023; Li et al., Textbooks Are All You Need II:
          phi-1.5 technical report, 2023
Shapes    matrices are kept (out, in)
Differs   Each part has a norm of its own here, with the same numbers.  An output layer that is tied to
          the embedding is kept apart from it, for it has a bias.
"""

from __future__ import annotations

from typing import Any

from engine.pretrained import llama
from engine.pretrained.base import Family, Names, Parts, bend, stacked, written

LAYER = {
    "norm_1": ("input_layernorm",),
    "attention.qkv": ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"),
    "attention.out": ("self_attn.dense",),
    "norm_2": ("input_layernorm",),
    "feed_forward.up": ("mlp.fc1",),
    "feed_forward.down": ("mlp.fc2",),
}


def settings(c: Any, names: Names) -> dict[str, Any]:
    written(c, names)
    return {
        "width": c.hidden_size,
        "heads": c.num_attention_heads,
        "groups": c.num_key_value_heads,
        "head_width": getattr(c, "head_dim", None) or 0,
        "layers": c.num_hidden_layers,
        "context": c.max_position_embeddings,
        "inner": c.intermediate_size,
        "activation": bend(c, "hidden_act"),
        "epsilon": c.layer_norm_eps,
        "position": "rope",
        **llama.partial(c),
        "parallel": True,
        "tied": False,
        "output_bias": True,
        "span": min(128, c.max_position_embeddings),
    }


def parts(c: Any) -> Parts:
    return {
        "embed": ("embed_tokens",),
        "tower.norm": ("final_layernorm",),
        **stacked("tower.blocks.{}.", "layers.{}.", c.layers, LAYER),
        "output": ("lm_head",),
        "output.bias": ("lm_head.bias",),
    }


FAMILY = Family("transformer", ("model.",), settings, parts, apart=True)
