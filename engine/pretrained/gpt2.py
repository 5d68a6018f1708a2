"""GPT-2: a decoder with learned places, the norm before each part and an output tied to the
embedding.

Source    Radford et al., Language Models are Unsupervised Multitask Learners, 2019
Shapes    matrices are kept (in, out)
Differs   A text is read behind the mark <|endoftext|>, as in training; the library's tokenizer
          leaves it out.
"""

from __future__ import annotations

from typing import Any

from engine.pretrained.base import Family, Names, Parts, bend, demand, stacked, written

LAYER = {
    "norm_1": ("ln_1",),
    "attention.qkv": ("attn.c_attn",),
    "attention.out": ("attn.c_proj",),
    "norm_2": ("ln_2",),
    "feed_forward.up": ("mlp.c_fc",),
    "feed_forward.down": ("mlp.c_proj",),
}


def settings(c: Any, names: Names) -> dict[str, Any]:
    written(c, names)
    demand(
        c, scale_attn_weights=True, scale_attn_by_inverse_layer_idx=False, add_cross_attention=False
    )
    return {
        "width": c.n_embd,
        "heads": c.n_head,
        "layers": c.n_layer,
        "context": c.n_positions,
        "inner": c.n_inner or 4 * c.n_embd,
        "activation": bend(c, "activation_function"),
        "epsilon": c.layer_norm_epsilon,
        "position": "learned",
        "tied": bool(c.tie_word_embeddings),
        "span": min(128, c.n_positions),
    }


def parts(c: Any) -> Parts:
    return {
        "embed": ("wte",),
        "tower.position.table": ("wpe",),
        "tower.norm": ("ln_f",),
        **stacked("tower.blocks.{}.", "h.{}.", c.layers, LAYER),
        **({} if c.tied else {"output": ("lm_head",)}),
    }


FAMILY = Family(
    "transformer", ("transformer.",), settings, parts, turned=("c_attn", "c_proj", "c_fc")
)
