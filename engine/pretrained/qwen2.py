"""Qwen2 and Qwen2.5: Llama with biases in queries, keys and values.

Source    Yang et al., Qwen2 Technical Report, 2024, sec. 2.2.1
Shapes    matrices are kept (out, in)
Differs   Layers that look back through a window only are not here.
"""

from __future__ import annotations

from typing import Any

from engine.pretrained import llama
from engine.pretrained.base import Family, Names, demand


def without_window(c: Any) -> None:
    """ValueError where a layer looks back through a window only."""
    demand(c, use_sliding_window=False)
    demand(c, layer_types=["full_attention"] * c.num_hidden_layers)
    c.ignores("sliding_window", "max_window_layers")  # of a window that nothing uses


def settings(c: Any, names: Names) -> dict[str, Any]:
    without_window(c)
    return llama.settings(c, names) | {"bias": True}


FAMILY = Family(
    "transformer",
    ("model.",),
    settings,
    llama.parts,
    silent=lambda _: ("attention.out", "feed_forward."),
)
