"""Marked: a text in rows with colours behind some of it, as HTML."""

from __future__ import annotations

import html as escape
from collections.abc import Sequence

from engine.core.trace import FieldSpec, Kind
from engine.frame.blocks import Words
from engine.views import theme
from pages.ui.language import told

SHADES = theme.scale(FieldSpec("mark", Kind.PROBABILITY, (), ""))
OPEN = '<p style="white-space:pre-wrap;overflow-wrap:anywhere">'
STRONGEST = 0.4  # of the scale: letters stay readable on it


def html(pieces: Sequence[tuple[str, float, Words]], dark: bool) -> str:
    """What is said of a piece stands in its title."""
    return "".join((OPEN, *(_piece(*one, dark) for one in pieces), "</p>"))


def _piece(text: str, strength: float, says: Words, dark: bool) -> str:
    title, stops = told(says) if says else "", SHADES.stops(dark)
    if strength < 0:
        return _tag("s", text, title, ("color", theme.ink(dark).quiet), ("opacity", ".6"))
    at = round(min(1.0, strength) * STRONGEST * (len(stops) - 1))
    if not at:
        return _tag("span", text, title)
    return _tag("mark", text, title, ("background", stops[at]), ("color", "inherit"))


def _tag(name: str, text: str, title: str, *style: tuple[str, str]) -> str:
    told_of = {"title": title, "style": ";".join(map(":".join, style))}
    with_them = "".join(f' {k}="{escape.escape(v)}"' for k, v in told_of.items() if v)
    return f"<{name}{with_them}>{escape.escape(text)}</{name}>"
