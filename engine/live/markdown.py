"""Words as a page shows them: what a person typed, sign for sign; what went wrong, as a sentence."""

from __future__ import annotations

import re

from engine.language.markdown import escaped
from engine.language.message import Message
from engine.views import theme

PLACE = re.compile(r"\{[^{}]*\}")
ACTS = re.compile(r"[\\`*_\[\]<>$~|#&]")


def escape(text: str) -> str:
    """Typed text as Markdown shows it, sign for sign."""
    return escaped(theme.plain(text))


def wrong(problem: Exception) -> str:
    """What an error says: our words may be said in any language, those of others stay, sign for
    sign."""
    said = problem.args[0] if problem.args else ""
    return _filled(said) if isinstance(said, Message) else escape(str(said))


def noted(words: object) -> str:
    """What a file says that may be anybody's, sign for sign.  A message in it may be said in any
    language where nothing in its own words is a sign of Markdown."""
    if isinstance(words, Message) and not ACTS.search(PLACE.sub("", words.template)):
        return _filled(words)
    return escape(str.__str__(words) if isinstance(words, str) else str(words))


def _filled(said: Message) -> Message:
    values = {
        n: escape(str.__str__(v)) if isinstance(v, str) else v for n, v in said.values.items()
    }
    return Message(said.template, values)


def capitalise(words: object) -> str:
    """With a capital in front; nothing else is changed."""
    said = str(words)
    return said[:1].upper() + said[1:]


def sentence(words: object) -> str:
    """A problem, or any other words, with a capital in front and one full stop behind."""
    return f"{capitalise(words).rstrip('.')}."
