"""Mistral: Llama whose tokens look back through a window.

Source    Jiang et al., Mistral 7B, 2023, sec. 2
Shapes    matrices are kept (out, in)
Differs   As in Llama.
"""

from __future__ import annotations

from typing import Any

from engine.pretrained import llama
from engine.pretrained.base import Family, Names


def settings(c: Any, names: Names) -> dict[str, Any]:
    window = c.sliding_window or 0
    # one as long as the text hides nothing
    return llama.settings(c, names) | {
        "sliding_window": window if window < c.max_position_embeddings else 0
    }


FAMILY = Family("transformer", ("model.",), settings, llama.parts)
