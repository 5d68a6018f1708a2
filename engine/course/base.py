"""Lesson: what a page teaches, in words, and what stands behind it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from urllib.parse import urlencode

from engine import ROOT
from engine.language.message import refusal

# in a link: a place in one model, which another may not have
PLACE = re.compile(r"\b(layer|stop|edits)=")


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
class Step:
    """One step of a lesson's first minute: what it sets on the page, and what to look at there.

    A step that asks covers its panels until somebody has chosen, and says the answer then.

    says     one sentence, true of the shipped model
    text     what the text box holds; empty: what it held at the step before, or there is no box
    link     what is chosen, written like an address, "layer=1&unit=3"; nothing else is where a page
             has the text box, and on one of forms these alone are set
    panel    id of the panel, heading, figure or part it speaks of, which is framed and brought into
             view
    asks     a question to answer by a guess before anything is shown
    choices  the guesses that are offered
    covers   ids of other panels that would give the answer away
    """

    says: str
    text: str = ""
    link: str = ""
    panel: str = ""
    asks: str = ""
    choices: tuple[str, ...] = ()
    covers: tuple[str, ...] = ()


def ask_board(control: str, prefix: str, **settings: str) -> str:
    """A step's link that has a board choose these settings: they stand in `control`, as an address would say
    them, each behind `prefix`."""
    return urlencode({control: urlencode({f"{prefix}{name}": v for name, v in settings.items()})})


@dataclass(frozen=True, slots=True)
class Lesson:
    """`id` is the page's name in the address; `model` the id of the model it shows.

    minutes   how long it takes, about; 0 where nobody works through it
    before    ids of the lessons to know before; each stands earlier in the course
    subtitle  what tells it from a lesson with a similar title
    """

    id: str
    era: str
    title: str
    question: str
    model: str
    example: str
    tries: tuple[Try, ...]
    sources: tuple[str, ...]
    differs: str  # how what is shown differs from the course notes, and why
    minutes: int = 0
    before: tuple[str, ...] = ()
    subtitle: str = ""
    prompt: str = ""  # above its text box, where that is not the usual sentence
    first: str = ""  # what its page chooses before anybody does, written like an address
    live: bool = True  # whether its page draws what a model makes of the typed text, with every key
    also: tuple[str, ...] = ()  # other models whose runs its page can show
    minute: tuple[Step, ...] = ()  # the first minute
    opens: str = ""  # the run that its page opens with, where that is not the first of its model
    offers: str = ""  # a model of engine/pretrained/packaged.py that its page offers
    links: tuple[tuple[str, str, str], ...] = ()  # (another lesson, words, what is chosen there)
    true_of: tuple[str, ...] = ()  # runs of which the first minute is true, and what is chosen
    # besides, where that is not the one run named as the model
    true_where: str = (
        ""  # of a page of forms: keys of controls, and what they hold where it is true
    )
    topics: str = ""  # what it shows, and where: see `topics.base.read`

    @property
    def page(self) -> str:
        """Its file under pages/: the number gives the place in the menu, the rest is the id."""
        return _page(self.id)


@cache
def _page(id: str) -> str:
    found = [p.name for p in (ROOT / "pages").glob(f"[0-9]*_{id}.py")]
    if len(found) != 1:
        raise refusal(
            "lesson {id!r} needs one page, pages/NNN_{id}.py; there are {n}", KeyError, n=len(found)
        )
    return found[0]
