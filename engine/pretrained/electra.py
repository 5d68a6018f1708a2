"""ELECTRA: BERT's encoder with narrower embeddings, which learns to find words that another, smaller
one has replaced.

Source    Clark, Luong, Le & Manning, ELECTRA: Pre-training Text Encoders as Discriminators Rather
          Than Generators, 2020
Shapes    matrices are kept (out, in)
Differs   Nothing: a generator has BERT's head for masked words, a discriminator one that says of
          each word whether it was replaced.
"""

from __future__ import annotations

from typing import Any

from engine.pretrained import bert
from engine.pretrained.base import Family, Names, Parts, demand

WORDS = {
    "guess.dense": ("generator_predictions.dense",),
    "guess.norm": ("generator_predictions.LayerNorm",),
    "guess.bias": ("generator_lm_head.bias",),
}
DETECTS = {
    "detect.dense": ("discriminator_predictions.dense",),
    "detect.out": ("discriminator_predictions.dense_prediction",),
}
ENTER = {"enter": ("embeddings_project",)}


def settings(c: Any, names: Names) -> dict[str, Any]:
    masked = "generator_predictions.dense.weight" in names
    bert.tied(c, masked)
    if masked:
        demand(c, hidden_act="gelu")  # the library's head bends by it, whatever the layers do
    return bert.settings(c, names) | {
        "embedding_width": c.embedding_size if c.embedding_size != c.hidden_size else 0,
        "masked": masked,
        "detects": "discriminator_predictions.dense.weight" in names,
        "pairs": False,
    }


def parts(c: Any) -> Parts:
    heads = (WORDS if c.masked else {}) | (DETECTS if c.detects else {})
    return bert.tower(c) | (ENTER if c.embedding_width else {}) | heads


FAMILY = Family("bert", ("electra.",), settings, parts, marks="masked")
