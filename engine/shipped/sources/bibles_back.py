"""The same pairs of sentences as `bibles`, the other way round: Spanish, a tab, English.

What      what a translator back into English learns from; the same four books are kept back
Source    as `bibles`
"""

from __future__ import annotations

from collections.abc import Callable

from engine.shipped.sources.base import Files, Source
from engine.shipped.sources.bibles import SOURCE as THERE


def swapped(lines: str) -> str:
    """Each line with what stands before its tab and behind it changed over."""
    cut = (line.partition("\t") for line in lines.splitlines())
    return "".join(f"{target}\t{source}\n" for source, _, target in cut)


def _back(write: Callable[[Files], str]) -> Callable[[Files], str]:
    return lambda files: swapped(write(files))


SOURCE = Source(
    "The Bible in Spanish and English (Reina-Valera 1909, World English Bible)",
    THERE.licence,
    THERE.link,
    _back(THERE.learn),
    THERE.files,
    {name: _back(write) for name, write in THERE.kept_back.items()},
)
