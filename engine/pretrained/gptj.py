"""GPT-J: attention and feed-forward part side by side behind one norm, and rotary places for the first
quarter of each head, whose neighbours turn together.

Source    Wang & Komatsuzaki, GPT-J-6B: A 6 Billion Parameter Autoregressive Language Model, 2021
Shapes    matrices are kept (out, in)
Differs   Each part has a norm of its own here, with the same numbers.  Queries and keys have their
          numbers in another order (engine/pretrained/folding.py).  An output layer that is tied to the
          embedding is kept apart from it, for it has a bias.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from engine.pretrained import folding
from engine.pretrained.base import Family, Names, Parts, bend, stacked, written

if TYPE_CHECKING:
    from torch import Tensor

LAYER = {
    "norm_1": ("ln_1",),
    "attention.qkv": ("attn.q_proj", "attn.k_proj", "attn.v_proj"),
    "attention.out": ("attn.out_proj",),
    "norm_2": ("ln_1",),
    "feed_forward.up": ("mlp.fc_in",),
    "feed_forward.down": ("mlp.fc_out",),
}


def settings(c: Any, names: Names) -> dict[str, Any]:
    written(c, names)
    head = c.n_embd // c.n_head
    share = c.rotary_dim / head
    return {
        "width": c.n_embd,
        "heads": c.n_head,
        "layers": c.n_layer,
        "context": c.n_positions,
        "inner": c.n_inner or 4 * c.n_embd,
        "activation": bend(c, "activation_function"),
        "epsilon": c.layer_norm_epsilon,
        "position": "rope",
        # 30 / 44 * 44 is less than 30
        "rotary": share if int(head * share) == c.rotary_dim else math.nextafter(share, 1.0),
        "parallel": True,
        "tied": False,
        "output_bias": True,
        "span": min(128, c.n_positions),
    }


def parts(c: Any) -> Parts:
    return {
        "embed": ("wte",),
        "tower.norm": ("ln_f",),
        **stacked("tower.blocks.{}.", "h.{}.", c.layers, LAYER),
        "output": ("lm_head",),
        "output.bias": ("lm_head.bias",),
    }


def arranged(theirs: Any, c: Any, made: dict[str, Tensor]) -> dict[str, Tensor]:
    folding.pairs(made, c, theirs.rotary_dim)
    return made


FAMILY = Family(
    "transformer",
    ("transformer.",),
    settings,
    parts,
    silent=lambda theirs: ("attention.",),
    apart=True,
    arranged=arranged,
)
