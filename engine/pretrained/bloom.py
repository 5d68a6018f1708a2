"""BLOOM: a decoder of many languages, with ALiBi and a norm over its embeddings.

Source    BigScience Workshop, BLOOM: A 176B-Parameter Open-Access Multilingual Language Model, 2022,
          sec. 3.2
Shapes    matrices are kept (out, in); query, key and value of each head lie together
Differs   The embeddings of our model are those that its norm gives, so the output layer, which is tied
          to those before the norm, is kept apart.  ALiBi's slopes of a number of heads that is no power
          of two are others there, and are refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.language.message import refusal
from engine.pretrained.base import Family, Names, Parts, stacked, written

if TYPE_CHECKING:
    from torch import Tensor

LAYER = {
    "norm_1": ("input_layernorm",),
    "attention.qkv": ("self_attention.query_key_value",),
    "attention.out": ("self_attention.dense",),
    "norm_2": ("post_attention_layernorm",),
    "feed_forward.up": ("mlp.dense_h_to_4h",),
    "feed_forward.down": ("mlp.dense_4h_to_h",),
}
CONTEXT = 2048  # of its training, where the config does not say it


def slopes(c: Any, name: str) -> None:
    """ValueError where ALiBi's slopes are others than ours."""
    heads = getattr(c, name)
    if heads < 1 or heads & (heads - 1):
        raise refusal(
            "checkpoints with {name} = {heads} can't be shown; only a power of two can, with ALiBi",
            name=name,
            heads=heads,
        )


def settings(c: Any, names: Names) -> dict[str, Any]:
    written(c, names)
    slopes(c, "n_head")
    context = getattr(c, "seq_length", None) or CONTEXT
    return {
        "width": c.hidden_size,
        "heads": c.n_head,
        "layers": c.n_layer,
        "context": context,
        "activation": "gelu_tanh",
        "epsilon": c.layer_norm_epsilon,
        "position": "alibi",
        "tied": False,
        "span": min(128, context),
    }


def parts(c: Any) -> Parts:
    return {
        "embed": ("word_embeddings",),
        "norm": ("word_embeddings_layernorm",),
        "tower.norm": ("ln_f",),
        **stacked("tower.blocks.{}.", "h.{}.", c.layers, LAYER),
        "output": ("lm_head",),
    }


def arranged(theirs: Any, c: Any, made: dict[str, Tensor]) -> dict[str, Tensor]:
    from torch.nn.functional import layer_norm

    gain, bias = (made.pop(f"norm.{kind}") for kind in ("weight", "bias"))
    made["embed.weight"] = layer_norm(made["embed.weight"], (c.width,), gain, bias, c.epsilon)
    return made


FAMILY = Family(
    "transformer",
    ("transformer.",),
    settings,
    parts,
    by_head=("query_key_value",),
    apart=True,
    arranged=arranged,
)
