"""Granite, 3: Llama with four multipliers: of embeddings, scores, what each part adds, and logits.

Source    Granite Team, Granite 3.0 Language Models, 2024, sec. 3
Shapes    matrices are kept (out, in)
Differs   The multipliers are in our weights (engine/pretrained/folding.py); where the output is tied to
          the embedding, the last norm takes back what multiplies it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.pretrained import folding, llama
from engine.pretrained.base import Family, Names

if TYPE_CHECKING:
    from torch import Tensor


def settings(c: Any, names: Names) -> dict[str, Any]:
    c.ignores("embedding_multiplier", "attention_multiplier", "residual_multiplier")
    c.ignores("logits_scaling")  # all four: see below
    return llama.settings(c, names)


def arranged(theirs: Any, c: Any, made: dict[str, Tensor]) -> dict[str, Tensor]:
    made["embed.weight"] = made["embed.weight"] * theirs.embedding_multiplier
    folding.queries(made, c, theirs.attention_multiplier)
    folding.added(made, theirs.residual_multiplier)
    wider = theirs.embedding_multiplier if c.tied else 1.0
    folding.answers(made, 1.0 / (theirs.logits_scaling * wider))
    return made


FAMILY = Family(
    "transformer", ("model.",), settings, llama.parts, silent=llama.silent, arranged=arranged
)
