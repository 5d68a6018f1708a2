"""Llama: a decoder with rotary places, root-mean-square norms, gated feed-forward parts and heads
that share keys.

Source    Touvron et al., LLaMA: Open and Efficient Foundation Language Models, 2023; Llama 2, 2023
Shapes    matrices are kept (out, in)
Differs   Of the ways to stretch its places only "linear" is here (position interpolation).
"""

from __future__ import annotations

from typing import Any

from engine.pretrained.base import Family, Names, Parts, bend, stacked, written

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
    written(c, names)
    if bend(c.hidden_act) != "silu":
        raise ValueError(f"its gate bends by {c.hidden_act!r}; only silu can be shown")
    base, stretch = places(c)
    return {
        "width": c.hidden_size,
        "heads": c.num_attention_heads,
        "groups": c.num_key_value_heads,
        "head_width": getattr(c, "head_dim", None) or 0,
        "layers": c.num_hidden_layers,
        "context": c.max_position_embeddings,
        "inner": c.intermediate_size,
        "activation": "swiglu",
        "norm": "rms",
        "epsilon": c.rms_norm_eps,
        "position": "rope",
        "base": base,
        "stretch": stretch,
        "bias": any(biases(c)),
        "tied": bool(c.tie_word_embeddings),
        "span": min(128, c.max_position_embeddings),
    }


def biases(c: Any) -> tuple[bool, bool]:
    """Whether attention has biases, and the feed-forward part."""
    return getattr(c, "attention_bias", False), getattr(c, "mlp_bias", False)


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


def silent(c: Any) -> tuple[str, ...]:
    """Of its biases it can have those of attention alone, or those of the feed-forward part."""
    attention, feed_forward = biases(c)
    if attention == feed_forward:
        return ()
    return ("feed_forward.",) if attention else ("attention.",)


FAMILY = Family("transformer", ("model.",), settings, parts, silent=silent)
