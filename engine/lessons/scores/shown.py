"""Which translators the page shows: of each score one, in the order that is chosen in its head; or of each scope."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from engine import frame as fr
from engine.core.registry import scores
from engine.models.seq2seq import AFTER, BEFORE, GLOBAL, HARD, LOCAL_M, LOCAL_P, NONE, SCOPES
from engine.runs.store import Run

SCOPE = "scope"  # what differs is which source words a step may look at
ORDERS = {AFTER: "Luong: after", BEFORE: "Bahdanau: before", SCOPE: "Local and hard"}
SHIPPED = {
    GLOBAL: "score_bilinear_after",  # which the others go on from
    LOCAL_M: "scope_local_m",
    LOCAL_P: "scope_local_p",
    HARD: "scope_hard",
}
CALLED = {GLOBAL: "global", LOCAL_M: "local-m", LOCAL_P: "local-p", HARD: "hard"}


def chosen(runs: Iterable[Run], looks: str) -> dict[str, Run]:
    """Per score a run that looks in this order, or per scope one that looks after its cell; the small shipped one
    where it is there."""
    found: dict[str, Run] = {}
    by_scope = looks == SCOPE
    for run in runs:
        config = run.note["config"]
        kind, scope = config.get("attention", NONE), config.get("scope", GLOBAL)
        if config.get("looks", AFTER) != (AFTER if by_scope else looks) or kind not in scores.ids():
            continue
        if config.get("feeds") or config.get("own") or not (by_scope or scope == GLOBAL):
            continue
        name = scope if by_scope else kind
        if name not in found or run.id == (SHIPPED[name] if by_scope else f"score_{name}_{looks}"):
            found[name] = run
    return {
        name: found[name] for name in (SCOPES if by_scope else scores.listed()) if name in found
    }


def called(kind: str) -> str:
    """As in papers on translation."""
    return scores.get(kind).called if kind in scores.ids() else CALLED.get(kind, kind)


def orders(given: Mapping[str, Any]) -> dict[str, str]:
    there = {looks: words for looks, words in ORDERS.items() if chosen(given["runs"], looks)}
    return there or ORDERS


def head(runs: Sequence[Run], looks: str = fr.pick("Order", orders, few=True)) -> dict[str, Run]:
    """By their score; one by the name "none" has no attention, where none has."""
    return chosen(runs, looks) or {NONE: runs[0]}


SHOWN = fr.show_runs(head)
