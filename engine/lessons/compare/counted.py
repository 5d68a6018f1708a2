"""Texts that are counted where they are compared: a run of characters, or of words, over as much of one text
as of the other."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

from engine.core.registry import models
from engine.language.message import _
from engine.live import compared
from engine.models.base import Model, train
from engine.runs.store import Run
from engine.text import collection

COUNTED = "counted"
MOST_CHARACTERS = 400_000  # of each text
CUTS = {"characters": ("chars", 6), "words": ("words", 3)}  # tokenizer, and the longest n-gram


def runs() -> list[Run]:
    """One for each text and each way to cut it."""
    return [
        _run(corpus.id, corpus.title, cut) for cut in CUTS for corpus in collection.list_all("text")
    ]


def _run(id: str, title: str, cut: str) -> Run:
    tokenizer, order = CUTS[cut]
    note = {
        "model": COUNTED,
        "title": _("{title}, counted here by {cut}", title=_(title), cut=cut),
        "recipe": cut,
        "text": id,
        "config": {"tokenizer": tokenizer, "order": order},
        "corpus": {"name": title},
    }
    return Run(
        Path(COUNTED) / ".".join([COUNTED, id, *(["words"] if cut == "words" else [])]), note
    )


def models_of(shown: Iterable[Run]) -> list[Model[Any]]:
    """ValueError, with a sentence, where one can't be opened or counted."""
    shown = list(shown)
    size = size_of(shown)
    return [
        _model(str(run.note["text"]), str(run.note["recipe"]), size)
        if run.model == COUNTED
        else compared.open_model(run)
        for run in shown
    ]


def size_of(shown: Iterable[Run]) -> int:
    """Characters that are counted of each text, so that no model knows more than another."""
    texts = [_text(str(run.note["text"])) for run in shown if run.model == COUNTED]
    return min([MOST_CHARACTERS, *map(len, texts)])


@lru_cache(maxsize=4)
def _text(id: str) -> str:
    """It is named by what is in it, so it never changes."""
    try:
        return _first(str(collection.find(id).text()), MOST_CHARACTERS)
    except LookupError as problem:
        raise ValueError(str(problem)) from None


def _first(text: str, size: int) -> str:
    """Whole lines, as far as they go."""
    return text if len(text) <= size else text[: text.rfind("\n", 0, size) + 1] or text[:size]


@lru_cache(maxsize=12)
def _model(id: str, cut: str, size: int) -> Model[Any]:
    tokenizer, order = CUTS[cut]
    kind = models.get("ngram")
    text = _first(_text(id), size)
    return train(kind, text, kind.config_type(order=order, tokenizer=tokenizer))
