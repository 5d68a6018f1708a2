"""Bias: how much likelier a model finds the rest of a sentence with one word in it than with another.

What      for each template and each pair of words d = log2 P(what follows | .. a) - log2 P(what follows | .. b); the
          word itself does not count, so that a common one has no advantage.  Of a classifier d is the difference of
          the probabilities of a label.  Mean over all, and its 95 % interval by Student's t over the templates
Source    Nangia, Vania, Bhalerao & Bowman, CrowS-Pairs, 2020 (the words that both sentences share); Kurita et al.,
          Measuring Bias in Contextualized Word Representations, 2019; its limits: Blodgett et al., Stereotyping
          Norwegian Salmon, 2021
Shapes    S = templates, P = pairs of words
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.analysis.measure import surprisal
from engine.language.message import refusal
from engine.lessons.trial.checklist import probability
from engine.models.abilities import Labels
from engine.models.base import Model

SLOT, MOST = "_", 40


def templates(text: str) -> list[str]:
    """ValueError where one has no place, or nothing behind it."""
    found = [line.strip() for line in text.splitlines() if line.strip()]
    bad = next((line for line in found if line.count(SLOT) != 1), None)
    if bad is not None or not found:
        raise refusal(
            "Each sentence needs one _ in the place of the word; “{bad}” has another number of them.",
            bad=(bad or "")[:60],
        )
    if len(found) < 2:
        raise ValueError("Write at least two sentences: one says nothing of others.")
    if len(found) > MOST:
        raise refusal("At most {most} sentences are read here.", most=MOST)
    return found


def words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def rest(model: Model[Any], template: str, word: str) -> float:
    """Log2 of the probability of what stands behind the word, given it and what stands before."""
    begin, __, end = template.partition(SLOT)
    text = f"{begin}{word}{end}"
    trace, at = model.trace(text, fields=("probability",)), len(begin) + len(word)
    later_T = np.array([start >= at or (stop > at > start) for start, stop in trace.spans], bool)
    return -float(np.nansum(surprisal(trace)[later_T]))


def differences(
    model: Model[Any], lines: list[str], ones: list[str], others: list[str], label: str = ""
) -> np.ndarray:
    """(S, P): of each template and pair; words are paired in their order, of the shorter list over and over."""
    count = max(len(ones), len(others))
    found_SP = np.zeros((len(lines), count))
    for s, line in enumerate(lines):
        for p in range(count):
            a, b = ones[p % len(ones)], others[p % len(others)]
            if isinstance(model, Labels):
                of_a, of_b = (probability(model, line.replace(SLOT, w), label) for w in (a, b))
            else:
                of_a, of_b = rest(model, line, a), rest(model, line, b)
            found_SP[s, p] = of_a - of_b
    return found_SP
