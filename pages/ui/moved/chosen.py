"""Which two spaces are compared, and what another seed alone does to them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine.core.trace import Table
from engine.live import cache
from engine.models.abilities import Knows
from engine.runs.store import Run, RunStore
from engine.vectors import moved
from engine.vectors.moved import Moved
from pages.ui import ask, language
from pages.ui.plate import Plate
from pages.ui.readers import word_spaces

FIRST = ("vectors_novels_0", "vectors_wiki_0")
MARK = "@"  # run@step is the run as it was at that step


@dataclass(frozen=True, eq=False)
class Chosen:
    """`chance` (2, N): how far half of the words, and 95 % of them, move by another seed alone;
    None where no such pair is there."""

    moved: Moved
    first: str
    second: str
    names: tuple[str, str]
    chance: np.ndarray | None
    noise: tuple[str, ...]

    def plate(
        self, id: str, view: str, entry: Table, of: str, typed: list[str], **of_view: Any
    ) -> Plate:
        text = " ".join(typed)
        return Plate(id, view, (entry,), self.id, of, text, of_view, model="word vectors")

    @property
    def id(self) -> str:
        return f"{self.first}-{self.second}".replace(MARK, "-")

    @property
    def says(self) -> str:
        words = f"{len(self.moved.words):,}"
        return f"From {self.names[0]} to {self.names[1]}; {words} words are in both"


def choose(where: DeltaGenerator) -> Chosen | None:
    runs = cache.runs_of(*word_spaces())
    said = {run.id: language.say(run.title) for run in runs}
    titles = Counter(said.values())
    called = {
        id: short(title, titles) if titles[title] == 1 else f"{title} ({id})"
        for id, title in said.items()
    }
    names = dict(called)
    for run in runs:
        names |= {
            f"{run.id}{MARK}{step}": f"{called[run.id]}, after {step:,} steps"
            for step in run.snapshots
            if step != run.note.get("steps")
        }
    if len(names) < 2:
        st.info(
            "This page needs two tables of word vectors. Train them by running `python -m"
            " engine train skipgram --text FILE --out DIR` twice."
        )
        return None
    first, second = (id if id in names else [*names][n] for n, id in enumerate(FIRST))
    one = ask.pick("From", names, "moved_from", first, where, width=310)
    two = ask.pick("To", names, "moved_to", second, where, width=310)
    by_id = {run.id: run for run in runs}
    keys = tuple(by_id[id.split(MARK)[0]].key for id in (one, two))
    twins = _twin(by_id, one), _twin(by_id, two)
    try:
        return _chosen(one, two, (names[one], names[two]), *twins, keys)
    except ValueError as error:
        st.info(f"{str(error).capitalize()}. Choose another pair.")
        return None


def short(title: str, among: Iterable[str]) -> str:
    """Without what stands before its first comma, where others begin with it too and none of them is
    called like the rest."""
    head, comma, rest = title.partition(", ")
    others = [other for other in among if other != title]
    alike = comma and any(other.startswith(head + comma) for other in others)
    same = any(other == rest or other.partition(", ")[2] == rest for other in others)
    return rest if alike and not same else title


def _twin(by_id: dict[str, Run], picked: str) -> str | None:
    """A run of the same recipe but for its seed."""
    run = by_id[picked.split(MARK, maxsplit=1)[0]]
    for other in by_id.values():
        same = all(other.note.get(k) == run.note.get(k) for k in ("model", "config", "corpus"))
        if same and other.note.get("seed") != run.note.get("seed"):
            return other.id
    return None


@st.cache_resource(max_entries=8, show_spinner="Rotating one space onto the other …")
def _chosen(
    first: str,
    second: str,
    names: tuple[str, str],
    twin_1: str | None,
    twin_2: str | None,
    keys: tuple[tuple[str, str], ...],
) -> Chosen:
    found = moved.compare(_space(first), _space(second))
    pairs = dict.fromkeys(
        (p.split(MARK)[0], twin) for p, twin in ((first, twin_1), (second, twin_2)) if twin
    )
    chances = [
        moved.chance(moved.compare(_space(one), _space(other)), found.counts)
        for one, other in pairs
    ]
    titles = {run.id: run.title for run in cache.runs(None)}
    noise = tuple(f"{titles.get(a, a)} and {titles.get(b, b)}" for a, b in pairs)
    return Chosen(found, first, second, names, np.max(chances, axis=0) if chances else None, noise)


def _space(picked: str) -> Any:
    id, _, step = picked.partition(MARK)
    run = RunStore().find(id)
    return cache.model(run.at(int(step)) if step else run, Knows).space
