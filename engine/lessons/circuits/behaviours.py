"""Behaviours: what a net does where the cause of its answer is known, as texts with twins that another answer follows.

What      copies    after the mark the letter that followed the same letter before (induction)
          repeats   random tokens said twice: again what followed before (induction), for any vocabulary
          agreement is or are, as the subject says; brackets: the one that has to close; lag: the letter K before
          The twin is the same text with another cause, token by token in the same places, so that all else is alike
Source    Olsson et al., In-context Learning and Induction Heads, 2022; Linzen, Dupoux & Goldberg, 2016; Zhang & Nanda,
          Towards Best Practices of Activation Patching in Language Models, 2024 (twins in place of noise; logit
          difference)
Shapes    B = texts, T = tokens
Differs   Nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.course import planted
from engine.models.base import Model
from engine.text.corpora import agreement, brackets, copying, lag
from engine.text.tasks.agreement import VERBS
from engine.text.tasks.brackets import CLOSED, OPEN
from engine.text.tasks.lag import LETTERS

if TYPE_CHECKING:
    from engine.lessons.circuits.wires import Batch

SAID = 12  # random tokens that are said twice
ONE = {noun["one"]: noun["many"] for noun in agreement.NOUNS}
MANY = {many: one for one, many in ONE.items()}


@dataclass(frozen=True)
class Pair:
    """A text, its twin, and the ids of the answers behind each."""

    ids_T: np.ndarray
    twin_T: np.ndarray
    right: int
    wrong: int


@dataclass(frozen=True)
class Asked:
    """The same in words: the text, its twin, and the answers; empty answers: whatever the model answers."""

    text: str
    twin: str
    right: str = ""
    wrong: str = ""


@dataclass(frozen=True)
class Behaviour:
    """texts   beginnings behind which one answer is right, by a seed
    twin    of such a beginning; None where it has no cause
    """

    id: str
    title: str
    says: str
    texts: Callable[[int, int], list[str]]
    twin: Callable[[str], Asked | None]


def _copies(count: int, seed: int) -> list[str]:
    rng = np.random.default_rng(seed)
    words = [line.split("=")[0] for line in copying.CORPUS.generate(4 * count, seed)]
    words = [word for word in words if len(word) >= 3][:count]
    return [f"{word}={word[: rng.integers(1, len(word))]}" for word in words]


def twin_of_copy(text: str) -> Asked | None:
    """The letter that has to be copied next is another one, which does not stand in the text."""
    word, mark, said = text.partition(copying.MARK)
    if not mark or not said or len(said) >= len(word) or word[: len(said)] != said:
        return None
    right = word[len(said)]
    if word.count(right) > 1:
        return None
    start = ord(right) - ord("a")
    free = [chr(ord("a") + (start + n) % 26) for n in range(1, 26)]
    wrong = next((c for c in free if c not in word), "")
    return Asked(text, text.replace(right, wrong), right, wrong) if wrong else None


def _sentences(count: int, seed: int) -> list[str]:
    lines = agreement.CORPUS.generate(count, seed)
    return [line[: agreement.CORPUS.facts(line)[0].second[0]].rstrip() for line in lines]


def twin_of_subject(text: str) -> Asked | None:
    """The first noun in its other number."""
    words = text.rstrip().split(" ")
    for n, word in enumerate(words):
        other = ONE.get(word) or MANY.get(word)
        if other:
            twin = " ".join([*words[:n], other, *words[n + 1 :]])
            one, many = VERBS
            right, wrong = (one, many) if word in ONE else (many, one)
            return Asked(text.rstrip(), twin, right, wrong)
    return None


def _nested(count: int, seed: int) -> list[str]:
    rng, found = np.random.default_rng(seed), []
    for line in brackets.CORPUS.generate(count, seed):
        closing = [i for i, c in enumerate(line) if c in CLOSED and i > 1]
        found.append(line[: closing[rng.integers(len(closing))]])
    return found


def twin_of_bracket(text: str) -> Asked | None:
    """The bracket that was opened last is of another kind."""
    open_at = list[int]()
    for i, c in enumerate(text):
        if c in OPEN:
            open_at.append(i)
        elif c in CLOSED and (not open_at or text[open_at.pop()] != OPEN[CLOSED.index(c)]):
            return None
    if not open_at:
        return None
    at = open_at[-1]
    kind = OPEN.index(text[at])
    other = (kind + 1) % len(OPEN)
    return Asked(text, f"{text[:at]}{OPEN[other]}{text[at + 1 :]}", CLOSED[kind], CLOSED[other])


def _lagged(count: int, seed: int) -> list[str]:
    rng = np.random.default_rng(seed)
    lines = lag.CORPUS.generate(count, seed)
    return [line[: rng.integers(lag.K, len(line))] for line in lines]


def twin_of_lag(text: str) -> Asked | None:
    """The letter K before the next one is another; so is each that it was copied from."""
    if len(text) < lag.K or any(c not in LETTERS for c in text):
        return None
    if any(a != b for a, b in zip(text, text[lag.K :], strict=False)):
        return None
    at = len(text) - lag.K
    wrong = LETTERS[(LETTERS.index(text[at]) + 1) % len(LETTERS)]
    twin = [wrong if i % lag.K == at % lag.K else c for i, c in enumerate(text)]
    return Asked(text, "".join(twin), text[at], wrong)


BEHAVIOURS: Mapping[str, Behaviour] = {
    one.id: one
    for one in (
        Behaviour(
            "copying",
            "Copying (induction)",
            "After the mark comes what followed the same letter before.",
            _copies,
            twin_of_copy,
        ),
        Behaviour(
            "agreement",
            "Agreement",
            "Is or are, as the first noun says, whatever nouns stand between.",
            _sentences,
            twin_of_subject,
        ),
        Behaviour(
            "brackets",
            "Brackets",
            "The bracket that was opened last closes first.",
            _nested,
            twin_of_bracket,
        ),
        Behaviour(
            "lag",
            "Lag of 6",
            "Each letter is the one six places before.",
            _lagged,
            twin_of_lag,
        ),
    )
}
REPEATS = Behaviour(
    "repeats",
    "Repeated random tokens (induction)",
    "Random tokens, said twice: what followed a token before follows it again.",
    lambda count, seed: [],
    lambda text: None,
)


def of_run(note: Mapping[str, Any]) -> Behaviour:
    """What a run can be asked: the rule of the planted text that it learned, or repeated random tokens."""
    return BEHAVIOURS.get(planted.text(note), REPEATS)


def pairs(model: Model[Any], behaviour: Behaviour, count: int, seed: int = 0) -> list[Pair]:
    """Texts of the behaviour with their twins, as the model cuts them.  ValueError where it does not know the words."""
    if behaviour is REPEATS:
        return repeated(model, count, seed)
    found = []
    for text in dict.fromkeys(behaviour.texts(4 * count, seed)):
        asked = behaviour.twin(text)
        made = asked and cut(model, asked)
        if made:
            found.append(made)
        if len(found) == count:
            return found
    if not found:
        raise ValueError("This model does not know the words of this behaviour.")
    return found


def cut(model: Model[Any], asked: Asked) -> Pair | None:
    """None where the two are not as long as each other, or an answer is no token of the model."""
    a, b = model.tokens(asked.text), model.tokens(asked.twin)
    vocab = model.tokenizer.vocab
    answers = [
        next((vocab.index(w) for w in (x, f" {x}") if w in vocab), -1)
        for x in (asked.right, asked.wrong)
    ]
    most = model.context or len(a)
    if len(a) != len(b) or len(a) > most or min(answers) < 0 or (a.ids == b.ids).all():
        return None
    if a.unknown or b.unknown:
        return None
    return Pair(a.ids, b.ids, answers[0], answers[1])


def repeated(model: Model[Any], count: int, seed: int) -> list[Pair]:
    """SAID random tokens, said twice up to one of them; in the twin the one that follows is another, where it was said
    first."""
    rng, marks = np.random.default_rng(seed), model.marks().ids
    known = np.array(
        [
            n
            for n, word in enumerate(model.tokenizer.vocab)
            if word.strip().isalpha() and n not in marks
        ]
    )
    said = min(SAID, len(known) - 1, ((model.context or 10**6) - len(marks)) // 2)
    if said < 3:
        raise ValueError("This model knows too few words to be asked to repeat some.")
    found = []
    for _time in range(count):
        *once, other = rng.choice(known, said + 1, replace=False)
        at = int(rng.integers(1, said))
        twin = [*once]
        twin[at] = other
        ids_T, twin_T = (
            np.array([*marks[:1], *first, *once[:at]], np.int64) for first in (once, twin)
        )
        found.append(Pair(ids_T, twin_T, int(once[at]), int(other)))
    return found


def batch(some: list[Pair]) -> Batch:
    import torch

    from engine.lessons.circuits.wires import Batch

    longest = max(len(pair.ids_T) for pair in some)
    ids_2BT = np.zeros((2, len(some), longest), np.int64)
    for n, pair in enumerate(some):
        ids_2BT[0, n, : len(pair.ids_T)], ids_2BT[1, n, : len(pair.twin_T)] = (
            pair.ids_T,
            pair.twin_T,
        )
    last, right, wrong = (
        torch.tensor(of)
        for of in (
            [len(pair.ids_T) - 1 for pair in some],
            [pair.right for pair in some],
            [pair.wrong for pair in some],
        )
    )
    return Batch(torch.from_numpy(ids_2BT[0]), torch.from_numpy(ids_2BT[1]), last, right, wrong)


def of_typed(model: Model[Any], behaviour: Behaviour, text: str) -> Pair | None:
    """A typed text with its twin by the rule of the behaviour; of any other net by that of induction."""
    if behaviour is not REPEATS:
        asked = behaviour.twin(text)
        return cut(model, asked) if asked else None
    return twin_of_repeat(model.tokens(text).ids)


def twin_of_repeat(ids_T: np.ndarray) -> Pair | None:
    """What followed the last token before is to follow again; in the twin another token of the text stood there."""
    last, before = int(ids_T[-1]), [int(id) for id in ids_T[:-1]]
    at = [n for n, id in enumerate(before) if id == last and n + 1 < len(before)]
    if not at:
        return None
    place = at[-1] + 1
    right = before[place]
    other = next((id for id in reversed(before) if id not in (right, last)), None)
    if other is None or right == last:
        return None
    twin_T = ids_T.copy()
    twin_T[place] = other
    return Pair(ids_T.astype(np.int64), twin_T.astype(np.int64), right, other)
