"""The tags of a run's heads: measured once, in the background, while the page is already there, and
kept beside the run.

Differs   A large model is measured by a process of its own (engine/lessons/heads/measuring.py), so
          that no key waits for it; a small one takes a second or two, and no process.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from engine.core.registry import corpora
from engine.course import planted
from engine.frame.blocks import Progress
from engine.frame.making import Taking
from engine.jobs.worker import Ended, Failed, Worker, sentence
from engine.language.message import _, refusal
from engine.lessons.heads import measured, roles
from engine.lessons.heads.roles import ORIGINAL, RELATIONS, REPEAT, Tags
from engine.live import cache
from engine.runs.store import Run

if TYPE_CHECKING:
    from engine.models.base import Model

SAYS = {r.id: r.says for r in (*RELATIONS, ORIGINAL, REPEAT)}
APART, SECONDS = "engine.lessons.heads.measuring", 3600.0  # the process, and what it may take
EVERY = 0.3  # seconds between two looks
BUSY = "Measuring what each head does"


class Measuring:
    """Of one run: the share (0 to 1) that is done; at its end what was found, or why nothing was."""

    def __init__(self, measure: Callable[[Callable[[float], None]], Tags]) -> None:
        self.share, self.why = 0.0, ""
        self.found: Tags | None = None
        self._measure = measure
        self.thread = threading.Thread(target=self._work, name="tags", daemon=True)
        self.thread.start()

    def _work(self) -> None:
        try:
            self.found = self._measure(partial(setattr, self, "share"))
        except Exception as error:  # whatever it is, the page says so
            self.why = sentence(error) or type(error).__name__


_begun: dict[tuple[str, str], Measuring] = {}
_lock, _one = threading.Lock(), threading.Lock()


def find_tags(run: Run, wait: bool = False) -> Tags | None:
    """What was measured, of whichever way in which the run reads a text; None while it is being
    measured, which the first call begins, or where that came to nothing.

    Who drags the time machine over many steps does not want all of them: of these one is measured
    after the other.
    """
    run = run.as_kept
    if found := _known(run):
        return found
    with _lock:
        others = any(one.thread.is_alive() for one in _begun.values())
        busy = run.step is not None and not wait and others
        if run.key not in _begun and not busy:
            _begun[run.key] = Measuring(partial(_measure, run, measured.keeper(run)))
    if (begun := _begun.get(run.key)) is None:
        return None
    if wait:
        begun.thread.join()
    return begun.found


def find_share(run: Run) -> float | None:
    """Which share is measured (0 to 1); None where nothing is under way."""
    begun = _begun.get(run.as_kept.key)
    return begun.share if begun is not None and begun.thread.is_alive() else None


def wait_for_tags(run: Run) -> Taking[Tags]:
    """ValueError where the heads can't be measured."""
    while (found := find_tags(run)) is None:
        begun = _begun.get(run.as_kept.key)
        if begun is not None and begun.why:
            raise refusal("The heads of this run could not be measured: {begun.why}.")
        yield Progress(begun.share if begun else 0.0, BUSY)
        time.sleep(EVERY)
    return found


def _known(run: Run) -> Tags | None:
    if found := measured.find(str(run.note.get("recipe"))):
        return found
    if (begun := _begun.get(run.key)) is not None:
        return begun.found
    return measured.find_kept(run)


def _measure(run: Run, keep: Callable[[Tags], None], tell: Callable[[float], None]) -> Tags:
    model = cache.model(run)
    if roles.is_large(model):
        del model
        with _one, Worker(APART) as worker:  # one at a time, for it takes much memory
            try:
                request = json.dumps([str(run.folder), run.step]).encode()
                answer = worker.ask(request, SECONDS, lambda part: tell(float(part)))
            except (Ended, Failed, TimeoutError) as error:
                raise ValueError(sentence(error)) from error
        found = measured.read(json.loads(answer))
    else:
        found = measure(run, model, tell)
    keep(found)
    return found


def measure(run: Run, model: Model[Any], tell: Callable[[float], None]) -> Tags:
    """On the stories, or on the planted text that it has learned, which says no less what belongs
    together."""
    if text := planted.text(run.note):
        source = cast(roles.Source, corpora.get(text))
        return roles.measure(model, source=source, tell=tell)
    return roles.measure(model, tell=tell)


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
