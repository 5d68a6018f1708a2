"""BART: an encoder and a decoder with the norm after each part, learned places, and a norm over embeddings
with their places.

Source    Lewis et al., BART: Denoising Sequence-to-Sequence Pre-training for Natural Language Generation,
          Translation, and Comprehension, 2020
Shapes    matrices are kept (out, in)
Differs   Its first two places are of nothing, and left out.  Halves of another depth are not here; such a
          checkpoint is read-only.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from engine.language.message import refusal
from engine.pretrained.base import Family, Names, Parts, bend, demand, stacked

if TYPE_CHECKING:
    from torch import Tensor

SELF = {
    "norm_1": ("self_attn_layer_norm",),
    "attention.qkv": ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"),
    "attention.out": ("self_attn.out_proj",),
    "norm_2": ("final_layer_norm",),
    "feed_forward.up": ("fc1",),
    "feed_forward.down": ("fc2",),
}
CROSS = {
    "norm_cross": ("encoder_attn_layer_norm",),
    "cross.ask": ("encoder_attn.q_proj",),
    "cross.offer": ("encoder_attn.k_proj", "encoder_attn.v_proj"),
    "cross.out": ("encoder_attn.out_proj",),
}
HALVES = ("encoder", "decoder")
EQUAL = ("layers", "attention_heads", "ffn_dim")
LONGEST = 131_072
BEHIND = {f"{half}.position.table": slice(2, None) for half in HALVES}


def fits(c: Any) -> bool:
    """Whether both halves are alike."""
    return all(getattr(c, f"encoder_{name}") == getattr(c, f"decoder_{name}") for name in EQUAL)


def settings(c: Any, names: Names) -> dict[str, Any]:
    demand(c, is_encoder_decoder=True, is_decoder=False, tie_word_embeddings=True)
    c.ignores(*(f"decoder_{name}" for name in EQUAL))
    if not 2 <= c.max_position_embeddings <= LONGEST:
        raise refusal(
            "checkpoints with max_position_embeddings = {c.max_position_embeddings} can't be shown; only"
            " 2 to {LONGEST} can"
        )
    return {
        "width": c.d_model,
        "heads": c.encoder_attention_heads,
        "layers": c.encoder_layers,
        "inner": c.encoder_ffn_dim,
        "context": c.max_position_embeddings,
        "position": "learned",
        "norm_first": False,
        "activation": bend(c, "activation_function"),
        "gain": math.sqrt(c.d_model) if c.scale_embedding else 1.0,
        "embedding_norm": "encoder.layernorm_embedding.weight" in names,
        "output_bias": "final_logits_bias" in names,
        "span": min(64, c.max_position_embeddings),
    }


def parts(c: Any) -> Parts:
    made: dict[str, tuple[str, ...]] = {"embed": ("shared",)}
    if c.output_bias:
        made["output_bias.bias"] = ("final_logits_bias",)
    for half, layer in zip(HALVES, (SELF, SELF | CROSS), strict=True):
        made |= stacked(f"{half}.blocks.{{}}.", f"{half}.layers.{{}}.", c.layers, layer)
        made[f"{half}.position.table"] = (f"{half}.embed_positions",)
        if c.embedding_norm:
            made[f"{half}_norm"] = (f"{half}.layernorm_embedding",)
        if c.norm_first:
            made[f"{half}.norm"] = (f"{half}.layer_norm",)
    return made


def arranged(theirs: Any, c: Any, made: dict[str, Tensor]) -> dict[str, Tensor]:
    if c.output_bias:
        made["output_bias"] = made.pop("output_bias.bias").flatten()
    return made


FAMILY = Family(
    "encoder_decoder",
    ("model.",),
    settings,
    parts,
    marks="both",
    kept=BEHIND,
    arranged=arranged,
    fits=fits,
)
