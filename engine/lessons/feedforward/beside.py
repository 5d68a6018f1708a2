"""The models beside the net: an n-gram model and an LSTM that cut a text into the same tokens."""

from __future__ import annotations

from engine.live import cache
from engine.models.ngram import Ngram
from engine.runs.store import Run

KINDS = {"ngram": "n-gram", "lstm": "LSTM"}


def choose(run: Run) -> list[tuple[Run, str]]:
    """Per kind the first run that is cut like this one, and what it is called."""
    like = cut(run)
    found = []
    for kind, title in KINDS.items():
        fits = [other for other in cache.runs(kind) if cut(other) == like]
        # first what learned from the same text
        fits.sort(key=lambda other: other.note["corpus"] != run.note["corpus"])
        found += [(other, title) for other in fits[:1]]
    return found


def counts(run: Run) -> Ngram | None:
    """The n-gram model of them, open; None where none is cut like this one."""
    other = next((other for other, title in choose(run) if title == KINDS["ngram"]), None)
    model = cache.model(other, Ngram) if other else None
    return model if isinstance(model, Ngram) else None


def cut(run: Run) -> str:
    return str(run.note["config"].get("tokenizer", ""))
