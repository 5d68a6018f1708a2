"""Judges: who says which of two replies is better: a stated rule, or the reader.

What      shorter   the reply with fewer tokens
          words     the reply with more of some words; each word behind a minus counts against it
          clicks    the reader, pair by pair
          A file of preferences has a line of JSON for each pair: prompt, chosen, rejected
Source    the file: as in the data sets for DPO of the library trl
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from engine.language.message import refusal
from engine.lessons.preferences.replies import LONGEST, Reply
from engine.storage import record

By = Literal["words", "shorter", "clicks"]
WORDS = "she her hers herself -he -him -his -himself"
TITLES: dict[By, str] = {
    "words": "A rule: certain words",
    "shorter": "A rule: shorter replies",
    "clicks": "My own choices",
}
MOST_PAIRS, MOST_WRITTEN = 300, 600  # pairs of a rule, and characters of a reply in a file
WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class Pair:
    """Two replies to one prompt, as texts: what a file holds, and a click says."""

    prompt: str
    chosen: str
    rejected: str


def liked(words: str) -> dict[str, int]:
    """+1 or -1 by word, in small letters.  ValueError where there is none."""
    found = {
        word.lower(): -1 if part.startswith(("-", "−")) else 1
        for part in words.split()
        for word in WORD.findall(part)
    }
    if not found:
        raise ValueError("Type the words that a reply should have.")
    return found


def rule(by: By, words: str) -> Mapping[str, int]:
    """What `score` reads; ValueError where it can't be read, or a reader chooses."""
    if by == "clicks":
        raise ValueError("No rule is stated; you choose.")
    return liked(words) if by == "words" else {}


def score(by: By, words: Mapping[str, int], reply: Reply) -> float:
    """What the rule makes of a reply; of two the higher is better."""
    if by == "shorter":
        return -len(reply)
    return sum(words.get(word.lower(), 0) for word in WORD.findall(reply.text))


def pairs(
    groups: Sequence[Sequence[Reply]], score_GB: Sequence[Sequence[float]]
) -> list[tuple[Reply, Reply]]:
    """(better, worse) of the replies to each prompt; of many an even choice."""
    found = [
        (group[a], group[b]) if score_B[a] > score_B[b] else (group[b], group[a])
        for group, score_B in zip(groups, score_GB, strict=True)
        for a, b in combinations(range(len(group)), 2)
        if score_B[a] != score_B[b] and group[a].text != group[b].text
    ]
    if len(found) > MOST_PAIRS:
        kept = np.random.default_rng(0).choice(len(found), MOST_PAIRS, replace=False)
        found = [found[n] for n in sorted(kept)]
    return found


def both_ways(clicks: Iterable[Pair]) -> int:
    """How many pairs were answered one way and the other."""
    said = {(c.prompt, c.chosen, c.rejected) for c in clicks}
    return sum((prompt, worse, better) in said for prompt, better, worse in said) // 2


def write(clicks: Iterable[Pair]) -> bytes:
    """As a file."""
    lines = (
        json.dumps(
            {"prompt": c.prompt, "chosen": c.chosen, "rejected": c.rejected}, ensure_ascii=False
        )
        for c in clicks
    )
    return ("\n".join(lines) + "\n").encode()


def read(raw: bytes) -> list[Pair]:
    """ValueError where it is no such file."""
    found = []
    for n, line in enumerate(raw.decode("utf-8", "replace").splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = record.parse(line)
            made = Pair(*(row[name].strip() for name in ("prompt", "chosen", "rejected")))
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise refusal(
                "Line {n:,} of this file is no pair. Each line has to be JSON with prompt, chosen and rejected.",
                n=n,
            ) from error
        if not made.prompt or made.chosen == made.rejected or not made.chosen or not made.rejected:
            raise refusal("Line {n:,} of this file has no prompt with two different replies.", n=n)
        found.append(
            Pair(made.prompt[:LONGEST], made.chosen[:MOST_WRITTEN], made.rejected[:MOST_WRITTEN])
        )
    if not found:
        raise ValueError("This file has no pairs.")
    return found
