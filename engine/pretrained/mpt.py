"""MPT: a decoder with ALiBi and no bias anywhere.

Source    MosaicML NLP Team, Introducing MPT-7B: A New Standard for Open-Source, Commercially Usable
          LLMs, 2023
Shapes    matrices are kept (out, in)
Differs   What the library leaves out of the code of its makers is refused: clipped queries, keys and
          values, other slopes, learned places, scaled logits.
"""

from __future__ import annotations

from typing import Any

from engine.language.message import refusal
from engine.pretrained.base import Family, Names, Parts, stacked, written
from engine.pretrained.bloom import slopes

LAYER = {
    "norm_1": ("norm_1",),
    "attention.qkv": ("attn.Wqkv",),
    "attention.out": ("attn.out_proj",),
    "norm_2": ("norm_2",),
    "feed_forward.up": ("ffn.up_proj",),
    "feed_forward.down": ("ffn.down_proj",),
}
ATTENTION = {
    "attn_type": "multihead_attention",
    "clip_qkv": None,
    "softmax_scale": None,
    "prefix_lm": False,
    "qk_ln": False,
    "alibi": True,
    "alibi_bias_max": 8,
}


def settings(c: Any, names: Names) -> dict[str, Any]:
    written(c, names)
    slopes(c, "n_heads")
    for name, value in ATTENTION.items():
        if (found := getattr(c.attn_config, name)) != value:
            raise refusal(
                "checkpoints whose attn_config has {name} = {found} can't be shown; only"
                " {value} can",
                name=name,
                found=repr(found),
                value=repr(value),
            )
    # the library reads none of these; its weights are as wide as they are
    c.ignores("learned_pos_emb", "embedding_fraction", "init_device", "norm_type")
    c.ignores("no_bias", "expansion_ratio")
    return {
        "width": c.d_model,
        "heads": c.n_heads,
        "layers": c.n_layers,
        "context": c.max_seq_len,
        "activation": "gelu",
        "epsilon": c.layer_norm_epsilon,
        "position": "alibi",
        "bias": False,
        "tied": bool(c.tie_word_embeddings),
        "span": min(128, c.max_seq_len),
    }


def parts(c: Any) -> Parts:
    return {
        "embed": ("wte",),
        "tower.norm": ("norm_f",),
        **stacked("tower.blocks.{}.", "blocks.{}.", c.layers, LAYER),
        **({} if c.tied else {"output": ("lm_head",)}),
    }


FAMILY = Family("transformer", ("transformer.",), settings, parts, silent=lambda theirs: ("norm",))
