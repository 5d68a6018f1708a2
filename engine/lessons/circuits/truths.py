"""Truths: what is so at each character of a line of a planted text, which a feature may stand for.

What      a token has the truth of its last character
Shapes    C = characters, M = tokens, F = truths
Differs   Of a text that nothing was planted in, the hypotheses on spelling that the page Units tests.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from engine.analysis.units.features import HYPOTHESES
from engine.analysis.units.features import truths as tested
from engine.lessons.circuits.layer import Read
from engine.text.corpora import agreement, copying, lag
from engine.text.tasks.brackets import CLOSED, OPEN

Truth = Callable[[str], np.ndarray]


def innermost(line: str) -> list[str]:
    """The bracket that was opened last and is still open, behind each character."""
    found, open_at = [], list[str]()
    for c in line:
        if c in OPEN:
            open_at.append(c)
        elif c in CLOSED and open_at:
            open_at.pop()
        found.append(open_at[-1] if open_at else "")
    return found


def deep(line: str) -> np.ndarray:
    step = [(c in OPEN) - (c in CLOSED) for c in line]
    found: np.ndarray = np.cumsum(step) > 1
    return found


def plural(line: str) -> np.ndarray:
    """From the end of the subject on."""
    fact = agreement.CORPUS.facts(line)[0]
    found = np.zeros(len(line), bool)
    found[fact.first[1] - 1 :] = fact.value == "many"
    return found


def past_mark(line: str) -> np.ndarray:
    at = line.find(copying.MARK)
    return np.arange(len(line)) >= (at if at >= 0 else len(line))


def back(letter: str) -> Truth:
    """Whether this letter has to come next."""

    def rule(line: str) -> np.ndarray:
        return np.array(
            [n + 1 >= lag.K and line[n + 1 - lag.K] == letter for n in range(len(line))]
        )

    return rule


def kind(bracket: str) -> Truth:
    return lambda line: np.array([one == bracket for one in innermost(line)], bool)


TRUTHS: Mapping[str, Mapping[str, Truth]] = {
    "brackets": {
        "a round bracket has to close next": kind("("),
        "a square bracket has to close next": kind("["),
        "a curly bracket has to close next": kind("{"),
        "two brackets are open": deep,
    },
    "agreement": {"the subject is plural": plural},
    "copying": {"the copy has begun": past_mark},
    "lag": {
        "a has to come next": back("a"),
        "b has to come next": back("b"),
        "c has to come next": back("c"),
        "d has to come next": back("d"),
    },
}
SPELLING: Mapping[str, Truth] = {
    one.title: (lambda line, one=one: tested(one, one.rule(line).astype(float)))  # type: ignore[misc]
    for one in HYPOTHESES
    if not one.counted
}


def of(behaviour: str) -> Mapping[str, Truth]:
    return TRUTHS.get(behaviour, SPELLING)


def at_tokens(some: Read, every: Mapping[str, Truth]) -> np.ndarray:
    """(F, M)"""
    found = np.zeros((len(every), len(some.line_M)), bool)
    for n, rule in enumerate(every.values()):
        known = [rule(line) for line in some.lines[: len(some.cut)]]
        for m, (line, token) in enumerate(zip(some.line_M, some.token_M, strict=True)):
            last = some.cut[line].spans[token][1] - 1
            truth_C = known[line]
            found[n, m] = bool(truth_C[min(last, len(truth_C) - 1)]) if last >= 0 else False
    return found
