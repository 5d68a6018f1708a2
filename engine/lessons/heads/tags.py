"""The tags of a run's heads: measured once, in the background, while the page is already there."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from engine.core.registry import corpora
from engine.course import planted
from engine.language.message import _
from engine.lessons.heads import measured, roles
from engine.lessons.heads.roles import ORIGINAL, RELATIONS, REPEAT, Tags
from engine.runs.store import Run

if TYPE_CHECKING:
    from engine.models.abilities import Looks

SAYS = {r.id: r.says for r in (*RELATIONS, ORIGINAL, REPEAT)}
_found: dict[tuple[str, str], Tags] = {}
_threads: dict[tuple[str, str], threading.Thread] = {}
_lock = threading.Lock()


def find_tags(run: Run, model: Looks[Any], wait: bool = False) -> Tags | None:
    """What was measured; None while it is being measured, which the first call begins.

    Who drags the time machine over many steps does not want all of them: of these one is measured
    after the other.
    """
    if found := measured.find(str(run.note.get("recipe"))):
        return found
    key = run.key
    with _lock:
        others = any(thread.is_alive() for thread in _threads.values())
        busy = run.step is not None and not wait and others
        if key not in _threads and not busy:
            _threads[key] = threading.Thread(
                target=lambda: _found.__setitem__(key, _measure(run, model)),
                name="tags",
                daemon=True,
            )
            _threads[key].start()
    if wait:
        _threads[key].join()
    return _found.get(key)


def _measure(run: Run, model: Looks[Any]) -> Tags:
    """On the stories, or on the planted text that it has learned, which says no less what belongs
    together."""
    if text := planted.text(run.note):
        return roles.measure(model, source=cast(roles.Source, corpora.get(text)))
    return roles.measure(model)


def name_text(run: Run) -> str:
    """What its heads were measured on."""
    text = planted.text(run.note)
    return (
        _("lines of its own text ({title})", title=_(corpora.get(text).title))
        if text
        else "little stories"
    )


def strongest(found: Tags) -> np.ndarray:
    """(L, N) the tag that counts most, nan where a head has none; last that it rests on the first token,
    as most heads do where they find nothing."""
    given = found.given()
    strong = np.where(given, found.score - found.baseline, -1)
    strong[found.names.index("first")] *= 1e-3
    best: np.ndarray = np.where(given.any(0), strong.argmax(0), np.nan)
    return best
