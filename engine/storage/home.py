"""Home: where own runs, corpora and whatever was worked out for them live.

    <base>/runs, corpora            one person's; where several use one server, what is shared by all
          /queue, maps, counted ... of this computer, whoever asks
          /people/<person>/runs, corpora
                                    where several use one server, what is each one's own

Who asks is known by a function that the pages give (`set_asker`), by `act_as` for work that is done for
somebody elsewhere than in a page, and in a process of its own by UNROLLED_PERSON.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from pathlib import Path

PEOPLE = "people"
PERSON = "UNROLLED_PERSON"
NOBODY = "nobody"  # whoever has not said who they are; has nothing
ID = re.compile(r"[0-9a-f]{32}")
_acting: ContextVar[str | None] = ContextVar("acting", default=None)
_ways: list[Callable[[], str | None]] = []  # to know who asks; the last one given counts


def base() -> Path:
    """UNROLLED_HOME, else the system's place for user data."""
    if "UNROLLED_HOME" in os.environ:
        return Path(os.environ["UNROLLED_HOME"])
    import platformdirs

    return Path(platformdirs.user_data_dir("unrolled", appauthor=False))


def home() -> Path:
    """What the person who asks has of their own; `base` where there is one person only."""
    return base() if (one := person()) is None else base() / PEOPLE / one


def person() -> str | None:
    """The id of who asks, NOBODY for one who has not said so; None where all that come are taken
    for one person."""
    found = _acting.get() or (_ways[-1]() if _ways else None) or os.environ.get(PERSON)
    return found if found is None or ID.fullmatch(found) else NOBODY


def set_asker(who: Callable[[], str | None]) -> None:
    """From now on `who` says which person asks."""
    _ways.append(who)


@contextlib.contextmanager
def act_as(one: str | None) -> Iterator[None]:
    """In this block the work is done for that person; for None, for whoever else is known."""
    token = _acting.set(one)
    try:
        yield
    finally:
        _acting.reset(token)


def inherit() -> dict[str, str]:
    """Variables with which a process of its own works for the same person."""
    return {} if (one := person()) is None else {PERSON: one}
