"""Memory: which early word decides what is expected now, which unit keeps it, and what forgetting would cost.

What      an early word is exchanged for another of its kind; as far as a model remembers it, the likeliest next word
          costs log2 P(word | text) - log2 P(word | other text) bits more then.
          Margin: log2 P(word) - log2 P(rival); the rival is what is expected after the other text.
          Carrier: of the units whose memory differs most between both texts, the one that moves the margin most where
          it alone holds, from the exchanged word on, what it holds in the other text.
          Forgetting: a unit's memory, or all of it, is set to 0 after a token, and the text read on
Source    exchanged words: Linzen, Dupoux & Goldberg, 2016; single units: Lakretz et al., The Emergence of Number and
          Syntax Units in LSTM Language Models, 2019; memory put in from another text: Vig et al., Investigating Gender
          Bias in Language Models Using Causal Mediation Analysis, 2020
Shapes    B = texts that are read beside each other, T = tokens, H = units, V = vocabulary
Differs   Steps are those of the cell itself, many texts at a time.  What was read of a text before is gone on from, so
          that a key costs one step.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeGuard

import numpy as np
import torch
from torch import Tensor

from engine.core.cache import Cache
from engine.core.tap import passthrough
from engine.models.recurrent import RecurrentModel
from engine.nn.cells.base import InTorch
from engine.text.corpora.remembered import TABLES

CANDIDATES = 16  # units that are tried alone
# columns of tables whose words are exchanged
EXCHANGED = ("name", "land", "one", "word", "verb", "about", "what", "he")
State = tuple[Tensor, ...]


@lru_cache(maxsize=1)
def partners() -> Mapping[str, tuple[str, ...]]:
    """For each word the next of its kind, in every table that has it; a name of the same pronoun."""
    found: dict[str, dict[str, None]] = {}
    for name, rows in TABLES.items():
        if name in ("man", "past", "fell", "rose", "recent", "other", "town", "second", "thing"):
            continue  # what stands there is in another table, or says nothing of what follows
        for column in (c for c in EXCHANGED if c in rows[0] and (c, name) != ("he", "person")):
            for kind in dict.fromkeys(row.get("him", "") for row in rows):
                words = list(
                    dict.fromkeys(row[column] for row in rows if row.get("him", "") == kind)
                )
                for word, other in zip(words, [*words[1:], *words[:1]], strict=True):
                    if " " not in word + other and word != other:
                        found.setdefault(word, {})[other] = None
    return {word: tuple(others) for word, others in found.items()}


@dataclass(frozen=True, slots=True)
class Exchange:
    """A token of the text, and the id of the word in its place."""

    token: int
    id: int


@dataclass(frozen=True, slots=True, eq=False)
class Course:
    """After a token: the state (B, H) of the text itself, then of each with an exchange; `before`: after the token
    before."""

    state: State
    exchanges: tuple[Exchange, ...]
    before: Course | None


@dataclass(frozen=True, slots=True, eq=False)
class Forgotten:
    """After a token: the states (B, H) where one unit was set to 0 after each token so far, then where all were."""

    one: State
    every: State


def _size(of: Course | Forgotten) -> int:
    states = of.state if isinstance(of, Course) else (*of.one, *of.every)
    return sum(part.numel() * 4 for part in states) + 500


_NUMBER = itertools.count()
HELD: Cache[Any, State] = Cache("stories.held", lambda of: sum(p.numel() * 4 for p in of) + 500)
COURSES: Cache[Any, Course] = Cache("stories", _size)
LOST: Cache[Any, Forgotten] = Cache("stories.forgotten", _size)


def readable(model: object) -> TypeGuard[RecurrentModel[Any]]:
    """Whether it is a recurrent net of one layer that knows whole words."""
    return (
        isinstance(model, RecurrentModel)
        and model.config.layers == 1
        and model.config.tokenizer == "words"
    )


class Reading:
    """What a recurrent net of one layer makes of a text, and of others beside it."""

    def __init__(self, model: RecurrentModel[Any]) -> None:
        self.model, self.key = model, next(_NUMBER)
        net: Any = model.net
        self.cell, self._embed, self._head = net.layers[0], net.embed, net.head
        self.at = self.cell.state.index("cell") if "cell" in self.cell.state else 0
        self._weights = self.cell.parts()
        with torch.no_grad():
            self._driven_VE = self.cell.drive(self._embed.weight[None])[0]
        words = {word: id for id, word in enumerate(model.tokenizer.vocab)}
        self._others = {
            words[word]: tuple(words[other] for other in others if other in words)
            for word, others in partners().items()
            if word in words
        }

    def step(self, ids: list[int], state: State) -> State:
        now = InTorch(self.cell.names, passthrough, None)
        found: State = self.cell.step(self._weights, self._driven_VE[ids], state, now)
        return found

    def bits(self, state: State) -> Tensor:
        """-log2 P (B, V) of what follows."""
        logits = self._head(state[0])
        return -torch.log_softmax(logits, -1) / np.log(2)

    def course(self, ids: tuple[int, ...]) -> Course:
        """After each token but those that are known already."""
        known, n = None, len(ids)
        while n and (known := COURSES.get((self.key, ids[:n]))) is None:
            n -= 1
        if known is None:
            empty = tuple(torch.zeros(1, size) for size in self.cell.sizes())
            known, n = Course(empty, (), None), 0
        for t in range(n, len(ids)):
            more = tuple(Exchange(t, id) for id in self._others.get(ids[t], ()))
            state = tuple(torch.cat((part, part[:1].expand(len(more), -1))) for part in known.state)
            said = [ids[t]] * (1 + len(known.exchanges)) + [one.id for one in more]
            known = Course(self.step(said, state), (*known.exchanges, *more), known)
            COURSES.put((self.key, ids[: t + 1]), known)
        return known

    def forgotten(self, ids: tuple[int, ...], unit: int) -> Forgotten:
        """Where the memory is set to 0 after each token."""
        known, n = None, len(ids)
        while n and (known := LOST.get((self.key, unit, ids[:n]))) is None:
            n -= 1
        if known is None:
            none = tuple(torch.zeros(0, size) for size in self.cell.sizes())
            known, n = Forgotten(none, none), 0
        courses = self.chain(ids)
        for t in range(n, len(ids)):
            count = len(known.one[0])
            both = tuple(torch.cat(parts) for parts in zip(known.one, known.every, strict=True))
            both = self.step([ids[t]] * (2 * count), both) if count else both
            alone = [part[:1].clone() for part in courses[t].state]
            alone[self.at][0, unit] = 0.0
            emptied = [torch.zeros_like(part) for part in alone]
            known = Forgotten(
                tuple(
                    torch.cat((part[:count], new)) for part, new in zip(both, alone, strict=True)
                ),
                tuple(
                    torch.cat((part[count:], new)) for part, new in zip(both, emptied, strict=True)
                ),
            )
            LOST.put((self.key, unit, ids[: t + 1]), known)
        return known

    def held(self, ids: tuple[int, ...], row: int, cause: int, units: tuple[int, ...]) -> State:
        """After the text, where from the exchanged word on each unit alone, and in the last row all, hold what they
        hold in that row."""
        courses, known, n = self.chain(ids), None, len(ids)
        while n > cause + 1 and (known := HELD.get((self.key, row, units, ids[:n]))) is None:
            n -= 1
        alone = torch.arange(len(units))
        for t in range(n - 1 if known is None else n, len(ids)):
            before = known or tuple(
                part[:1].repeat(len(units) + 1, 1) for part in courses[cause].state
            )
            stepped = self.step([ids[t]] * (len(units) + 1), before) if known else before
            memory_BH = stepped[self.at].clone()
            other_H = courses[t].state[self.at][row]
            memory_BH[alone, list(units)] = other_H[list(units)]
            memory_BH[-1] = other_H
            known = tuple(memory_BH if n == self.at else part for n, part in enumerate(stepped))
            HELD.put((self.key, row, units, ids[: t + 1]), known)
        assert known is not None
        return known

    def chain(self, ids: tuple[int, ...]) -> list[Course]:
        """After each token."""
        course, found = self.course(ids), []
        while course.before is not None:
            found.append(course)
            course = course.before
        return found[::-1]


@dataclass(frozen=True, slots=True, eq=False)
class Kept:
    """What keeps the early word.

    cause     its token, and the id of the word in its place
    more      bits that the answer costs more with that
    rival     what is expected then, and its bits there
    margin    bits by which the answer is likelier than it; `other` after the other text
    units     of those that differ most: number, largest difference of its memory, bits of the margin that it moves
              alone
    together  bits that all units move
    own_T     the memory of the first of these units, and in the other text
    one_T     the margin where that unit is set to 0 after the token, or `every_T` all are
    """

    cause: int
    id: int
    more: float
    rival: int
    rival_bits: float
    margin: float
    other: float
    units: tuple[tuple[int, float, float], ...]
    together: float
    own_T: np.ndarray
    other_T: np.ndarray
    one_T: np.ndarray
    every_T: np.ndarray

    @property
    def unit(self) -> int:
        return self.units[0][0]


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What a text tells.

    answer    the likeliest next word, and its bits
    lost_T    bits that the answer costs more where the token is exchanged; nan where it has no other
    others_T  the id of the word in its place, -1 where there is none
    kept      what keeps the word whose exchange costs most; None where none is exchanged
    """

    answer: int
    bits: float
    lost_T: np.ndarray
    others_T: np.ndarray
    kept: Kept | None = None


@torch.no_grad()
def find(reading: Reading, ids: tuple[int, ...]) -> Found:
    course, count = reading.course(ids), len(ids)
    bits_BV = reading.bits(course.state)
    answer = int(bits_BV[0].argmin())
    base = float(bits_BV[0, answer])
    lost_T, others_T = np.full(count, np.nan), np.full(count, -1)
    more_E = (bits_BV[1:, answer] - base).tolist()
    for one, more in zip(course.exchanges, more_E, strict=True):
        if not more <= lost_T[one.token]:
            lost_T[one.token], others_T[one.token] = more, one.id
    if not more_E:
        return Found(answer, base, lost_T, others_T)
    row = 1 + int(np.argmax(more_E))
    cause = course.exchanges[row - 1]
    rival = next(int(id) for id in bits_BV[row].topk(2, largest=False).indices if id != answer)

    def margin(state: State) -> np.ndarray:
        bits = reading.bits(state)
        found: np.ndarray = (bits[:, rival] - bits[:, answer]).numpy()
        return found

    chain = reading.chain(ids)
    after = chain[cause.token :]
    own_TH = torch.stack([one.state[reading.at][0] for one in chain])
    other_TH = torch.stack([one.state[reading.at][row] for one in after])
    apart_H = (own_TH[cause.token :] - other_TH).abs().amax(0)
    units = tuple(sorted(apart_H.topk(min(CANDIDATES, len(apart_H))).indices.tolist()))
    plain = float(bits_BV[0, rival] - bits_BV[0, answer])
    moved_B = plain - margin(reading.held(ids, row, cause.token, units))
    ranked = sorted(
        ((u, float(apart_H[u]), float(moved)) for u, moved in zip(units, moved_B, strict=False)),
        key=lambda one: -one[2],
    )
    unit = ranked[0][0]
    lost = reading.forgotten(ids, unit)
    own_T = own_TH[:, unit].numpy()
    return Found(
        answer,
        base,
        lost_T,
        others_T,
        Kept(
            cause.token,
            cause.id,
            more_E[row - 1],
            rival,
            float(bits_BV[row, rival]),
            plain,
            float(bits_BV[row, rival] - bits_BV[row, answer]),
            tuple(ranked),
            float(moved_B[-1]),
            own_T,
            np.concatenate((own_T[: cause.token], other_TH[:, unit].numpy())),
            margin(lost.one),
            margin(lost.every),
        ),
    )
