"""What stands below a page's live pictures and asks its model: one part at a time, chosen by name,
in a fragment of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from engine.live import cache
from engine.models.base import Model
from engine.runs.store import Run
from pages.ui import choice, place
from pages.ui.fragment import fragment

M = TypeVar("M", bound=Model[Any])


def show(run: Run, kind: type[M], parts: Mapping[str, Callable[[M], object]], key: str) -> None:
    """`parts` by their names, which draw with the opened model, of this kind; a single one is drawn
    without a choice.  The choice stands in the address as `key`.

    One at a time: a browser that has many charts below answers a key more slowly.
    """

    @fragment
    def page() -> None:
        try:
            model = cache.model(run, kind)
        except ValueError:  # a damaged run: the live part above has said so
            return
        one_of(parts, key, model)

    page()


def one_of(
    parts: Mapping[str, Callable[..., object]],
    key: str,
    *of: Any,
    label: str = "Look closer",
    link: bool = True,
    **more: Any,
) -> None:
    """The choice, which the address holds if it may (`link`), and the part that is chosen, drawn
    with `of`.  `more`: settings of the buttons."""
    chosen, *others = parts
    if others:
        chosen = choice.one_of(label, [*parts], key, place.part(parts), link=link, **more)
    with place.panel(chosen):
        parts[chosen](*of)
