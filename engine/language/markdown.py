"""Text as Markdown shows it, sign for sign."""

from __future__ import annotations

import re

SIGNS = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>~$:&^])")
ESCAPED = re.compile(r"\\([^\w\s]|_)")
MARKUP = re.compile(r"[*_`\[\]<>~$|\\]")  # what stands there unescaped means something


def escaped(text: str) -> str:
    """With a backslash before each sign that Markdown would take for its own."""
    return SIGNS.sub(r"\\\1", text)


def unescaped(text: str) -> str | None:
    """The same without backslashes; None where Markdown would then mean something else, or there is
    none."""
    if "\\" not in text or MARKUP.search(ESCAPED.sub("", text)):
        return None
    return ESCAPED.sub(r"\1", text)
