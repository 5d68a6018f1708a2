"""Which translators the page shows: of each score one, in the order that is chosen in its head."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from engine import frame as fr
from engine.core.registry import scores
from engine.models.seq2seq import AFTER, BEFORE, GLOBAL, NONE
from engine.runs.store import Run

ORDERS = {AFTER: "Luong: after", BEFORE: "Bahdanau: before"}


def chosen(runs: Iterable[Run], looks: str) -> dict[str, Run]:
    """Per score a run that looks in this order, the small shipped one where it is there."""
    found: dict[str, Run] = {}
    for run in runs:
        config = run.note["config"]
        kind = config.get("attention")
        if kind not in scores.ids() or config.get("looks", AFTER) != looks:
            continue
        if config.get("scope", GLOBAL) != GLOBAL or config.get("feeds") or config.get("own"):
            continue
        if kind not in found or run.id == f"score_{kind}_{looks}":
            found[kind] = run
    return {kind: found[kind] for kind in scores.listed() if kind in found}


def called(kind: str) -> str:
    """As in papers on translation."""
    return scores.get(kind).called if kind in scores.ids() else kind


def orders(given: Mapping[str, Any]) -> dict[str, str]:
    there = {looks: words for looks, words in ORDERS.items() if chosen(given["runs"], looks)}
    return there or ORDERS


def head(runs: Sequence[Run], looks: str = fr.pick("Order", orders, few=True)) -> dict[str, Run]:
    """By their score; one by the name "none" has no attention, where none has."""
    return chosen(runs, looks) or {NONE: runs[0]}


SHOWN = fr.shown(head)
