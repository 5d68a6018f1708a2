"""Finds topics by what a person types: their own words, an abbreviation, a word with a slip in it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache

from engine.lessons.topics.base import Topic

# what a question is made of, and what says nothing of its subject
ASKING = frozenset(
    "a an and are as at by can do does for from how i in is it of on or the to what when where which"
    " who why with".split()
)
CLOSE = 75  # per cent of the letters that two words must share to pass for a slip
SHORTEST = 4  # letters of a word that may have a slip in it
LONGEST = 100  # characters of a query that are read
EXACT, BEGINS, NAMED, TOLD, SLIP = range(5)  # the better the match, the smaller


def search(query: str, topics: Sequence[Topic]) -> list[Topic]:
    """The topics that answer, best first: a name that is the query, one that begins with it, one
    that has all of its words, a sentence that has them, and last a name with a slip.

    Empty when nothing fits, or nothing was asked.
    """
    asked = words(query[:LONGEST])
    asked = tuple(word for word in asked if word not in ASKING) or asked
    if not asked:
        return []
    ranked = [(rank, n) for n, topic in enumerate(topics) if (rank := _rank(asked, topic))]
    if not ranked:
        ranked = [(rank, n) for n, topic in enumerate(topics) if (rank := _slips(asked, topic))]
    return [topics[n] for _, n in sorted(ranked)]


def words(text: str) -> tuple[str, ...]:
    """Lower-case words without accents, hyphens and the s of a plural."""
    flat = unicodedata.normalize("NFKD", text).casefold()
    flat = "".join(sign for sign in flat if not unicodedata.combining(sign))
    return tuple(_singular(word) for word in re.findall(r"[^\W_]+", flat))


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


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


def _all_begin(asked: Iterable[str], among: Iterable[str]) -> bool:
    known = tuple(among)
    return all(any(word.startswith(start) for word in known) for start in asked)
