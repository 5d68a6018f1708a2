"""Cohere, Command R: attention and feed-forward part side by side behind one layer norm without a bias,
rotary places whose neighbours turn together, and scaled logits.

Source    Cohere For AI, C4AI Command R, model card, 2024
Shapes    matrices are kept (out, in)
Differs   Each part has a norm of its own here, with the same numbers.  Queries and keys have their
          numbers in another order, and the scale is in the last norm (engine/pretrained/folding.py).  A
          norm over queries and keys (Command R+) is not here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.pretrained import folding, llama
from engine.pretrained.base import Family, Names, Parts, demand
from engine.pretrained.stablelm import SHARED

if TYPE_CHECKING:
    from torch import Tensor


def settings(c: Any, names: Names) -> dict[str, Any]:
    llama.refuse_partial(c)
    if not isinstance(c.logit_scale, int | float):  # which multiplies the logits, see below
        demand(c, logit_scale=0.0625)
    return {
        **llama.decoder(c, names),
        "epsilon": c.layer_norm_eps,
        **llama.places(c),
        "parallel": True,
    }


def parts(c: Any) -> Parts:
    return llama.parts(c, llama.LAYER | SHARED)


def arranged(theirs: Any, c: Any, made: dict[str, Tensor]) -> dict[str, Tensor]:
    folding.pairs(made, c)
    folding.answers(made, theirs.logit_scale)
    return made


FAMILY = Family(
    "transformer",
    ("model.",),
    settings,
    parts,
    silent=lambda theirs: (*llama.silent(theirs), "norm"),
    arranged=arranged,
)
