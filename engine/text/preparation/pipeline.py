"""Pipeline: steps in an order, written in one line, and what an order loses.

What      text -> step 1 -> step 2 ...; a token is what stands between white space behind the last
          step
Source    Manning, Raghavan & Schütze, Introduction to Information Retrieval, 2008, ch. 2
Shapes    T = tokens; a span is (start, stop) in characters of the typed text
Differs   Written case.lower-contractions-stopwords.notes.off: steps by "-", the choice and "off"
          behind a point.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from engine.core.registry import preparations
from engine.text.preparation.base import Preparation, Prepared, Span

LONGEST = 400  # characters of a written pipeline
MOST = 24  # steps
MARKS = ("money", "numbers", "symbols")
STEMS = ("porter", "snowball", "lancaster")
STRAIGHT = "-".join(
    (
        "unicode.NFC",
        "contractions",
        "case.lower",
        "money.mark",
        "numbers.mark",
        "symbols.remove",
        "punctuation.strip",
        "tokens.whole",
        "space.one",
    )
)


@cache
def kinds() -> dict[str, Preparation]:
    """Every kind of step by its id; the folder is read once."""
    return {id: preparations.get(id) for id in preparations.ids()}


@dataclass(frozen=True, slots=True)
class Step:
    id: str
    choice: str = ""
    on: bool = True

    @property
    def kind(self) -> Preparation:
        return kinds()[self.id]

    def write(self) -> str:
        return ".".join(filter(None, (self.id, self.choice, "" if self.on else "off")))


@dataclass(frozen=True, slots=True)
class Pipeline:
    steps: tuple[Step, ...] = ()

    @classmethod
    def read(cls, written: str) -> Pipeline:
        """Whatever is no step is left out; a choice that there is not becomes the first."""
        steps: list[Step] = []
        for part in written[:LONGEST].split("-"):
            id, *more = part.split(".")
            if id in kinds() and len(steps) < MOST:
                steps.append(
                    Step(
                        id,
                        kinds()[id].choice(next((m for m in more if m != "off"), "")),
                        "off" not in more,
                    )
                )
        return cls(tuple(steps))

    def write(self) -> str:
        return "-".join(step.write() for step in self.steps) or "none"

    @property
    def active(self) -> tuple[Step, ...]:
        return tuple(step for step in self.steps if step.on)

    def run(self, text: str) -> list[Prepared]:
        """What each active step made of what the one before it left."""
        found = []
        for step in self.active:
            found.append(step.kind.apply(text, step.choice))
            text = found[-1].after
        return found

    def tokens(self, text: str) -> list[str]:
        for step in self.active:
            text = step.kind.apply(text, step.choice).after
        return text.split()

    def warnings(self) -> list[tuple[int, str]]:
        """(place among all steps, one sentence): where this order loses something."""
        found = [
            (place, sentence)
            for place, step in enumerate(self.steps)
            if step.on
            for sentence in self._warned(place, step)
        ]
        return [
            (place, sentence)
            for n, (place, sentence) in enumerate(found)
            if (place, sentence) not in found[:n]
        ]

    def _warned(self, place: int, step: Step) -> Iterator[str]:
        before = [s for s in self.steps[:place] if s.on]
        ids = {s.id for s in before}
        chosen = {f"{s.id}.{s.choice}" for s in before}
        if step.id == "contractions" and "punctuation.strip" in chosen:
            yield (
                "Punctuation was removed earlier: “I’m” is “Im” by now, which is in no table."
                " Move this step up."
            )
        if step.id == "contractions" and chosen & {"tokens.apart", "tokens.penn"}:
            yield (
                "The text was cut into words earlier: “don’t” is in pieces by now. Move this"
                " step up."
            )
        if step.id == "money" and "numbers" in ids:
            yield (
                "Numbers were replaced earlier: 3.14 is <NUM> by now, and no amount is left"
                " to find. Move this step up."
            )
        if step.id == "money" and "symbols" in ids:
            yield (
                "Symbols, including $, were removed earlier: no amount is left to find. Move"
                " this step up."
            )
        if step.id in ("money", "numbers") and "punctuation.strip" in chosen:
            yield (
                "Punctuation was removed earlier, including decimal points: 3.14 is 314 by"
                " now. Move this step up."
            )
        if step.id == "case" and any(
            s.id in MARKS and s.choice in ("mark", "plain") for s in before
        ):
            yield (
                "Placeholders were inserted earlier: <NUM> becomes <num>, as if it were a word"
                " of the text. Move this step up."
            )
        if step.id == "sentences" and "case" in ids and step.choice == "rules":
            yield (
                "Capital letters were removed earlier, and they show where a sentence begins."
                " Move this step up."
            )
        if step.id == "sentences" and "punctuation.strip" in chosen:
            yield (
                "Full stops were removed earlier, so no sentence ends any more. Move this step up."
            )
        if step.id == "space" and step.choice == "one" and "sentences" in ids:
            yield "The line ends between sentences become spaces again. Choose to keep line ends."
        if step.id == "stopwords" and ids & set(STEMS):
            yield (
                "Words were stemmed earlier: “because” is “becaus” by now, which is on no"
                " list. Move this step up."
            )
        if step.id == "stopwords" and step.choice == "sklearn":
            yield "“Not” is on this list: “not good” and “good” become the same."
        if step.id == "lemma" and ids & set(STEMS):
            yield (
                "Words were stemmed earlier: “studi” is in no dictionary. Choose one of the"
                " two steps."
            )
        if step.id in STEMS and ids & set(STEMS):
            yield "This step stems stems: the remaining words are cut a second time."


def cut(prepared: list[Prepared], typed: str) -> list[list[Span]]:
    """Per text (the typed one, then that after each step) where the final tokens stand in it, or
    come from."""
    last = prepared[-1].after if prepared else typed
    spans = [found.span() for found in re.finditer(r"\S+", last)]
    places = [spans]
    for step in reversed(prepared):
        spans = [step.back(span) for span in spans]
        places.append(spans)
    return places[::-1]


def numbered(tokens: list[str]) -> list[int]:
    """The id of each token: 1 for the first, a new one for every new token; 0 is left for
    padding."""
    table: dict[str, int] = {}
    return [table.setdefault(token, len(table) + 1) for token in tokens]
