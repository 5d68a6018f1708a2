"""Falcon: heads that share one key and one value, or a few, and attention and feed-forward part side by
side.

Source    Almazrouei et al., The Falcon Series of Open Language Models, 2023, sec. 4
Shapes    matrices are kept (out, in); queries, key and value of a group of heads lie together
Differs   One norm before both parts are two here, with the same numbers.  Falcon-RW, which has ALiBi, is
          not here: the library rounds its slopes.
"""

from __future__ import annotations

from typing import Any

from engine.pretrained import llama
from engine.pretrained.base import Family, Names, Parts, bend, demand, stacked, written

LAYER = {
    "norm_1": ("input_layernorm",),
    "attention.qkv": ("self_attention.query_key_value",),
    "attention.out": ("self_attention.dense",),
    "norm_2": ("post_attention_layernorm",),
    "feed_forward.up": ("mlp.dense_h_to_4h",),
    "feed_forward.down": ("mlp.dense_4h_to_h",),
}
SIDE_BY_SIDE = {"norm_1": ("ln_attn|input_layernorm",), "norm_2": ("ln_mlp|input_layernorm",)}


def settings(c: Any, names: Names) -> dict[str, Any]:
    written(c, names)
    llama.refuse_partial(c)
    demand(c, alibi=False)
    if c.new_decoder_architecture:
        demand(c, parallel_attn=True)
        c.ignores("multi_query")
        groups = c.num_kv_heads
    else:
        groups = 1 if c.multi_query else c.num_attention_heads
        c.ignores("num_kv_heads")
        if c.parallel_attn and c.num_ln_in_parallel_attn is not None:
            demand(c, num_ln_in_parallel_attn=1)
    c.ignores("num_ln_in_parallel_attn")  # its weights say it
    return {
        "width": c.hidden_size,
        "heads": c.num_attention_heads,
        "groups": groups,
        "layers": c.num_hidden_layers,
        "context": c.max_position_embeddings,
        "inner": c.ffn_hidden_size,
        "activation": bend(c, "activation"),
        "epsilon": c.layer_norm_epsilon,
        "position": "rope",
        **llama.places(c),
        "parallel": bool(c.parallel_attn),
        "bias": bool(c.bias),
        "tied": bool(c.tie_word_embeddings),
        "span": min(128, c.max_position_embeddings),
    }


def parts(c: Any) -> Parts:
    layer = LAYER | (SIDE_BY_SIDE if c.parallel else {})
    return {
        "embed": ("word_embeddings",),
        "tower.norm": ("ln_f",),
        **stacked("tower.blocks.{}.", "h.{}.", c.layers, layer),
        **({} if c.tied else {"output": ("lm_head",)}),
    }


FAMILY = Family("transformer", ("transformer.",), settings, parts, by_head=("query_key_value",))
