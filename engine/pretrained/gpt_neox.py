"""GPT-NeoX, and what is built like it (Pythia): attention and feed-forward part side by side, and
rotary places for the first quarter of each head.

Source    Black et al., GPT-NeoX-20B: An Open-Source Autoregressive Language Model, 2022, sec. 2.1;
          Biderman et al., Pythia: A Suite for Analyzing Large Language Models, 2023
Shapes    matrices are kept (out, in); query, key and value of each head lie together
Differs   Of the ways to scale its places those of Llama are here.
"""

from __future__ import annotations

from typing import Any

from engine.pretrained import llama
from engine.pretrained.base import Family, Names, Parts, bend, stacked, written

LAYER = {
    "norm_1": ("input_layernorm",),
    "attention.qkv": ("attention.query_key_value",),
    "attention.out": ("attention.dense",),
    "norm_2": ("post_attention_layernorm",),
    "feed_forward.up": ("mlp.dense_h_to_4h",),
    "feed_forward.down": ("mlp.dense_4h_to_h",),
}


def settings(c: Any, names: Names) -> dict[str, Any]:
    written(c, names)
    c.ignores("attention_bias")  # a bias that is not there is 0, see `silent` below
    return {
        "width": c.hidden_size,
        "heads": c.num_attention_heads,
        "layers": c.num_hidden_layers,
        "context": c.max_position_embeddings,
        "inner": c.intermediate_size,
        "activation": bend(c, "hidden_act"),
        "epsilon": c.layer_norm_eps,
        "position": "rope",
        **llama.partial(c),
        "parallel": bool(c.use_parallel_residual),
        "tied": bool(c.tie_word_embeddings),
        "span": min(128, c.max_position_embeddings),
    }


def parts(c: Any) -> Parts:
    return {
        "embed": ("embed_in",),
        "tower.norm": ("final_layer_norm",),
        **stacked("tower.blocks.{}.", "layers.{}.", c.layers, LAYER),
        **({} if c.tied else {"output": ("lm_head",)}),
    }


FAMILY = Family(
    "transformer",
    ("gpt_neox.",),
    settings,
    parts,
    renamed={"lm_head": "embed_out"},
    by_head=("query_key_value",),
    silent=lambda c: () if c.attention_bias else ("attention.",),
)
