"""OLMo 2: Llama whose norms stand behind each part, over what it adds, and over the queries of all heads
together, and the keys.

Source    Team OLMo, 2 OLMo 2 Furious, 2025, sec. 2
Shapes    matrices are kept (out, in)
Differs   Nothing.
"""

from __future__ import annotations

from typing import Any

from engine.pretrained import llama, qwen3
from engine.pretrained.base import Family, Names, Parts

LAYER = {name: theirs for name, theirs in llama.LAYER.items() if not name.startswith("norm")}
LAYER |= {"added_1": ("post_attention_layernorm",), "added_2": ("post_feedforward_layernorm",)}
NORMS = {"query_norm": True, "whole_norm": True, "read_norm": False, "added_norm": True}


def settings(c: Any, names: Names) -> dict[str, Any]:
    return llama.settings(c, names) | NORMS


def parts(c: Any) -> Parts:
    return llama.parts(c, LAYER | qwen3.NORMS)


FAMILY = Family("transformer", ("model.",), settings, parts, silent=llama.silent)
