"""Stemmers: those of nltk, without what nltk loads for its other parts.

What      scikit-learn and scipy's statistics, which nltk does without where they are not installed, take
          50 MB of a server in which nobody needs them
Source    Bird, Klein & Loper, Natural Language Processing with Python, 2009: nltk.stem
Differs   Only this thread is told that they are missing, while it imports nltk
"""

from __future__ import annotations

import sys
from threading import get_ident
from types import ModuleType

ASIDE = ("sklearn", "scipy.stats")


class _Aside:
    """A finder that finds nothing, and lets nobody else find these in this thread."""

    def __init__(self) -> None:
        self._thread = get_ident()

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name in ASIDE and get_ident() == self._thread:
            raise ModuleNotFoundError(name, name=name)


def stemmers() -> ModuleType:
    """`nltk.stem`."""
    aside = _Aside()
    sys.meta_path.insert(0, aside)  # type: ignore[arg-type]  # one that only says no
    try:
        import nltk.stem as found
    finally:
        sys.meta_path.remove(aside)  # type: ignore[arg-type]
    return found
