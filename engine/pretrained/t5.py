"""T5: an encoder and a decoder with one bias per distance, root-mean-square norms and no other
bias.

Source    Raffel et al., Exploring the Limits of Transfer Learning with a Unified Text-to-Text
          Transformer, 2020; gated: T5 1.1
Shapes    matrices are kept (out, in)
Differs   T5 can read a text of any length; here it reads as much as it was trained with.
"""

from __future__ import annotations

from typing import Any

from engine.language.message import refusal
from engine.pretrained.base import Family, Names, Parts, demand, one_of, stacked

SELF = {
    "norm_1": ("0.layer_norm",),
    "attention.qkv": ("0.SelfAttention.q", "0.SelfAttention.k", "0.SelfAttention.v"),
    "attention.out": ("0.SelfAttention.o",),
}
CROSS = {
    "norm_cross": ("1.layer_norm",),
    "cross.ask": ("1.EncDecAttention.q",),
    "cross.offer": ("1.EncDecAttention.k", "1.EncDecAttention.v"),
    "cross.out": ("1.EncDecAttention.o",),
}
BENDS = {"relu": "relu", "gated-gelu": "geglu", "gated-silu": "swiglu"}


def settings(c: Any, names: Names) -> dict[str, Any]:
    if c.num_decoder_layers != c.num_layers:
        raise refusal(
            "checkpoints with num_layers = {c.num_layers} and num_decoder_layers ="
            " {c.num_decoder_layers} can't be shown; the two must be equal"
        )
    demand(
        c,
        relative_attention_num_buckets=32,
        relative_attention_max_distance=128,
        is_encoder_decoder=True,
    )
    if "decoder.block.0.layer.0.layer_norm.weight" not in names:
        raise ValueError("it has no decoder; take the checkpoint saved with both halves")
    context = getattr(c, "n_positions", None) or 512
    return {
        "width": c.d_model,
        "heads": c.num_heads,
        "head_width": c.d_kv,
        "layers": c.num_layers,
        "inner": c.d_ff,
        "context": context,
        "position": "t5",
        "norm": "rms",
        "norm_first": True,
        "activation": BENDS[one_of(c, "feed_forward_proj", BENDS)],
        "bias": False,
        "scaled": False,
        "tied": "lm_head.weight" not in names,
        "output_scaled": c.scale_decoder_outputs,
        "epsilon": c.layer_norm_epsilon,
        "span": min(64, context),
    }


def parts(c: Any) -> Parts:
    def think(layer: int) -> dict[str, tuple[str, ...]]:
        dense = f"{layer}.DenseReluDense."
        up = {"up": ("wi",)} if c.activation == "relu" else {"gate": ("wi_0",), "up": ("wi_1",)}
        named = {
            f"feed_forward.{ours}": (dense + name,)
            for ours, (name,) in {**up, "down": ("wo",)}.items()
        }
        return {"norm_2": (f"{layer}.layer_norm",), **named}

    made: dict[str, tuple[str, ...]] = {
        "embed": ("shared",),
        **({} if c.tied else {"output": ("lm_head",)}),
    }
    for tower, layer in (("encoder", SELF | think(1)), ("decoder", SELF | CROSS | think(2))):
        made |= stacked(f"{tower}.blocks.{{}}.", f"{tower}.block.{{}}.layer.", c.layers, layer)
        made[f"{tower}.norm"] = (f"{tower}.final_layer_norm",)
        made[f"{tower}.position.table"] = (
            f"{tower}.block.0.layer.0.SelfAttention.relative_attention_bias",
        )
    return made


FAMILY = Family("encoder_decoder", (), settings, parts, marks="both")
