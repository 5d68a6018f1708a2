"""BERT, and what is built like it (MiniLM, sentence encoders): an encoder with learned places and
the norm after each part.

Source    Devlin, Chang, Lee & Toutanova, BERT: Pre-training of Deep Bidirectional Transformers,
          2018
Shapes    matrices are kept (out, in)
Differs   A checkpoint without the head for masked words, or for pairs, is shown without it.
"""

from __future__ import annotations

from typing import Any

from engine.language.message import refusal
from engine.pretrained.base import Family, Names, Parts, bend, demand, stacked

LAYER = {
    "attention.qkv": ("attention.self.query", "attention.self.key", "attention.self.value"),
    "attention.out": ("attention.output.dense",),
    "norm_1": ("attention.output.LayerNorm",),
    "feed_forward.up": ("intermediate.dense",),
    "feed_forward.down": ("output.dense",),
    "norm_2": ("output.LayerNorm",),
}
EMBEDDINGS = {
    "embed": ("embeddings.word_embeddings",),
    "tower.position.table": ("embeddings.position_embeddings",),
    "segment": ("embeddings.token_type_embeddings",),
    "norm": ("embeddings.LayerNorm",),
}
WORDS = {
    "guess.dense": ("cls.predictions.transform.dense",),
    "guess.norm": ("cls.predictions.transform.LayerNorm",),
    "guess.bias": ("cls.predictions.bias",),
}
PAIRS = {"pool": ("pooler.dense",), "pair": ("cls.seq_relationship",)}


def settings(c: Any, names: Names) -> dict[str, Any]:
    demand(c, position_embedding_type="absolute", is_decoder=False, add_cross_attention=False)
    masked = "cls.predictions.transform.dense.weight" in names
    tied(c, masked)
    if c.type_vocab_size > 2:
        raise refusal(
            "checkpoints with type_vocab_size = {c.type_vocab_size} can't be shown; they tell more"
            " than two sentences apart"
        )
    return {
        "width": c.hidden_size,
        "heads": c.num_attention_heads,
        "layers": c.num_hidden_layers,
        "context": c.max_position_embeddings,
        "inner": c.intermediate_size,
        "activation": bend(c, "hidden_act"),
        "segments": c.type_vocab_size,
        "epsilon": c.layer_norm_eps,
        "masked": masked,
        "span": min(64, c.max_position_embeddings),
        "pairs": "cls.seq_relationship.weight" in names and "pooler.dense.weight" in names,
    }


def tied(c: Any, masked: bool) -> None:
    """ValueError where the head for masked words has an output matrix of its own."""
    if masked:
        demand(c, tie_word_embeddings=True)


def tower(c: Any) -> dict[str, tuple[str, ...]]:
    """The parts below the heads."""
    return EMBEDDINGS | stacked("tower.blocks.{}.", "encoder.layer.{}.", c.layers, LAYER)


def parts(c: Any) -> Parts:
    return tower(c) | (WORDS if c.masked else {}) | (PAIRS if c.pairs else {})


FAMILY = Family("bert", ("bert.",), settings, parts, marks="masked")
