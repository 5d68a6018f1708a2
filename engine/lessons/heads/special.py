"""Special tokens: those that cover no character of the text, like a start mark, [CLS] or [SEP].

Shapes    T = tokens
"""

from __future__ import annotations

import numpy as np

from engine.text.tokenizers.base import Tokens


def special(tokens: Tokens) -> np.ndarray:
    """(T,) true where a token stands for no part of the text."""
    return np.array([stop <= start for start, stop in tokens.spans], bool)
