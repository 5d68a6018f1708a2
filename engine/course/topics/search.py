"""Finds topics by what a person types: their own words, an abbreviation, a word with a slip in it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache
from math import log

from engine.course.topics.base import Topic

CLOSE = 75  # per cent of the letters that two words must share to pass for a slip
ENOUGH = 0.5  # of what the words of a query weigh, for a place that has not all of them
NEAR = 0.8  # of the weight of the best
SHORTEST = 4  # letters of a word that may have a slip in it
LONGEST = 100  # characters of a query that are read
EXACT, BEGINS, NAMED, TOLD, SLIP, PART = range(6)  # the better the match, the smaller


def search(query: str, topics: Sequence[Topic]) -> list[Topic]:
    """The topics that answer, best first: a name that is the query, one that begins with it, one
    that has all of its words, a sentence that has them, a name with a slip, and last those that
    have most of its words, of which rare ones count more.

    Empty when nothing fits, or nothing was asked.
    """
    asked = words(query[:LONGEST])
    asked = tuple(word for word in asked if word not in ASKING) or asked
    if not asked:
        return []
    ranked = [(rank, n) for n, topic in enumerate(topics) if (rank := _rank(asked, topic))]
    if not ranked:
        ranked = [(rank, n) for n, topic in enumerate(topics) if (rank := _slips(asked, topic))]
    if not ranked and len(asked) > 1:
        ranked = _parts(asked, topics)
    return [topics[n] for _, n in sorted(ranked)]


def words(text: str) -> tuple[str, ...]:
    """Lower-case words without accents, hyphens and the s of a plural."""
    flat = unicodedata.normalize("NFKD", text).casefold()
    flat = "".join(sign for sign in flat if not unicodedata.combining(sign))
    return tuple(_singular(word) for word in re.findall(r"[^\W_]+", flat))


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


# what a question is made of, and what says nothing of its subject
ASKING = frozenset(
    words(
        "a an and are as at be by can did do does find for from get has have how i in is it its many"
        " me much my of on one or see show that the there this to was were what when where which who"
        " why with your"
    )
)


@cache
def _names(topic: Topic) -> tuple[tuple[str, ...], ...]:
    """The words of the title, then those of each synonym."""
    return tuple(words(name) for name in (topic.title, *topic.also))


@cache
def _sentence(topic: Topic) -> frozenset[str]:
    return frozenset(words(f"{topic.says} {topic.lesson}"))


def _rank(asked: tuple[str, ...], topic: Topic) -> tuple[int, int, int] | None:
    """(kind of match, whether by a synonym, words of the name that were not asked for)."""
    whole = " ".join(asked)
    best: tuple[int, int, int] | None = None
    for n, name in enumerate(_names(topic)):
        written = " ".join(name)
        if written == whole:
            kind = EXACT
        elif written.startswith(whole):
            kind = BEGINS
        elif _all_begin(asked, name):
            kind = NAMED
        else:
            continue
        found = (kind, int(n > 0), len(name) - len(asked))
        best = found if best is None else min(best, found)
    if best is None and _all_begin(
        asked, (*_sentence(topic), *(w for n in _names(topic) for w in n))
    ):
        best = (TOLD, 0, 0)
    return best


def _slips(asked: tuple[str, ...], topic: Topic) -> tuple[int, int, int] | None:
    """The same for a query with a slip: how far each of its words is from one of the topic's
    names."""
    from rapidfuzz import fuzz, process

    found = []
    for n, name in enumerate(_names(topic)):
        far = 0.0
        for word in asked:
            near = process.extractOne(word, name, scorer=fuzz.ratio)
            if near is None or near[1] < (CLOSE if len(word) >= SHORTEST else 100):
                break
            far += 100 - near[1]
        else:
            found.append((SLIP + round(far), int(n > 0), len(name) - len(asked)))
    return min(found, default=None)


def _parts(
    asked: tuple[str, ...], topics: Sequence[Topic]
) -> list[tuple[tuple[int, int, int], int]]:
    """(rank, place) of the topics that have enough of the words."""
    has = [[n for n, topic in enumerate(topics) if _said(word, topic)] for word in asked]
    weight = [
        log(len(topics) / max(1, len(found))) for found in has
    ]  # an unknown word is the rarest
    total: dict[int, float] = {}
    for found, much in zip(has, weight, strict=True):
        for n in found:
            total[n] = total.get(n, 0.0) + much
    most = max(total.values(), default=0.0)
    if most < ENOUGH * sum(weight):
        return []
    near = {n: much for n, much in total.items() if much >= NEAR * most}
    return [((PART, round(100 * (most - much)), 0), n) for n, much in near.items()]


def _said(word: str, topic: Topic) -> bool:
    return any(
        found.startswith(word) for group in (_sentence(topic), *_names(topic)) for found in group
    )


def _all_begin(asked: Iterable[str], among: Iterable[str]) -> bool:
    known = tuple(among)
    return all(any(word.startswith(start) for word in known) for start in asked)
