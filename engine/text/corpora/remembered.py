"""Remembered: little stories in which an early word decides a later one, with other sentences between.

What      a story is a template: ^ stands before its early words (the causes), * before the later ones that follow
          from them (the answers), ~ where other text stands, of none to MOST sentences or phrases
Source    made here, after the examples by which course notes explain what a memory keeps; a fact among distractors:
          Hochreiter & Schmidhuber, Long Short-Term Memory, 1997, sec. 5
Shapes    a line is one story, of 6 to about 120 words
Differs   What stands between never says anything about an answer, though it names people and countries too.  One in
          four pairs of a thing and its place is kept back from the text, so that a reader can be asked after sentences
          that no line has (`written` with `unseen`).
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.text.corpora.base import Lines

MOST = 8  # sentences between
CHANCES = (8, 5, 3, 2, 1, 1, 1, 1, 1)  # of 0 to MOST of them, one to the other
NAMED = 0.2  # share of sentences between that name somebody or a country
KEPT_BACK = 4  # one in so many pairs
PAUSE = 7  # signs … of a pause
MANY = 3  # times as often

Thing = Mapping[str, str]


def _table(heads: str, rows: str) -> tuple[Thing, ...]:
    return tuple(
        dict(zip(heads.split(), row.replace("_", " ").split("/"), strict=True))
        for row in rows.split()
    )


WOMEN, MEN = "Jane Mary Anna Emma".split(), "John Edward Robert Peter".split()
PEOPLE = tuple(
    {"name": name, "he": he, "He": he.title(), "him": him, "his": his}
    for names, he, him, his in ((WOMEN, "she", "her", "her"), (MEN, "he", "him", "his"))
    for name in names
)
LANDS = _table(
    "land tongue",
    "France/French Germany/German Spain/Spanish Italy/Italian Ireland/Irish Canada/Canadian",
)
OBJECTS = "lamp clock picture table ladder hammer candle mirror".split()
PLACES = "window garden church station door bridge wall school".split()
NUMBERS = _table("one", "two three four five six")
CITIES = _table("one", "New_York Los_Angeles Boston Paris London Rome")
ILLNESSES = _table("one", "fever wound cough asthma")
TABLES: Mapping[str, Sequence[Thing]] = {
    "person": PEOPLE,
    "man": tuple(one for one in PEOPLE if one["he"] == "he"),
    "land": LANDS,
    "other": LANDS,
    "city": CITIES,
    "town": CITIES,
    "animals": _table(
        "one was",
        "cat/was cats/were dog/was dogs/were horse/was horses/were child/was children/were",
    ),
    "mood": _table("word feels", "not/bad so/good never/bad very/good"),
    "sky": _table("word take", "sunny/hat rainy/umbrella snowy/coat windy/kite"),
    "past": _table("word", "sunny rainy snowy windy"),
    "degrees": _table("one", "75 60 40"),
    "age": _table("word", "child teenager"),
    "bank": _table(
        "says met",
        "I_need_to_go_to_the_^bank_to_deposit_money./cashier"
        " I_want_to_sit_by_the_^river_bank_and_fish./heron",
    ),
    "animal": _table("one", "cat dog bird fox"),
    "sits": _table("verb where", "sat/on hid/under slept/in jumped/over"),
    "topic": _table("about at", "flights/airport food/restaurant contracts/office films/cinema"),
    "thing": _table("one", "film food service hotel book room"),
    "second": _table("one", "film food service hotel book room"),
    "judged": _table(
        "word sign turned same",
        "good/positive/bad/good bad/negative/good/bad great/positive/awful/great"
        " awful/negative/great/awful not_bad/positive/bad/good not_good/negative/good/bad",
    ),
    "plain": _table("word turned", "good/bad bad/good great/awful awful/great"),
    "sick": _table("what sign", "beats/positive patients/negative"),
    "rate": NUMBERS,
    "rose": NUMBERS,
    "fell": NUMBERS,
    "illness": ILLNESSES,
    "recent": ILLNESSES,
    "toy": _table("one", "ball ring key coin"),
    "box": _table("one", "box bag drawer basket"),
    "who": _table(
        "one he", "man/he woman/she king/he queen/she father/he mother/she boy/he girl/she"
    ),
    "high": _table("what where", "clouds/sky books/bag fish/sea cars/street"),
    "word": _table("one", "yes no hello stop wait"),
}
UNLIKE = {
    "other": "land", "town": "city", "second": "thing", "recent": "illness", "past": "sky"
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Story:
    """`between` is what ~ stands for: sentences, phrases of a clause, or a pause."""

    id: str
    written: str
    between: str = "sentences"

    @property
    def share(self) -> int:
        """How often it is drawn: of many names and countries there is more to learn than of few words."""
        return (
            MANY
            if re.search(
                r"\*{(person|man|land|other|city|town|rate|illness|degrees|toy)", self.written
            )
            else 1
        )

    @property
    def drawn(self) -> list[str]:
        """The tables that it draws from."""
        return list(dict.fromkeys(re.findall(r"{(\w+)\[", self.written)))


STORIES: Mapping[str, Story] = {
    story.id: story
    for story in (
        Story("grew", "I grew up in ^{land[land]}. ~ I speak fluent *{land[tongue]}."),
        Story(
            "returned",
            "{person[name]} grew up in ^{land[land]}. {person[He]} moved to {other[land]} for college. ~ After"
            " graduation, {person[he]} returned to *{land[land]} and now {person[he]} speaks *{land[tongue]}.",
        ),
        Story(
            "clause",
            "The ^{animals[one]}, which had been missing for days ~, finally returned home and *{animals[was]} tired.",
            "phrases",
        ),
        Story("aside", "The ^{animals[one]} (which had been away ~) *{animals[was]} here.", "phrases"),
        Story("mood", "I am ^{mood[word]} happy. ~ I feel *{mood[feels]}."),
        Story(
            "economy",
            "^{land[land]} has a strong economy because its manufacturing sector is large. ~ So we invest in"
            " *{land[land]}.",
        ),
        Story(
            "moved",
            "^{person[name]} moved from {city[one]} to ^{town[one]}. ~ Now *{person[name]} lives in *{town[one]} and"
            " misses *{city[one]}.",
        ),
        Story(
            "visited",
            "^{person[name]} visited ^{city[one]}. ~ From *{city[one]} a card came, and it was from *{person[name]}.",
        ),
        Story(
            "weather",
            "Tomorrow will be ^{sky[word]} with a high of {degrees[one]}°F. Last year it was {past[word]}. ~ So"
            " tomorrow take your *{sky[take]}, for it has *{degrees[one]}°F.",
        ),
        Story(
            "born",
            "^{person[name]} was born in ^{land[land]} but moved to {other[land]} as a teenager. ~ {person[He]} speaks"
            " with a slight *{land[tongue]} accent, and the name is *{person[name]}.",
        ),
        Story(
            "child",
            "^{person[name]} was born in {land[land]} but moved to ^{other[land]} as a child. ~ {person[He]} speaks"
            " with a slight *{other[tongue]} accent, and the name is *{person[name]}.",
        ),
        Story(
            "stages",
            "^{person[name]}, who was born in ^{land[land]} but moved to ^{other[land]} as a child ~, speaks fluent"
            " *{land[tongue]} with a slight *{other[tongue]} accent.",
            "phrases",
        ),
        Story("bank", "{bank[says]} ~ At the bank I met a *{bank[met]}."),
        Story("sat", "The ^{animal[one]} {sits[verb]} *{sits[where]} the mat. ~ It was the *{animal[one]}."),
        Story("meet", "We talked about ^{topic[about]}. ~ I'll meet you at the *{topic[at]}."),
        Story("judged", "The {thing[one]} was ^{judged[word]}. ~ The review is *{judged[sign]}."),
        Story("but", "The {thing[one]} was ^{plain[word]} but the {second[one]} was *{plain[turned]}."),
        Story("and", "The {thing[one]} was ^{plain[word]} and the {second[one]} was *{plain[word]}."),
        Story("turned", "The {thing[one]} was ^{plain[word]}. ~ But the {second[one]} was *{plain[turned]}."),
        Story("sick", "These are sick ^{sick[what]}. ~ The mood is *{sick[sign]}."),
        Story(
            "rate",
            "The rate is ^{rate[one]} percent. On Monday the price rose by {rose[one]} percent. On Tuesday the price"
            " fell by {fell[one]} percent. ~ The rate is still *{rate[one]} percent.",
        ),
        Story(
            "pause",
            "The voice said ^{word[one]} ~ and after the pause it said *{word[one]} again.",
            "pauses",
        ),
        Story(
            "patient",
            "As a child {person[he]} had a ^{illness[one]}. ~ Last week {person[he]} had a {recent[one]}, and on Monday"
            " {person[his]} head ached. The doctor wrote: as a child a *{illness[one]}, last week a *{recent[one]}.",
        ),
        Story(
            "chapter",
            "In the second chapter a man called ^{man[name]} came to the village. ~ In the last chapter they see him"
            " again. It is *{man[name]}.",
        ),
        Story(
            "tracked",
            "{person[name]} put the ^{toy[one]} in the ^{box[one]}. ~ {person[He]} takes the *{toy[one]} out of the"
            " *{box[one]}.",
        ),
        Story(
            "pronoun",
            "The ^{who[one]} who wrote the book entered the room. ~ Then *{who[he]} sat down.",
        ),
        Story("high", "The ^{high[what]} are in the *{high[where]}."),
    )
}  # fmt: skip

OPENINGS = "Later,In the evening,That day,In May".split(",")
VERBS, SIDES = "stood hung lay".split(), "near behind by".split()
QUALITIES = "old small red heavy".split()
NAMING = (
    "A train from {land} was late.",
    "A letter came from {land}.",
    "We saw {name} in a shop.",
    "{name} was away.",
    "They read about {land}.",
    "Nobody called {name}.",
)


class Remembered(Lines):
    id = "remembered"
    title = "What was said before"
    says = (
        "Stories such as “I grew up in France. … I speak fluent French.”, in which an early word decides a later one"
        " and up to eight other sentences stand between."
    )

    def __init__(self, lines: int = 40_000, seed: int = 0) -> None:
        super().__init__(lines, seed)

    def generate(self, lines: int, seed: int = 0) -> list[str]:
        rng = random.Random(seed)
        stories = list(STORIES.values())
        chosen = rng.choices(stories, [story.share for story in stories], k=lines)
        return [plain(written(story, rng, pick_count(rng))) for story in chosen]


def pick_count(rng: random.Random) -> int:
    return rng.choices(range(MOST + 1), CHANCES)[0]


def drawn(story: Story, rng: random.Random) -> dict[str, Thing]:
    """What stands in its places."""
    found: dict[str, Thing] = {}
    for name in story.drawn:
        other = found.get(UNLIKE.get(name, ""))
        found[name] = rng.choice([one for one in TABLES[name] if one != other])
    return found


def written(
    story: Story,
    rng: random.Random,
    between: int,
    unseen: bool = False,
    fills: Mapping[str, Thing] | None = None,
) -> str:
    """With its signs ^ and *, and so many sentences between; `unseen`: of those that no line has."""
    text = story.written.format_map(fills or drawn(story, rng))
    make = {"sentences": _sentence, "phrases": _phrase, "pauses": _pause}[story.between]
    other = " ".join(make(rng, unseen) for _ in range(between))
    return (
        re.sub(r" ~ ?", f" {other} " if other else " ", text).replace(" ,", ",").replace(" )", ")")
    )


def plain(text: str) -> str:
    """Without signs."""
    return text.replace("^", "").replace("*", "")


def _pair(rng: random.Random, unseen: bool) -> tuple[str, str]:
    """A thing and a place."""
    while True:
        thing, place = rng.randrange(len(OBJECTS)), rng.randrange(len(PLACES))
        if ((thing + place) % KEPT_BACK == 0) == unseen:
            return OBJECTS[thing], PLACES[place]


def _sentence(rng: random.Random, unseen: bool) -> str:
    if rng.random() < NAMED:
        name, land = rng.choice(PEOPLE)["name"], rng.choice(LANDS)["land"]
        return rng.choice(NAMING).format(name=name, land=land)
    thing, place = _pair(rng, unseen)
    return (
        f"{rng.choice(OPENINGS)} the {rng.choice(QUALITIES)} {thing} {rng.choice(VERBS)} {rng.choice(SIDES)}"
        f" the {place}."
    )


def _phrase(rng: random.Random, unseen: bool) -> str:
    if not unseen and rng.random() < NAMED:
        return "and had the entire neighborhood searching everywhere"
    thing, place = _pair(rng, unseen)
    return f"and had seen the {rng.choice(QUALITIES)} {thing} {rng.choice(SIDES)} the {place}"


def _pause(rng: random.Random, unseen: bool) -> str:
    return " ".join(["…"] * PAUSE)


CORPUS = Remembered()
