"""DeBERTa, versions 2 and 3: an encoder whose queries and keys meet a vector of their distance, too.

Source    He, Gao & Chen, DeBERTaV3: Improving DeBERTa using ELECTRA-Style Pre-Training with
          Gradient-Disentangled Embedding Sharing, 2023
Shapes    matrices are kept (out, in)
Differs   Those with a convolution, with weights of their own for distances, with one of the two meetings
          alone, or with the newer head for masked words are read-only.
"""

from __future__ import annotations

from typing import Any

from engine.pretrained import bert
from engine.pretrained.base import Family, Names, Parts, stacked

ATTENTION = tuple(f"attention.self.{name}_proj" for name in ("query", "key", "value"))
LAYER = bert.LAYER | {"attention.qkv": ATTENTION}


def fits(c: Any) -> bool:
    return bool(
        c.relative_attention
        and getattr(c, "share_att_key", False)
        and {*c.pos_att_type} == {"c2p", "p2c"}
        and "layer_norm" in getattr(c, "norm_rel_ebd", "none")
        and not getattr(c, "conv_kernel_size", 0)
        and getattr(c, "embedding_size", c.hidden_size) == c.hidden_size
        and c.type_vocab_size <= 2
        and getattr(c, "legacy", True)
    )


def settings(c: Any, names: Names) -> dict[str, Any]:
    assert fits(c)  # all that it reads counts as known
    c.ignores("pooler_hidden_act", "pooler_hidden_size")
    most = c.max_position_embeddings if c.max_relative_positions < 1 else c.max_relative_positions
    shared = getattr(c, "position_buckets", -1)
    return {
        **bert.settings(c, names),
        "pairs": False,
        "position": "learned" if c.position_biased_input else "none",
        "distances": shared if shared > 0 else most,
        "farthest": most if shared > 0 else 0,
    }


def parts(c: Any) -> Parts:
    made = {
        **bert.EMBEDDINGS,
        "tower.distances.table": ("encoder.rel_embeddings",),
        "tower.distances.norm": ("encoder.LayerNorm",),
        **stacked("tower.blocks.{}.", "encoder.layer.{}.", c.layers, LAYER),
        **(bert.WORDS if c.masked else {}),
    }
    absent = {"segment": not c.segments, "tower.position.table": c.position != "learned"}
    return {name: theirs for name, theirs in made.items() if not absent.get(name)}


FAMILY = Family("bert", ("deberta.",), settings, parts, marks="masked", fits=fits)
