"""Gemma, the first: Llama with a gate of GELU, embeddings that are scaled up, and norms whose gain is
kept as its distance from 1.

Source    Gemma Team, Gemma: Open Models Based on Gemini Research and Technology, 2024, sec. 2
Shapes    matrices are kept (out, in)
Differs   As in Llama.
"""

from __future__ import annotations

from typing import Any

from engine.pretrained import llama
from engine.pretrained.base import Family, Names


def settings(c: Any, names: Names) -> dict[str, Any]:
    return llama.settings(c, names) | {"embedding_scaled": True}


FAMILY = Family(
    "transformer",
    ("model.",),
    settings,
    llama.parts,
    silent=llama.silent,
    around_one=("norm", "norm_1", "norm_2"),
)
