"""Gemma 2: norms before and behind each part, a window in every other layer, and scores and logits that
are capped.

Source    Gemma Team, Gemma 2: Improving Open Language Models at a Practical Size, 2024, sec. 2
Shapes    matrices are kept (out, in)
Differs   The scale of the scores is in the queries' weights (engine/pretrained/folding.py).  Another order
          of windows is not here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.pretrained import folding, layered, llama
from engine.pretrained.base import Family, Names, Parts

if TYPE_CHECKING:
    from torch import Tensor

LAYER = llama.LAYER | {
    "added_1": ("post_attention_layernorm",),
    "norm_2": ("pre_feedforward_layernorm",),
    "added_2": ("post_feedforward_layernorm",),
}
AROUND_ONE = ("norm", "norm_1", "norm_2", "added_1", "added_2")


def settings(c: Any, names: Names) -> dict[str, Any]:
    llama.refuse_partial(c)
    c.ignores("query_pre_attn_scalar")  # see below
    return both(c, names) | llama.places(c) | {"score_cap": c.attn_logit_softcapping or 0.0}


def both(c: Any, names: Names) -> dict[str, Any]:
    """Settings of Gemma 3 too."""
    return {
        **llama.decoder(c, names, "hidden_activation"),
        "norm": "rms",
        "epsilon": c.rms_norm_eps,
        "embedding_scaled": True,
        "added_norm": True,
        "logit_cap": c.final_logit_softcapping or 0.0,
        **layered.windows(c),
    }


def parts(c: Any) -> Parts:
    return llama.parts(c, LAYER)


def arranged(theirs: Any, c: Any, made: dict[str, Tensor]) -> dict[str, Tensor]:
    folding.queries(made, c, theirs.query_pre_attn_scalar**-0.5)
    return made


FAMILY = Family(
    "transformer",
    ("model.",),
    settings,
    parts,
    silent=llama.silent,
    around_one=AROUND_ONE,
    arranged=arranged,
)
