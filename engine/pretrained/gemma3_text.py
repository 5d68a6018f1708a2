"""Gemma 3, its model of texts: norms before and behind each part, a norm over every query and every key,
and a window in all but every sixth layer, with a base of its own.

Source    Gemma Team, Gemma 3 Technical Report, 2025, sec. 2
Shapes    matrices are kept (out, in)
Differs   The scale of the scores is in the gain of the norm over queries.  Another order of windows,
          attention in both directions (EmbeddingGemma) and capped logits are not here.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from engine.language.message import _
from engine.pretrained import layered, llama, qwen3
from engine.pretrained.base import Family, Names, Parts

if TYPE_CHECKING:
    from torch import Tensor

LAYER = llama.LAYER | {
    "added_1": ("post_attention_layernorm",),
    "norm_2": ("pre_feedforward_layernorm",),
    "added_2": ("post_feedforward_layernorm",),
}


def settings(c: Any, names: Names) -> dict[str, Any]:
    c.ignores("query_pre_attn_scalar")  # see below
    far, near = (llama.places(c, f"{kind}_attention") for kind in ("full", "sliding"))
    if set(near) != {"base"}:
        raise ValueError(
            _(
                "checkpoints whose rope_parameters scale the positions of layers with a window can't"
                " be shown; only those of the others can be scaled"
            )
        )
    if stretch := far.pop("stretch", None):
        far["scaling"] = llama.slowed(1.0 / stretch)
    found = {
        **llama.decoder(c, names, "hidden_activation"),
        "norm": "rms",
        "epsilon": c.rms_norm_eps,
        "embedding_scaled": True,
        "query_norm": True,
        "added_norm": True,
        **layered.windows(c),
        **far,
    }
    return found | ({"near_base": near["base"]} if found["sliding_window"] else {})


def parts(c: Any) -> Parts:
    return llama.parts(c, LAYER | qwen3.NORMS)


def arranged(theirs: Any, c: Any, made: dict[str, Tensor]) -> dict[str, Tensor]:
    scale = math.sqrt(c.head_width / theirs.query_pre_attn_scalar)
    for name, gain in made.items():
        if name.endswith("norm_query.weight"):
            made[name] = gain * scale
    return made


FAMILY = Family(
    "transformer",
    ("model.",),
    settings,
    parts,
    silent=llama.silent,
    around_one=("norm", "norm_1", "norm_2", "added_1", "added_2", "norm_query", "norm_key"),
    arranged=arranged,
)
