"""SmolLM3: Llama whose every fourth layer turns no queries and keys.

Source    Bakouch et al., SmolLM3: smol, multilingual, long-context reasoner, Hugging Face, 2025; layers
          without places: Yang et al., Rope to Nope and Back Again, 2025
Shapes    matrices are kept (out, in)
Differs   Another order of such layers, and layers that look back through a window, are not here.
"""

from __future__ import annotations

from typing import Any

from engine.pretrained import layered, llama, qwen2
from engine.pretrained.base import Family, Names


def settings(c: Any, names: Names) -> dict[str, Any]:
    qwen2.without_window(c)
    c.ignores("no_rope_layer_interval")  # the list says it
    turns = list(c.no_rope_layers[: c.num_hidden_layers])
    unplaced = layered.every([not one for one in turns], "no_rope_layers", turns)
    return llama.settings(c, names) | {"unplaced": unplaced}


FAMILY = Family("transformer", ("model.",), settings, llama.parts, silent=llama.silent)
