"""Words that a person typed, as Markdown shows them: sign for sign."""

from __future__ import annotations

import re

from engine.views import theme


def escape(text: str) -> str:
    """Typed text as Markdown shows it, sign for sign."""
    return re.sub(r"([\\`*_{}\[\]()#+\-.!|<>~$:&^])", r"\\\1", theme.plain(text))
