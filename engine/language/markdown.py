"""Text as Markdown shows it, sign for sign."""

from __future__ import annotations

import re

SIGNS = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>~$:&^])")
ESCAPED = re.compile(r"\\([^\w\s]|_)")


def escaped(text: str) -> str:
    """With a backslash before each sign that Markdown would take for its own."""
    return SIGNS.sub(r"\\\1", text)
