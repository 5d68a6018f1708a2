"""The models beside the net: an n-gram model and an LSTM that cut a text into the same tokens."""

from __future__ import annotations

from engine.live import cache
from engine.runs import own
from engine.runs.store import Run

KINDS = {"ngram": "n-gram", "lstm": "LSTM"}


def choose(run: Run) -> list[tuple[Run, str]]:
    """Per kind the first run that is cut like this one, and what it is called."""
    like = cut(run)
    found = []
    for kind, title in KINDS.items():
        known = [other for other in cache.runs(kind) if cut(other) == like]
        fits = [other for other in known if words(other) >= words(run)]
        fits.sort(key=own.is_own)  # first what is shipped
        found += [(other, title) for other in fits[:1]]
    return found


def cut(run: Run) -> tuple[object, ...]:
    """What its vocabulary depends on: another text has other words; of one text the commonest come first."""
    return run.note["config"].get("tokenizer", ""), run.note["corpus"]


def words(run: Run) -> int:
    return int(run.note["config"].get("vocabulary", 0))
