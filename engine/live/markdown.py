"""Words as a page shows them: what a person typed, sign for sign; what went wrong, as a sentence."""

from __future__ import annotations

from engine.language.markdown import escaped
from engine.views import theme


def escape(text: str) -> str:
    """Typed text as Markdown shows it, sign for sign."""
    return escaped(theme.plain(text))


def capitalise(words: object) -> str:
    """With a capital in front; nothing else is changed."""
    said = str(words)
    return said[:1].upper() + said[1:]


def sentence(words: object) -> str:
    """A problem, or any other words, with a capital in front and one full stop behind."""
    return f"{capitalise(words).rstrip('.')}."
