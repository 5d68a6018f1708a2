"""Which two spaces are compared, and what another seed alone does to them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine import frame as fr
from engine.core.registry import models
from engine.language.message import _, refusal
from engine.live import cache
from engine.models.abilities import Knows
from engine.runs.store import Run
from engine.vectors import moved as of
from engine.vectors.moved import Moved

FIRST = ("vectors_novels_0", "vectors_wiki_0")
MARK = "@"  # run@step is the run as it was at that step


@dataclass(frozen=True, eq=False)
class Pair:
    """`chance` (2, N): how far half of the words, and 95 % of them, move by another seed alone;
    None where no such pair is there."""

    moved: Moved
    says: str
    chance: np.ndarray | None
    noise: tuple[str, ...]


def runs() -> dict[str, Run]:
    return {run.id: run for run in cache.runs_of("skipgram", *models.heirs("WordSpace"))}


def names(given: fr.Others) -> dict[str, str]:
    """All tables of word vectors, and what they were at a step."""
    times = Counter(run.title for run in runs().values())
    called = {
        id: run.title if times[run.title] == 1 else f"{run.title} ({id})"
        for id, run in runs().items()
    }
    steps = {
        f"{id}{MARK}{step}": _("{called}, after {step:,} steps", called=_(called[id]), step=step)
        for id, run in runs().items()
        for step in run.snapshots
        if step != run.note.get("steps")
    }
    return called | steps


def begun(n: int) -> Any:
    return lambda given: FIRST[n] if FIRST[n] in names(given) else [*names(given)][n:][:1][0]


@fr.head("Rotating one space onto the other …")
def pair(
    *,
    moved_from: str = fr.pick("From", names, begun(0), width=330),
    moved_to: str = fr.pick("To", names, begun(-1), width=330),
) -> fr.Choosing[Pair]:
    yield fr.Behind("Two texts", [fr.Controls(["moved_from", "moved_to"], down=True)])
    called = names({})
    keys = tuple(run.key for run in runs().values())
    return compare(moved_from, moved_to, (called[moved_from], called[moved_to]), keys)


@fr.once
def compare(one: str, two: str, titles: tuple[str, str], keys: tuple[object, ...]) -> Pair:
    """ValueError where they share too few words."""
    try:
        found = of.compare(space(one), space(two))
    except ValueError as error:
        raise refusal("{said}. Choose another pair.", said=error) from error
    twins = [(id, other) for id in (plain(one), plain(two)) if (other := twin(id))]
    chances = [
        of.chance(of.compare(space(a), space(b)), found.counts) for a, b in dict.fromkeys(twins)
    ]
    noise = tuple(
        _("{title} and {title_2}", title=_(runs()[a].title), title_2=_(runs()[b].title))
        for a, b in dict.fromkeys(twins)
    )
    says = _(
        "From {titles} to {titles_2}; {words:,} words are in both",
        titles=_(titles[0]),
        titles_2=_(titles[1]),
        words=len(found.words),
    )
    return Pair(found, says, np.max(chances, axis=0) if chances else None, noise)


def plain(picked: str) -> str:
    return picked.partition(MARK)[0]


def twin(id: str) -> str | None:
    """A run of the same recipe but for its seed."""
    run = runs()[id]
    for other in runs().values():
        same = all(other.note.get(k) == run.note.get(k) for k in ("model", "config", "corpus"))
        if same and other.note.get("seed") != run.note.get("seed"):
            return other.id
    return None


def space(picked: str) -> Any:
    run, step = runs()[plain(picked)], picked.partition(MARK)[2]
    return cache.model(run.at(int(step)) if step else run, Knows).space


HEAD = pair
