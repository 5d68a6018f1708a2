"""Results: the tagger's test, of several models, and its mistakes.

What      of every model the shares of test words that it tags right: of all, of those that stand in
          what it was counted in, and of the others; for the best, what stands in the way of more
Source    Brants, TnT: A Statistical Part-of-Speech Tagger, 2000, section 3; Manning, Part-of-Speech
          Tagging from 97 % to 100 %: Is It Time for Some Linguistics?, CICLing 2011
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

from engine import ROOT
from engine.language.message import refusal

BEST = "second order, split states"  # the run that is shipped
SHIPPED = ROOT / "assets" / "tagging.json"


@dataclass(frozen=True)
class Tried:
    """Shares from 0 to 1."""

    name: str
    all: float
    known: float
    unknown: float


@dataclass(frozen=True)
class Mistake:
    """How often words with one tag got another, and which words most often."""

    right: str
    said: str
    count: int
    words: tuple[str, ...]


@dataclass(frozen=True)
class Results:
    """Counts of test words, unless said otherwise.

    wrong        those that the best model tags wrong
    wrong_unknown  of these, not in the lexicon
    new_tag      of these, known words whose tag they were never counted with
    ambiguous    known words that were counted with more than one tag
    disagree     share of words that stand twice or more in the training text between the same two
                 words before and two behind, and do not have the tag that they have most often there
    repeated     how many such words there are
    """

    words: int
    known: int
    ambiguous: int
    wrong: int
    wrong_unknown: int
    new_tag: int
    disagree: float
    repeated: int
    tried: tuple[Tried, ...]
    rounds: tuple[float, ...]
    mistakes: tuple[Mistake, ...]

    @property
    def best(self) -> Tried:
        return next(one for one in self.tried if one.name == BEST)


@lru_cache(1)
def shipped() -> Results:
    """OSError or ValueError where the file is missing or damaged."""
    return unpack(json.loads(SHIPPED.read_text(encoding="utf-8")))


def unpack(found: dict[str, Any]) -> Results:
    made = {name: value for name, value in found.items() if name != "made_by"}
    try:
        made["tried"] = tuple(Tried(**one) for one in found["tried"])
        made["mistakes"] = tuple(
            Mistake(**one | {"words": tuple(one["words"])}) for one in found["mistakes"]
        )
        return Results(**made | {"rounds": tuple(found["rounds"])})
    except (KeyError, TypeError) as problem:
        raise refusal(
            "the results of the tagger's test are damaged: {problem}", problem=str(problem)
        ) from None


def written(of: Results, made_by: str) -> str:
    return json.dumps({"made_by": made_by, **asdict(of)}, indent=1, ensure_ascii=False) + "\n"
