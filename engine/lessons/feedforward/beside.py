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
        fits = [other for other in cache.runs(kind) if cut(other) == like]
        # first what learned from the same text, and what is shipped
        fits.sort(key=lambda o: (o.note["corpus"] != run.note["corpus"], own.is_own(o)))
        found += [(other, title) for other in fits[:1]]
    return found


def cut(run: Run) -> str:
    return str(run.note["config"].get("tokenizer", ""))
