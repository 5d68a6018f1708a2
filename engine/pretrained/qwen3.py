"""Qwen3: Llama with a norm over every query and every key.

Source    Yang et al., Qwen3 Technical Report, 2025, sec. 2
Shapes    matrices are kept (out, in)
Differs   Layers that look back through a window only are not here.
"""

from __future__ import annotations

from typing import Any

from engine.pretrained import llama, qwen2
from engine.pretrained.base import Family, Names, Parts, stacked

NORMS = {"attention.norm_query": ("self_attn.q_norm",), "attention.norm_key": ("self_attn.k_norm",)}


def settings(c: Any, names: Names) -> dict[str, Any]:
    qwen2.without_window(c)
    return llama.settings(c, names) | {"query_norm": True}


def parts(c: Any) -> Parts:
    return {**llama.parts(c), **stacked("tower.blocks.{}.", "layers.{}.", c.layers, NORMS)}


FAMILY = Family("transformer", ("model.",), settings, parts, silent=llama.silent)
