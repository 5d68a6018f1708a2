"""Lesson: what a page teaches, in words, and what stands behind it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from engine import ROOT

PLACE = re.compile(
    r"\b(layer|stop|edits)="
)  # in a link: a place in one model, which another may not have


@dataclass(frozen=True, slots=True)
class Try:
    """A one-click example and what to look for in it."""

    text: str
    look: str
    link: str = ""  # what else it chooses, written like an address: "layer=1&unit=3"
    label: str = ""  # on its button, where the text is too long for it

    @property
    def elsewhere(self) -> Try:
        """For another model than the lesson's own: without a place in that one, and without what
        was seen there."""
        return Try(self.text, "") if PLACE.search(self.link) or "shipped" in self.look else self


@dataclass(frozen=True, slots=True)
class Lesson:
    """`id` is the page's name in the address; `model` the id of the model it shows."""

    id: str
    era: str
    title: str
    question: str
    model: str
    example: str
    tries: tuple[Try, ...]
    sources: tuple[str, ...]
    differs: str  # how what is shown differs from the course notes, and why
    after: tuple[str, ...] = ()
    first: str = ""  # what its page chooses before anybody does, written like an address
    live: bool = True  # whether its page draws what a model makes of the typed text, with every key

    @property
    def page(self) -> str:
        """Its file under pages/: the number gives the place in the menu, the rest is the id."""
        return _page(self.id)


@cache
def _page(id: str) -> str:
    found = [p.name for p in (ROOT / "pages").glob(f"[0-9]*_{id}.py")]
    if len(found) != 1:
        raise KeyError(f"lesson {id!r} needs one page, pages/NNN_{id}.py; there are {len(found)}")
    return found[0]
