"""StableLM: Llama with layer norms, and rotary places for the first quarter of each head.

Source    Bellagente et al., Stable LM 2 1.6B Technical Report, 2024, sec. 2
Shapes    matrices are kept (out, in)
Differs   Where attention and feed-forward part stand side by side, their one norm is two here, with the
          same numbers.  A norm of its own for every head's queries and keys (12B) is not here.
"""

from __future__ import annotations

from typing import Any

from engine.pretrained import llama
from engine.pretrained.base import Family, Names, Parts

SHARED = {"norm_2": ("input_layernorm",)}


def settings(c: Any, names: Names) -> dict[str, Any]:
    return {
        **llama.decoder(c, names),
        "epsilon": c.layer_norm_eps,
        **llama.partial(c),
        "parallel": bool(c.use_parallel_residual),
        "bias": bool(c.use_qkv_bias),
    }


def parts(c: Any) -> Parts:
    return llama.parts(c, llama.LAYER | (SHARED if c.parallel else {}))


FAMILY = Family(
    "transformer",
    ("model.",),
    settings,
    parts,
    silent=lambda theirs: ("attention.out", "feed_forward.") if theirs.use_qkv_bias else (),
)
