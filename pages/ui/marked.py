"""Marked: a text in rows with colours behind some of it, as HTML."""

from __future__ import annotations

import html as escape
from collections.abc import Sequence

from engine.core.trace import FieldSpec, Kind
from engine.frame.blocks import Words
from engine.views import theme
from pages.ui.language import told

SHADES = theme.scale(FieldSpec("mark", Kind.PROBABILITY, (), ""))
STRONGEST = 0.4  # of the scale: letters stay readable on it


def html(pieces: Sequence[tuple[str, float, Words]], dark: bool) -> str:
    """What is said of a piece stands in its title."""
    return f'<p style="white-space:pre-wrap;overflow-wrap:anywhere">{"".join(_piece(*one, dark) for one in pieces)}</p>'


def _piece(text: str, strength: float, says: Words, dark: bool) -> str:
    written = escape.escape(text)
    title = f' title="{escape.escape(told(says))}"' if says else ""
    if strength < 0:
        return f'<s style="color:{theme.ink(dark).quiet};opacity:.6"{title}>{written}</s>'
    stops = SHADES.stops(dark)
    at = round(min(1.0, strength) * STRONGEST * (len(stops) - 1))
    if not at:
        return f"<span{title}>{written}</span>" if title else written
    style = f"background:{stops[at]};color:inherit;border-radius:3px"
    return f'<mark style="{style}"{title}>{written}</mark>'
