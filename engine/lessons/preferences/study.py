"""Study: who prefers what, the pairs of replies that come of it, and the reward model that is fitted to them.

Shapes    G = prompts, B = replies, N = pairs, E = width + 1
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from engine import ROOT
from engine.core.cache import Cache
from engine.language.message import _, refusal
from engine.lessons.preferences import judges, replies, reward
from engine.lessons.preferences.judges import By, Pair
from engine.lessons.preferences.replies import Reply
from engine.lessons.preferences.tuning import Task
from engine.models.base import Model
from engine.models.transformer import Transformer
from engine.runs.store import Run

ASSETS = ROOT / "assets" / "preferences"
POOL = ASSETS / "replies.json"
TEXTS = (
    *("The old house was", "He had always been", "In the morning", "Her brother"),
    *("My dear friend, I", "The young lady", "At last the doctor", "When the door opened,"),
    *("It was late, and", "One of the children", "The letter", "On the road they met"),
    *(
        "Nobody knew that",
        "After dinner the captain",
        "The king and the queen",
        "It was raining, and",
    ),
)
PROMPTS, PROBED = TEXTS[:12], TEXTS[12:]  # of the last ones a tuning sees nothing
GROUP = 12  # replies to each prompt
MOST = 30_000_000  # numbers of a model that is tuned here
_kept: Cache[Any, Any] = Cache("preferences", lambda found: 1, most=24)


def check(model: Model[Any]) -> Transformer:
    """ValueError for a model that is not tuned here."""
    if not isinstance(model, Transformer):
        raise ValueError(
            "Choose a run of the model Transformer; replies are written and tuned with one."
        )
    size = sum(p.numel() for p in model.net.parameters())
    if size > MOST:
        raise refusal(
            "This run has {size:,} numbers; here replies are written and tuned live, with at most {MOST:,}.",
            size=size,
        )
    return model


def pool(run: Run, model: Transformer) -> list[list[Reply]]:
    """Replies to each of PROMPTS; those of the shipped run are there already."""
    if POOL.is_file():
        stored = json.loads(POOL.read_text(encoding="utf-8"))
        if stored["recipe"] == run.note.get("recipe"):
            return [
                [replies.reply_of(model, prompt, ids) for ids in group]
                for prompt, group in stored["replies"].items()
            ]
    return write_pool(model)


def write_pool(model: Transformer) -> list[list[Reply]]:
    return [replies.write(model, prompt, GROUP, seed) for seed, prompt in enumerate(PROMPTS)]


@dataclass(frozen=True)
class Asked:
    """Who prefers, and what of a token the reward model reads; `layer` from 0."""

    by: By = "words"
    words: str = judges.WORDS
    layer: int = 0
    clicks: tuple[Pair, ...] = ()

    @property
    def key(self) -> tuple[object, ...]:
        of = {"words": self.words, "shorter": "", "clicks": self.clicks}[self.by]
        return self.by, of, self.layer


@dataclass(frozen=True, eq=False)
class Study:
    """`problem`: why nothing is fitted yet, in a sentence; then no token has a reward.  `notes`: what else is to be
    said of the choices."""

    run: Run
    model: Transformer
    asked: Asked
    pairs: Sequence[tuple[Reply, Reply]]
    away_NE: np.ndarray = field(repr=False)
    theta_E: np.ndarray = field(repr=False)
    problem: str = ""
    notes: tuple[str, ...] = ()

    def reward(self, some: Sequence[Reply]) -> np.ndarray:
        states = replies.states(self.model, some, self.asked.layer)
        found: np.ndarray = reward.summed(states) @ self.theta_E
        return found

    def rule(self, some: Sequence[Reply]) -> np.ndarray:
        """What the stated rule makes of them; ValueError where a reader chooses."""
        of = judges.rule(self.asked.by, self.asked.words)
        return np.array([judges.score(self.asked.by, of, one) for one in some], float)

    @cached_property
    def unseen(self) -> float:
        """The share of pairs that a fit to the others gets right."""
        return reward.unseen(self.away_NE, [better.prompt for better, __ in self.pairs])

    @property
    def stamp(self) -> str:
        of = (self.run.key, self.asked.layer, self.theta_E.tobytes())
        return hashlib.sha256(repr(of).encode()).hexdigest()[:12]

    def task(self) -> Task:
        rule = None if self.asked.by == "clicks" else self.rule
        return Task(self.model, self.pairs, PROMPTS, PROBED, self.reward, rule)


def make(run: Run, model: Model[Any], asked: Asked) -> Study:
    """ValueError for a run that is not tuned here."""
    own = check(model)
    asked = replace(asked, layer=min(asked.layer, own.depth - 1))
    return _kept.made(("study", run.key, *asked.key), lambda: _make(run, own, asked))


def _make(run: Run, model: Transformer, asked: Asked) -> Study:
    notes = tuple[str, ...]()
    try:
        if asked.by == "clicks":
            pairs, notes = clicked(model, asked.clicks)
        else:
            pairs = ruled(run, model, asked)
    except ValueError as problem:
        zero_E = np.zeros(model.config.width + 1)
        return Study(run, model, asked, [], zero_E[None][:0], zero_E, str(problem))
    away_NE = differences(model, pairs, asked.layer)
    return Study(run, model, asked, pairs, away_NE, reward.fit(away_NE), notes=notes)


def differences(model: Transformer, pairs: Sequence[tuple[Reply, Reply]], layer: int) -> np.ndarray:
    """(N, E) what a reward reads of the better reply minus what it reads of the worse one."""
    some = [*dict.fromkeys(one for pair in pairs for one in pair)]
    sum_BE = reward.summed(replies.states(model, some, layer))
    place = {one: n for n, one in enumerate(some)}
    return np.stack([sum_BE[place[a]] - sum_BE[place[b]] for a, b in pairs])


def groups(run: Run, model: Transformer) -> list[list[Reply]]:
    """The replies to each of PROMPTS, written once."""
    found: list[list[Reply]] = _kept.made(("pool", run.key), lambda: pool(run, model))
    return found


def ruled(run: Run, model: Transformer, asked: Asked) -> list[tuple[Reply, Reply]]:
    of, some = judges.rule(asked.by, asked.words), groups(run, model)
    found = judges.pairs(some, [[judges.score(asked.by, of, one) for one in g] for g in some])
    if len(found) < 2:
        raise ValueError("Hardly any reply has one of these words; type more common ones.")
    return found


def clicked(
    model: Transformer, clicks: Sequence[Pair]
) -> tuple[list[tuple[Reply, Reply]], tuple[str, ...]]:
    """Pairs, and what is to be said of them."""
    if not clicks:
        raise ValueError(
            "Choose the better of two replies a few times; a reward is then fitted to it."
        )
    if len(clicks) < 2:
        raise ValueError("One choice says too little; make a second one.")
    twice, notes = judges.both_ways(clicks), tuple[str, ...]()
    if 2 * twice == len({*clicks}):
        raise ValueError("Each choice is taken back by another one; no reward can follow both.")
    if twice:
        said = _(
            "{twice:,} {twice|pair was|pairs were} chosen both ways; no reward can follow both.",
            twice=twice,
        )
        notes = (said,)
    if len({*clicks}) == 1:
        notes = ("All choices are of the same pair; another pair would say more.",)
    cut = [
        tuple(replies.cut(model, one.prompt, text) for text in (one.chosen, one.rejected))
        for one in clicks
    ]
    return [(a, b) for a, b in cut if len(a) and len(b)], notes
