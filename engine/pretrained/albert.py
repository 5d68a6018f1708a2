"""ALBERT: BERT's encoder with narrower embeddings and layers that share their weights.

Source    Lan et al., ALBERT: A Lite BERT for Self-supervised Learning of Language Representations,
          2020, sec. 3.1
Shapes    matrices are kept (out, in)
Differs   Its head for the order of two sentences is left out.
"""

from __future__ import annotations

from typing import Any

from engine.language.message import refusal
from engine.pretrained import bert
from engine.pretrained.base import Family, Names, Parts, demand, stacked

LAYER = {
    "attention.qkv": ("attention.query", "attention.key", "attention.value"),
    "attention.out": ("attention.dense",),
    "norm_1": ("attention.LayerNorm",),
    "feed_forward.up": ("ffn",),
    "feed_forward.down": ("ffn_output",),
    "norm_2": ("full_layer_layer_norm",),
}
WORDS = {
    "guess.dense": ("predictions.dense",),
    "guess.norm": ("predictions.LayerNorm",),
    "guess.bias": ("predictions.bias",),
}
ENTER = {"enter": ("encoder.embedding_hidden_mapping_in",)}
GROUP = "encoder.albert_layer_groups.{}.albert_layers.0."


def settings(c: Any, names: Names) -> dict[str, Any]:
    demand(c, inner_group_num=1)
    if c.num_hidden_groups > c.num_hidden_layers:
        raise refusal(
            "checkpoints with num_hidden_layers = {c.num_hidden_layers} and num_hidden_groups ="
            " {c.num_hidden_groups} can't be shown; there must be a layer for each group"
        )
    masked = "predictions.dense.weight" in names
    bert.tied(c, masked)
    return bert.settings(c, names) | {
        "embedding_width": c.embedding_size,
        "shared": c.num_hidden_groups,
        "masked": masked,
        "pairs": False,
    }


def parts(c: Any) -> Parts:
    return (
        bert.EMBEDDINGS
        | ENTER
        | stacked("tower.blocks.{}.", GROUP, c.shared, LAYER)
        | (WORDS if c.masked else {})
    )


FAMILY = Family("bert", ("albert.",), settings, parts, marks="masked")
