"""OPT: GPT-3 as it could be rebuilt; learned places, ReLU, and the norm before each part.

Source    Zhang et al., OPT: Open Pre-trained Transformer Language Models, 2022, sec. 2.1
Shapes    matrices are kept (out, in)
Differs   Its table of places begins with two rows that nothing reads; they are left out.  The
          checkpoint of 350 million numbers, whose embeddings are narrower than its layers, is not
          here.
"""

from __future__ import annotations

from typing import Any

from engine.language.message import refusal
from engine.pretrained.base import Family, Names, Parts, bend, demand, stacked, written

LAYER = {
    "norm_1": ("self_attn_layer_norm",),
    "attention.qkv": ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"),
    "attention.out": ("self_attn.out_proj",),
    "norm_2": ("final_layer_norm",),
    "feed_forward.up": ("fc1",),
    "feed_forward.down": ("fc2",),
}
FIRST = 2  # rows of its table of places before the one of the first token


def settings(c: Any, names: Names) -> dict[str, Any]:
    written(c, names)
    if c.word_embed_proj_dim != c.hidden_size:
        raise refusal(
            "checkpoints with word_embed_proj_dim = {c.word_embed_proj_dim} and hidden_size ="
            " {c.hidden_size} can't be shown; the two must be equal"
        )
    demand(c, layer_norm_elementwise_affine=True)
    if c.do_layer_norm_before:
        demand(c, _remove_final_layer_norm=False)
    return {
        "width": c.hidden_size,
        "heads": c.num_attention_heads,
        "layers": c.num_hidden_layers,
        "context": c.max_position_embeddings,
        "inner": c.ffn_dim,
        "activation": bend(c, "activation_function"),
        "norm_first": bool(c.do_layer_norm_before),
        "position": "learned",
        "bias": bool(c.enable_bias),
        "tied": bool(c.tie_word_embeddings),
        "span": min(128, c.max_position_embeddings),
    }


def parts(c: Any) -> Parts:
    return {
        "embed": ("embed_tokens",),
        "tower.position.table": ("embed_positions",),
        **({"tower.norm": ("final_layer_norm",)} if c.norm_first else {}),
        **stacked("tower.blocks.{}.", "layers.{}.", c.layers, LAYER),
        **({} if c.tied else {"output": ("lm_head",)}),
    }


FAMILY = Family(
    "transformer",
    ("model.decoder.", "decoder."),
    settings,
    parts,
    kept={"tower.position.table": slice(FIRST, None)},
)
