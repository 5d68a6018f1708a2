"""Pairs of sentences, English and French, from a grammar of our own: it is known which word stands
for which.

What      a phrase is built in both languages at once; every word carries numbers of what it stands
          for (links), so two words that share a link are translations of each other
Source    the word alignments of Brown et al., The Mathematics of Statistical Machine Translation,
          1993, here planted, not estimated
Shapes    a line is English, a tab, French; no line is written twice
Differs   The French is that of this small grammar: one verb form for each of two tenses, adjectives
          with a fixed place.
          "It" is the one noun of the sentence before it, or the one of two nouns that what is said
          of it can be true of.
          Every word here was written for this project.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import count, islice

FIRST = ("The cat sat on the mat", "Le chat s'est assis sur le tapis")
VOWELS = "aeiouyâàéèêîôœh"  # every h of this vocabulary is silent
ELIDED = ("le", "la", "ne", "se", "que")

Word = tuple[str, frozenset[int]]


@dataclass(frozen=True, slots=True)
class Phrase:
    """The same thing said twice: words with their links."""

    english: tuple[Word, ...] = ()
    french: tuple[Word, ...] = ()

    def __add__(self, other: Phrase) -> Phrase:
        return Phrase(self.english + other.english, self.french + other.french)


@dataclass(frozen=True, slots=True)
class Pair:
    """One line; `links` are (place among the English words, place among the French words)."""

    english: str
    french: str
    links: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Noun:
    """`kind` is ms, fs, mp or fp: gender and number."""

    english: str
    french: str
    kind: str

    @property
    def many(self) -> bool:
        return self.kind[1] == "p"


KINDS = ("ms", "fs", "mp", "fp")
ARTICLES = {"ms": "le", "fs": "la", "mp": "les", "fp": "les"}
SOME = {"ms": "un", "fs": "une", "mp": "des", "fp": "des"}
IT = {"ms": "il", "fs": "elle", "mp": "ils", "fp": "elles"}


def _nouns(text: str) -> list[Noun]:
    """ "cat/cats chat/chats m" gives both numbers; a lone word takes an s in the plural."""
    found = []
    for line in text.split("\n"):
        english, french, gender = line.split()
        (one, many), (un, des) = ([*word.split("/"), f"{word}s"][:2] for word in (english, french))
        found += [Noun(one, un, f"{gender}s"), Noun(many, des, f"{gender}p")]
    return found


def _adjectives(text: str) -> list[tuple[str, dict[str, str]]]:
    """ "small petit petite petits petites"."""
    return [
        (line.split()[0], dict(zip(KINDS, line.split()[1:], strict=True)))
        for line in text.split("\n")
    ]


def _verbs(text: str) -> list[tuple[str, ...]]:
    """eat, eats, ate; mange, mangent, mangé."""
    return [tuple(line.split()) for line in text.split("\n")]


ANIMALS = _nouns(
    "cat chat m\ndog chien m\nmouse/mice souris/souris f\nbird oiseau/oiseaux m\nhorse"
    " cheval/chevaux m\ncow vache f\nfox/foxes renard m\ngoat chèvre f\nhen poule f\nrabbit lapin"
    " m\nwolf/wolves loup m\nfrog grenouille f\nbear ours/ours m\nbee abeille f"
)
PEOPLE = _nouns(
    "girl fille f\nboy garçon m\nking roi m\nqueen reine f\nwoman/women femme f\nman/men homme"
    " m\nbaker boulanger m\nsister sœur f\nbrother frère m"
)
THINGS = _nouns(
    "letter lettre f\nbook livre m\nkey clé f\nhat chapeau/chapeaux m\nflower fleur f\nball balle"
    " f\ncake gâteau/gâteaux m\ncheese/cheeses fromage m\nlamp lampe f\nbox/boxes boîte f\nring"
    " bague f\nknife/knives couteau/couteaux m"
)
SEATS = _nouns(
    "mat tapis/tapis m\ntable table f\nchair chaise f\nbed lit m\nbench/benches banc m\nroof toit"
    " m\ntree arbre m\nstone pierre f\nwall mur m"
)
ROOMS = _nouns(
    "garden jardin m\nhouse maison f\nforest forêt f\nkitchen cuisine f\nvillage village"
    " m\nchurch/churches église f"
)
WAYS = _nouns(
    "street rue f\nriver rivière f\nbridge pont m\nroad route f\nfield champ m\ntunnel tunnel m"
)

BEFORE = _adjectives(
    "small petit petite petits petites\nbig grand grande grands grandes\nyoung jeune jeune jeunes"
    " jeunes\nfat gros grosse gros grosses"
)
AFTER = _adjectives(
    "black noir noire noirs noires\nwhite blanc blanche blancs blanches\nred rouge rouge rouges"
    " rouges\ngreen vert verte verts vertes\nbrown brun brune bruns brunes\ngrey gris grise gris"
    " grises\nblue bleu bleue bleus bleues\nsad triste triste tristes tristes\nhappy heureux"
    " heureuse heureux heureuses\nstrange étrange étrange étranges étranges"
)
STATES = _adjectives(
    "tired fatigué fatiguée fatigués fatiguées\nhungry affamé affamée affamés affamées\nsick malade"
    " malade malades malades\nafraid effrayé effrayée effrayés effrayées\nlazy paresseux paresseuse"
    " paresseux paresseuses"
)
TROUBLES = _adjectives(
    "wide large large larges larges\nlong long longue longs longues\nnarrow étroit étroite étroits"
    " étroites\ndangerous dangereux dangereuse dangereux dangereuses\nclosed fermé fermée fermés"
    " fermées"
)
DOES = _verbs(
    "see sees saw voit voient vu\nfind finds found trouve trouvent trouvé\nlose loses lost perd"
    " perdent perdu\nwatch watches watched regarde regardent regardé\nlove loves loved aime aiment"
    " aimé\ncarry carries carried porte portent porté\nhide hides hid cache cachent caché\ntake"
    " takes took prend prennent pris\neat eats ate mange mangent mangé\nsell sells sold vend"
    " vendent vendu\nhear hears heard entend entendent entendu"
)
CROSSES = _verbs(
    "cross crosses crossed traverse traversent traversé\nleave leaves left quitte quittent"
    " quitté\nfind finds found trouve trouvent trouvé"
)
SITS = (("sit", "sat", "assis"), ("stop", "stopped", "arrêté"), ("rest", "rested", "reposé"))
ON = (("on", "sur"), ("under", "sous"), ("behind", "derrière"))


class Phrases:
    """`lines` pairs, all different; the same for the same seed on every machine."""

    id = "phrases"
    title = "English and French"
    says = (
        "Sentences with their translation from a grammar of our own; which word stands for which is"
        " known."
    )
    licence = "CC0 1.0"

    def __init__(self, lines: int = 20_000, seed: int = 0) -> None:
        self.lines, self.seed = lines, seed

    def text(self) -> str:
        return "\n".join(f"{pair.english}\t{pair.french}" for pair in self.pairs) + "\n"

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        return tuple(self.generate(self.lines, self.seed))

    def unseen(self, lines: int, seed: int) -> list[tuple[str, str]]:
        """English and French of so many pairs whose English is not among its own."""
        known = {pair.english for pair in self.pairs}
        new = (pair for pair in self.generate(2 * lines, seed) if pair.english not in known)
        return [(pair.english, pair.french) for pair in islice(new, lines)]

    def generate(self, lines: int, seed: int) -> Iterator[Pair]:
        """So many pairs, the first one always that of the mat."""
        rng, met = random.Random(seed), {FIRST[0]}
        yield Pair(*FIRST, ((0, 0), (1, 1), (2, 2), (2, 3), (3, 4), (4, 5), (5, 6)))
        while len(met) < lines:
            made = written(Writer(rng).sentence())
            if made.english not in met:
                met.add(made.english)
                yield made


class Writer:
    """Draws one sentence; every link has a number of its own."""

    def __init__(self, rng: random.Random) -> None:
        self.rng, self.numbers = rng, count()

    def link(self, english: str, french: str) -> Phrase:
        """Words that stand for each other, all with all."""
        number = frozenset((next(self.numbers),))
        return Phrase(
            tuple((w, number) for w in english.split()), tuple((w, number) for w in french.split())
        )

    def chance(self, p: float) -> bool:
        return self.rng.random() < p

    def sentence(self) -> Phrase:
        kind = self.rng.random()
        if kind < 0.42:
            return self.transitive()
        return self.seated() if kind < 0.62 else self.described() if kind < 0.78 else self.because()

    def group(
        self, nouns: list[Noun], *, plain: bool = False, adjectives: float = 0.45
    ) -> tuple[Phrase, Noun]:
        """The small black cat / le petit chat noir: one adjective stays before its noun, one
        crosses it."""
        noun = self.rng.choice(nouns)
        before = self.adjective(BEFORE, noun) if self.chance(adjectives / 2) else Phrase()
        after = self.adjective(AFTER, noun) if self.chance(adjectives) else Phrase()
        if plain or self.chance(0.7):
            article = self.link("the", ARTICLES[noun.kind])
        elif noun.many:  # English says nothing where French says "des", or "de" before an adjective
            article = self.link("", "de" if before.french else "des")
        else:
            article = self.link("a", SOME[noun.kind])
        word = self.link(noun.english, noun.french)
        return (
            Phrase(
                article.english + before.english + after.english + word.english,
                article.french + before.french + word.french + after.french,
            ),
            noun,
        )

    def adjective(self, entries: list[tuple[str, dict[str, str]]], noun: Noun) -> Phrase:
        english, french = self.rng.choice(entries)
        return self.link(english, french[noun.kind])

    def verb(self, verb: tuple[str, ...], many: bool) -> Phrase:
        """Eats, ate, does not eat or did not eat."""
        base, one, past, fr_one, fr_many, participle = verb
        is_past, no = self.chance(0.5), self.chance(0.3)
        auxiliary, present = ("ont", fr_many) if many else ("a", fr_one)
        if not no:
            return (
                self.link(past, f"{auxiliary} {participle}")
                if is_past
                else self.link(base if many else one, present)
            )
        nothing = self.link("not", "ne pas")
        ne, pas = nothing.french
        if is_past:
            did, eat = self.link("did", auxiliary), self.link(base, participle)
            return Phrase(
                did.english + nothing.english + eat.english, (ne, *did.french, pas, *eat.french)
            )
        does, eat = self.link("do" if many else "does", ""), self.link(base, present)
        return Phrase(does.english + nothing.english + eat.english, (ne, *eat.french, pas))

    def transitive(self) -> Phrase:
        """The queen did not eat the red cake in the garden."""
        subject, who = self.group(ANIMALS + PEOPLE)
        verb = self.verb(self.rng.choice(DOES), who.many)
        object_, _ = self.group(ANIMALS + THINGS, plain=any(w == "not" for w, _ in verb.english))
        place = (
            self.link("in", "dans") + self.group(ROOMS, plain=True, adjectives=0.2)[0]
            if self.chance(0.25)
            else Phrase()
        )
        return subject + verb + object_ + place

    def seated(self) -> Phrase:
        """The cat sat on the mat / le chat s'est assis sur le tapis: the participle agrees with who
        sat."""
        subject, who = self.group(ANIMALS + PEOPLE)
        base, past, participle = self.rng.choice(SITS)
        agreed = (
            participle
            + "e" * (who.kind[0] == "f")
            + "s" * (who.kind == "fp" or (who.many and participle[-1] != "s"))
        )
        are = "sont" if who.many else "est"
        if self.chance(0.25):
            nothing, did, sit = (
                self.link("not", "ne pas"),
                self.link("did", are),
                self.link(base, f"se {agreed}"),
            )
            (ne, pas), (se, sat) = nothing.french, sit.french
            verb = Phrase(
                did.english + nothing.english + sit.english, (ne, se, *did.french, pas, sat)
            )
        else:
            verb = self.link(past, f"se {are} {agreed}")
        return subject + verb + self.link(*self.rng.choice(ON)) + self.group(SEATS, plain=True)[0]

    def described(self) -> Phrase:
        """The house is white and it is big / la maison est blanche et elle est grande."""
        subject, what = self.group(ANIMALS + THINGS + SEATS + WAYS, plain=True, adjectives=0.25)
        return (
            subject
            + self.is_(what, AFTER)
            + (
                self.link("and", "et") + self.it(what) + self.is_(what, BEFORE)
                if self.chance(0.7)
                else Phrase()
            )
        )

    def is_(
        self, noun: Noun, adjectives: list[tuple[str, dict[str, str]]], past: bool = False
    ) -> Phrase:
        english = ("were" if noun.many else "was") if past else "are" if noun.many else "is"
        be = self.link(
            english,
            ("étaient" if noun.many else "était") if past else "sont" if noun.many else "est",
        )
        if not past and self.chance(0.25):
            nothing = self.link("not", "ne pas")
            be = Phrase(
                be.english + nothing.english, (nothing.french[0], *be.french, nothing.french[1])
            )
        return be + self.adjective(adjectives, noun)

    def it(self, noun: Noun) -> Phrase:
        return self.link("they" if noun.many else "it", IT[noun.kind])

    def because(self) -> Phrase:
        """The dog did not cross the street because it was tired, or wide: what is said of it tells
        which noun it is."""
        subject, who = self.group(ANIMALS, plain=True, adjectives=0.3)
        verb = self.verb(self.rng.choice(CROSSES), who.many)
        place, where = self.group(
            [way for way in WAYS if way.many == who.many], plain=True, adjectives=0.2
        )
        meant, said = (who, STATES) if self.chance(0.5) else (where, TROUBLES)
        return (
            subject
            + verb
            + place
            + self.link("because", "parce que")
            + self.it(meant)
            + self.is_(meant, said, past=True)
        )


def written(phrase: Phrase) -> Pair:
    """The words joined, `le oiseau` to `l'oiseau`; an elided word keeps the links of both."""
    french: list[Word] = []
    for word, links in reversed(phrase.french):
        if word in ELIDED and french and french[-1][0][0] in VOWELS:
            after, others = french.pop()
            french.append((f"{word[:-1]}'{after}", links | others))
        else:
            french.append((word, links))
    french.reverse()
    meets = sorted(
        (e, f)
        for f, (_, some) in enumerate(french)
        for e, (_, ours) in enumerate(phrase.english)
        if some & ours
    )
    english, other = (" ".join(word for word, _ in words) for words in (phrase.english, french))
    return Pair(_capital(english), _capital(other), tuple(meets))


def _capital(text: str) -> str:
    return re.sub("^.", lambda m: m.group().upper(), text)


CORPUS = Phrases()
