"""DistilBERT: half of BERT's layers, taught by BERT; without segments and pairs.

Source    Sanh, Debut, Chaumond & Wolf, DistilBERT, a distilled version of BERT: smaller, faster,
          cheaper and lighter, 2019
Shapes    matrices are kept (out, in)
Differs   Nothing.
"""

from __future__ import annotations

from typing import Any

from engine.pretrained import bert
from engine.pretrained.base import Family, Names, Parts, bend, stacked

LAYER = {
    "attention.qkv": ("attention.q_lin", "attention.k_lin", "attention.v_lin"),
    "attention.out": ("attention.out_lin",),
    "norm_1": ("sa_layer_norm",),
    "feed_forward.up": ("ffn.lin1",),
    "feed_forward.down": ("ffn.lin2",),
    "norm_2": ("output_layer_norm",),
}
EMBEDDINGS = {
    "embed": ("embeddings.word_embeddings",),
    "tower.position.table": ("embeddings.position_embeddings",),
    "norm": ("embeddings.LayerNorm",),
}
WORDS = {
    "guess.dense": ("vocab_transform",),
    "guess.norm": ("vocab_layer_norm",),
    "guess.bias": ("vocab_projector.bias",),
}


def settings(c: Any, names: Names) -> dict[str, Any]:
    masked = "vocab_transform.weight" in names
    bert.tied(c, masked)
    return {
        "width": c.dim,
        "heads": c.n_heads,
        "layers": c.n_layers,
        "context": c.max_position_embeddings,
        "inner": c.hidden_dim,
        "activation": bend(c, "activation"),
        "segments": 0,
        "pairs": False,
        "epsilon": 1e-12,
        "masked": masked,
        "span": min(64, c.max_position_embeddings),
    }


def parts(c: Any) -> Parts:
    return (
        EMBEDDINGS
        | stacked("tower.blocks.{}.", "transformer.layer.{}.", c.layers, LAYER)
        | (WORDS if c.masked else {})
    )


FAMILY = Family("bert", ("distilbert.",), settings, parts, marks="masked")
