"""Gemma 3, its model of texts: norms before and behind each part, a norm over every query and every key,
and a window in all but every sixth layer, with a base of its own.

Source    Gemma Team, Gemma 3 Technical Report, 2025, sec. 2
Shapes    matrices are kept (out, in)
Differs   The scale of the scores is in the gain of the norm over queries.  Another order of windows,
          and attention in both directions (EmbeddingGemma) are not here.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from engine.language.message import refusal
from engine.pretrained import gemma2, llama, qwen3
from engine.pretrained.base import Family, Names, Parts

if TYPE_CHECKING:
    from torch import Tensor


def settings(c: Any, names: Names) -> dict[str, Any]:
    c.ignores("query_pre_attn_scalar")  # see below
    far, near = (llama.places(c, f"{kind}_attention") for kind in ("full", "sliding"))
    if set(near) != {"base"}:
        raise refusal(
            "checkpoints whose rope_parameters scale the positions of layers with a window can't"
            " be shown; only those of the others can be scaled"
        )
    if stretch := far.pop("stretch", None):
        far["scaling"] = llama.slowed(1.0 / stretch)
    found = gemma2.both(c, names) | far | {"query_norm": True}
    return found | ({"near_base": near["base"]} if found["sliding_window"] else {})


def parts(c: Any) -> Parts:
    return llama.parts(c, gemma2.LAYER | qwen3.NORMS)


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
    around_one=(*gemma2.AROUND_ONE, "norm_query", "norm_key"),
    arranged=arranged,
)
