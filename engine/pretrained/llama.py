"""Llama: a decoder with rotary places, root-mean-square norms, gated feed-forward parts and heads
that share keys.

Source    Touvron et al., LLaMA: Open and Efficient Foundation Language Models, 2023; Llama 2, 2023
Shapes    matrices are kept (out, in)
Differs   Of the ways to stretch its places only "linear" is here (position interpolation).
"""

from __future__ import annotations

from typing import Any

from engine.pretrained.base import Family, Names, Parts, bend, must, stacked

LAYER = {
    "norm_1": ("input_layernorm",),
    "attention.qkv": ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"),
    "attention.out": ("self_attn.o_proj",),
    "norm_2": ("post_attention_layernorm",),
    "feed_forward.up": ("mlp.up_proj",),
    "feed_forward.gate": ("mlp.gate_proj",),
    "feed_forward.down": ("mlp.down_proj",),
}


def settings(c: Any, names: Names) -> dict[str, Any]:
    must(c, mlp_bias=c.attention_bias)
    if bend(c.hidden_act) != "silu":
        raise ValueError(f"its gate bends by {c.hidden_act!r}; only silu can be shown")
    tied = bool(c.tie_word_embeddings)
    if not tied and "lm_head.weight" not in names:
        raise ValueError(
            "the checkpoint has no output layer (lm_head.weight); take the one saved with its"
            " language model head"
        )
    base, stretch = places(c)
    return {
        "width": c.hidden_size,
        "heads": c.num_attention_heads,
        "groups": c.num_key_value_heads,
        "head_width": c.head_dim,
        "layers": c.num_hidden_layers,
        "context": c.max_position_embeddings,
        "inner": c.intermediate_size,
        "activation": "swiglu",
        "norm": "rms",
        "epsilon": c.rms_norm_eps,
        "position": "rope",
        "base": base,
        "stretch": stretch,
        "bias": c.attention_bias,
        "tied": tied,
        "span": min(128, c.max_position_embeddings),
    }


def places(c: Any) -> tuple[float, float]:
    """(base, stretch) of the rotary places."""
    rope = dict(c.rope_parameters or {})
    kind = rope.get("rope_type", "default")
    if kind not in ("default", "linear"):
        raise ValueError(
            f"its rotary positions use the scaling {kind!r}, which is not supported; supported"
            " are default and linear"
        )
    return float(rope.get("rope_theta", 10_000.0)), (
        1.0 / float(rope.get("factor", 1.0)) if kind == "linear" else 1.0
    )


def parts(c: Any) -> Parts:
    return {
        "embed": ("embed_tokens",),
        "tower.norm": ("norm",),
        **stacked("tower.blocks.{}.", "layers.{}.", c.layers, LAYER),
        **({} if c.tied else {"output": ("lm_head",)}),
    }


FAMILY = Family("transformer", ("model.",), settings, parts)
