"""RoBERTa: BERT's encoder, trained longer, without pairs; its first place has the number 2.

Source    Liu et al., RoBERTa: A Robustly Optimized BERT Pretraining Approach, 2019
Shapes    matrices are kept (out, in)
Differs   Of its segments only the first is there: its tokenizer never uses another.
"""

from __future__ import annotations

from typing import Any

from engine.language.message import refusal
from engine.pretrained import bert
from engine.pretrained.base import Family, Names, Parts, demand, stacked

WORDS = {
    "guess.dense": ("lm_head.dense",),
    "guess.norm": ("lm_head.layer_norm",),
    "guess.bias": ("lm_head.bias",),
}


def settings(c: Any, names: Names) -> dict[str, Any]:
    first = c.pad_token_id + 1  # places are counted from behind the number of the filling
    context = c.max_position_embeddings - first
    if first < 0 or context < 1:
        raise refusal(
            "places are counted from pad_token_id + 1 = {first} on, which leaves none of"
            " max_position_embeddings {c.max_position_embeddings}"
        )
    masked = "lm_head.dense.weight" in names
    bert.tied(c, masked)
    if masked:
        demand(c, hidden_act="gelu")  # the library's head bends by it, whatever the layers do
    return bert.settings(c, names) | {
        "offset": first,
        "context": context,
        "span": min(64, context),
        "segments": 1,
        "masked": masked,
        "pairs": False,
    }


def parts(c: Any) -> Parts:
    return (
        bert.EMBEDDINGS
        | stacked("tower.blocks.{}.", "encoder.layer.{}.", c.layers, bert.LAYER)
        | (WORDS if c.masked else {})
    )


FAMILY = Family("bert", ("roberta.",), settings, parts, marks="masked", kept={"segment": slice(1)})
