"""Little stories from a grammar of our own: every dependency is planted, every probability is
known.

What      P(line) = product of the chances of its draws; entropy = sum over draws of chance of being
          made * its bits
Source    Shannon, Prediction and Entropy of Printed English, 1951 (what a perfect reader would
          still not know);
          structures after Linzen, Dupoux & Goldberg, Assessing the Ability of LSTMs to Learn
          Syntax-Sensitive Dependencies, 2016
Differs   No line has two derivations, so the entropy of lines is that of derivations, an exact sum
          and not an estimate.
          Every word here was written for this project.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from functools import cached_property

from engine.text.corpora.base import (
    Draw,
    Entry,
    Fact,
    Node,
    OneOf,
    Part,
    Path,
    Say,
    Span,
    entropy,
    paths,
    sample,
)


def _words(text: str) -> list[Entry]:
    return [{"one": word} for word in text.split()]


def _forms(text: str) -> list[Entry]:
    """ "fox/foxes" is one, many; a word alone takes an s in `many`."""
    return [
        {
            "one": (both := word.replace("_", " ").split("/"))[0],
            "many": both[1] if both[1:] else f"{both[0]}s",
        }
        for word in text.split()
    ]


def _verbs(text: str) -> list[Entry]:
    """ "watch/watches" is many, one: the form with an s goes with one subject."""
    return [
        {"many": (both := word.split("/"))[0], "one": both[1] if both[1:] else f"{both[0]}s"}
        for word in text.split()
    ]


def _people(names: str, she: str, her: str, own: str) -> list[Entry]:
    return [
        {"one": name, "she": she, "She": she.capitalize(), "her": her, "own": own}
        for name in names.split()
    ]


GIRLS = _people(
    "Anna Clara Dora Edith Flora Greta Hilda Ida Jane Lena Maud Nora Olga Rosa Sally Tilda",
    "she",
    "her",
    "her",
)
BOYS = _people(
    "Adam Bruno Carl David Emil Felix Gregor Hugo Ivan Jacob Konrad Leo Martin Otto Paul Simon",
    "he",
    "him",
    "his",
)
NUMBERS: list[Entry] = [{"number": "one"}, {"number": "many"}]
ANIMALS = _forms(
    "fox/foxes hen goat hound crow owl badger otter heron mouse/mice goose/geese pony/ponies"
    " calf/calves wolf/wolves toad hare sparrow swan beetle squirrel lizard kitten puppy/puppies"
    " donkey rabbit hedgehog raven stork mole finch/finches"
)
PLACES = _forms(
    "mill bridge orchard harbour tower market barn chapel meadow forest well garden lighthouse"
    " quarry bakery/bakeries valley ferry/ferries windmill castle cellar hill pond village island"
)
THINGS = _forms(
    "lamp rope kettle drum ring cup coin map key basket ribbon whistle blanket candle mirror spoon"
    " hammer feather button bell pebble letter lantern needle"
)
VERBS = _verbs(
    "sleep sing wait dance tremble listen rest wander shiver yawn watch/watches hide dream whisper"
    " march/marches play hum grumble snore stumble laugh sneeze"
)
QUALITIES = _words(
    "red small gentle wooden golden quiet heavy broken clever grey tiny warm rusty famous hungry"
    " lonely bright crooked silver patient"
)
WAYS = _words("softly slowly loudly gladly again together nearby alone calmly bravely sadly kindly")
TIMES = _words("morning evening winter summer Monday Friday Sunday spring night autumn")
SIDES = _words("near behind beside above below beyond")
SYLLABLES = _words("ba ko lu mi ne po ra si ta vo zu fe")
DOORS = _words("door gate lid curtain")
SPEAKING = _words("said whispered shouted sang cried murmured")
BRACKETS = (("(", ")"), ("[", "]"), ("{", "}"))


class Stories:
    """`words` is how many of each list are used (all when None), `depth` how deep brackets and
    phrases go."""

    id = "stories"
    title = "Little stories"
    says = (
        "Stories from a known grammar: agreement over a distance, brackets, quotations, copies and"
        " pronouns, planted."
    )
    licence = "CC0 1.0"

    def __init__(
        self, words: int | None = None, depth: int = 3, scenes: int = 3, lines: int = 8000
    ) -> None:
        self.words, self.depth, self.scenes, self.lines = words, depth, scenes, lines

    def text(self) -> str:
        return self._text

    @cached_property
    def _text(self) -> str:
        return "\n".join(self.generate(self.lines, 0)) + "\n"

    def generate(self, lines: int, seed: int = 0) -> list[str]:
        """So many stories; the same for the same seed on every machine."""
        rng = random.Random(seed)
        return [sample(self.grammar, rng, {}) for _ in range(lines)]

    def entropy_bits_per_line(self) -> float:
        """What a reader who knows the grammar is surprised by a line on average: the floor of every
        model."""
        return entropy(self.grammar)

    def bits(self, line: str) -> float:
        """-log2 P(line), exact; inf for a line that the grammar can't write."""
        ways = self.derivations(line)
        return -math.log2(sum(2.0**-way.bits for way in ways)) if ways else math.inf

    def derivations(self, line: str) -> list[Path]:
        return [path for path in paths(self.grammar, line) if len(path.text) == len(line)]

    def facts(self, line: str) -> list[Fact]:
        """What was planted in a line, in the order of the second place.  ValueError for a line of
        another origin."""
        ways = self.derivations(line)
        if not ways:
            raise ValueError("this line is none of the grammar's stories")
        first: dict[tuple[str, str], Span] = {}
        found = []
        for part, span, value in ways[0].marks:
            if part.second:
                found.append(Fact(part.kind, first[part.kind, part.key], span, value))
            else:
                first[part.kind, part.key] = span
        return sorted(found, key=lambda fact: (fact.second, fact.first))

    @cached_property
    def grammar(self) -> Node:
        return OneOf(((0.5, self._story(GIRLS, BOYS)), (0.5, self._story(BOYS, GIRLS))))

    def _story(self, heroes: list[Entry], friends: list[Entry]) -> Node:
        scene = tuple((" ", self.scene(str(n))) for n in range(self.scenes))
        return (
            self.opening(heroes, friends),
            *scene[:2],
            *(OneOf(((0.5, ()), (0.5, s))) for s in scene[2:]),
            " ",
            self.closing(),
        )

    def _draw(self, name: str, entries: Sequence[Entry], *unlike: str) -> Draw:
        return Draw(name, entries[: self.words], unlike)

    def _new(self, name: str, entries: Sequence[Entry], *unlike: str) -> Node:
        return (self._draw(name, entries, *unlike), Say(name))

    def opening(self, heroes: list[Entry], friends: list[Entry]) -> Node:
        hero = (self._draw("hero", heroes), Part("coreference", "hero", False, Say("hero")))
        friend = (
            self._draw("friend", friends),
            Part("coreference", "friend", False, Say("friend")),
        )
        place = self._new("place", PLACES)
        return OneOf(
            (
                (
                    0.4,
                    (
                        "One ",
                        self._new("time", TIMES),
                        " ",
                        hero,
                        " and ",
                        friend,
                        " met at the ",
                        place,
                        ".",
                    ),
                ),
                (
                    0.3,
                    (
                        hero,
                        " lived near the ",
                        place,
                        ", and ",
                        friend,
                        " came to visit ",
                        _her("hero"),
                        ".",
                    ),
                ),
                (0.3, ("Long ago ", hero, " walked to the ", place, " to look for ", friend, ".")),
            )
        )

    def scene(self, n: str) -> Node:
        """One of seven kinds; `n` tells its draws from those of the other scenes."""
        whole = (
            self.agreement(n),
            self.relative(n),
            self.gift(n),
            self.quotation(n),
            self.secret(n),
            self.packing(n),
            self.box(n, 0),
        )
        return OneOf(tuple(zip((0.2, 0.1, 0.15, 0.15, 0.1, 0.15, 0.15), whole)))

    def _subject(self, n: str) -> Node:
        subject = Part("agreement", n, False, Say(f"animal{n}", by=f"number{n}"), f"number{n}")
        return (
            "The ",
            self._new(f"quality{n}", QUALITIES),
            " ",
            self._draw(f"number{n}", NUMBERS),
            self._draw(f"animal{n}", ANIMALS),
            subject,
        )

    def _verb(self, n: str) -> Node:
        verb = Part("agreement", n, True, Say(f"verb{n}", by=f"number{n}"), f"number{n}")
        return (" ", self._draw(f"verb{n}", VERBS), verb, " ", self._new(f"way{n}", WAYS), ".")

    def agreement(self, n: str) -> Node:
        """The red fox near the mills behind the tower sleeps softly."""
        return (self._subject(n), self._phrases(n, 0), self._verb(n))

    def _phrases(self, n: str, level: int) -> Node:
        if level == self.depth:
            return ()
        key = f"{n}.{level}"
        noun = (
            self._draw(f"many{key}", NUMBERS),
            self._draw(f"at{key}", PLACES),
            Say(f"at{key}", by=f"many{key}"),
        )
        return OneOf(
            (
                (0.4, ()),
                (
                    0.6,
                    (
                        " ",
                        self._new(f"side{key}", SIDES),
                        " the ",
                        noun,
                        self._phrases(n, level + 1),
                    ),
                ),
            )
        )

    def relative(self, n: str) -> Node:
        """The grey owls that Anna fed at the pond hum again."""
        return (
            self._subject(n),
            " that ",
            Say("hero"),
            " fed at the ",
            self._new(f"pond{n}", PLACES),
            self._verb(n),
        )

    def gift(self, n: str) -> Node:
        thing = ("a ", self._new(f"quality{n}", QUALITIES), " ", self._new(f"thing{n}", THINGS))
        give = (
            _her("hero", "She"),
            " gave ",
            _her("friend"),
            " ",
            thing,
            ", and ",
            _her("friend", "she"),
            " thanked ",
            _her("hero"),
            ".",
        )
        seek = (
            _her("friend", "She"),
            " had lost ",
            _her("friend", "own"),
            " ",
            self._new(f"thing{n}", THINGS),
            ", but ",
            _her("hero", "she"),
            " found it and brought it to ",
            _her("friend"),
            ".",
        )
        return OneOf(((0.6, give), (0.4, seek)))

    def quotation(self, n: str) -> Node:
        """Anna said: "We saw red foxes at the mill!" Leo asked: "You saw red foxes at the mill?" """
        animal = (self._draw(f"animal{n}", ANIMALS), Say(f"animal{n}", "many"))
        saw = (
            " saw ",
            self._new(f"quality{n}", QUALITIES),
            " ",
            animal,
            " at the ",
            self._new(f"at{n}", PLACES),
        )
        same = (
            " saw ",
            Say(f"quality{n}"),
            " ",
            Say(f"animal{n}", "many"),
            " at the ",
            Say(f"at{n}"),
        )
        said = (
            Say("hero"),
            " ",
            self._new(f"speaking{n}", SPEAKING),
            ": ",
            _quoted(f"{n}a", "We", Part("copy", n, False, saw), "!"),
        )
        return (
            said,
            " ",
            Say("friend"),
            " asked: ",
            _quoted(f"{n}b", "You", Part("copy", n, True, same), "?"),
        )

    def secret(self, n: str) -> Node:
        names = [f"syllable{n}.{i}" for i in range(3)]
        word = Part("copy", n, False, tuple(self._new(name, SYLLABLES) for name in names))
        same = Part("copy", n, True, tuple(Say(name) for name in names))
        she = _her("hero", "she")
        return (
            "The secret word was ",
            word,
            "; ",
            she,
            " whispered ",
            same,
            " and the ",
            self._new(f"door{n}", DOORS),
            " opened.",
        )

    def packing(self, n: str) -> Node:
        names = [f"thing{n}.{i}" for i in range(3)]
        items = _list(*(self._new(name, THINGS, *names[:i]) for i, name in enumerate(names)))
        same = Part("copy", n, True, _list(*(Say(name) for name in names)))
        inn = self._new(f"inn{n}", PLACES)
        return (
            "They packed ",
            Part("copy", n, False, items),
            ", and at the ",
            inn,
            " they unpacked ",
            same,
            ".",
        )

    def box(self, n: str, level: int) -> Node:
        """In the box lay a drum (with a cup [with a ring] and a bell)."""
        key = f"{n}.{level}"
        item: Node = ("a ", self._new(f"in{key}", THINGS))
        if level < self.depth:
            left, right = (
                Part("brackets", key, second, BRACKETS[level % 3][second])
                for second in (False, True)
            )
            item = (
                item,
                OneOf(((0.4, ()), (0.6, (" ", left, "with ", self.box(n, level + 1), right)))),
            )
        if level:
            return item
        return ("In ", _her("hero", "own"), " box lay ", item, ".")

    def closing(self) -> Node:
        both = (
            _her("hero", "She"),
            " kept the ",
            self._new("kept", THINGS),
            " and ",
            _her("friend", "she"),
            " kept the ",
        )
        return OneOf(
            (
                (0.4, ("Then they went home ", self._new("end", WAYS), ".")),
                (0.3, (Say("hero"), " smiled, and so did ", Say("friend"), ".")),
                (0.3, (*both, self._new("kept2", THINGS, "kept"), ".")),
            )
        )


def _her(who: str, form: str = "her") -> Node:
    return Part("coreference", who, True, Say(who, form))


def _list(one: Node, two: Node, three: Node) -> Node:
    return ("a ", one, ", a ", two, " and a ", three)


def _quoted(key: str, *parts: Node) -> Node:
    return (Part("quotation", key, False, '"'), *parts, Part("quotation", key, True, '"'))


CORPUS = Stories()
