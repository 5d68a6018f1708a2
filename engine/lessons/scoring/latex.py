"""Numbers and typed words as LaTeX has them."""

from __future__ import annotations

import math

from engine.frame.latex import power
from engine.text.segmentation import in_word


def finite(surprisal: float, digits: int = 5) -> str:
    """What is not finite is impossible."""
    return f"{surprisal:.{digits}f}" if math.isfinite(surprisal) else "impossible"


def power_of_two(log2: float) -> str:
    """2^log2 in LaTeX, however small."""
    tens = math.floor(log2 * math.log10(2))
    return (
        power(2.0**log2)
        if tens > -4
        else rf"{10 ** (log2 * math.log10(2) - tens):.4f} \times 10^{{{tens}}}"
    )


def plain(words: str) -> str:
    """Typed words inside \\text{}: letters and digits, anything else as a box."""
    named = words.replace("<s>", "(start)").replace("</s>", "(end)")
    shown = "".join(c if in_word(c) or c in " .,'-?!/()" else "□" for c in named)
    return shown[:60] or "∅"
