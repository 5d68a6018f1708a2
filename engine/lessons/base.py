"""Lesson: what a page teaches, in words, and what stands behind it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Try:
    """A one-click example and what to look for in it."""

    text: str
    look: str
    link: str = ""  # what else it chooses, written like an address: "layer=1&unit=3"


@dataclass(frozen=True, slots=True)
class Lesson:
    """`id` is the page's name in the address; `model` the id of the model it shows."""

    id: str
    page: str  # file under pages/
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
