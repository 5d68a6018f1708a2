"""Questions: made by rule from the trees of a treebank, each with the words of a passage that answer it.

What      a verb with its subject and its object: "who wrote the letter", "what did the captain write", "when did
          the captain write the letter"; the answer is the branch of the tree that the question leaves out
Source    Heilman & Smith, Good Question! Statistical Ranking for Question Generation, 2010, section 3 (questions from
          trees); pairs that are not answered: Rajpurkar, Jia & Liang, Know What You Don't Know, 2018
Differs   Only branches without a gap, of at most `LONGEST` words, are asked for. A person is not told from a thing: a
          name is asked for by who, a noun by what.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

LONGEST, WORDS = 10, 45  # words of an answer, and of a passage
MOST = 4  # questions of one sentence
TIMES = frozenset(
    "monday,tuesday,wednesday,thursday,friday,saturday,sunday,january,february,march,april,may,june,july,august,"
    "september,october,november,december,year,month,week,day,morning,evening,night,today,tomorrow,yesterday,hour,"
    "minute,time,summer,winter,spring,autumn,weekend".split(",")
)
PLACES = frozenset("in,at,near,to,from,into,on".split(","))


@dataclass(frozen=True, slots=True)
class Word:
    """start, stop  its characters in the sentence
    head         the word that it hangs from, counted from 0; -1: the root
    """

    form: str
    lemma: str
    tag: str
    features: str
    head: int
    role: str
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class Sentence:
    text: str
    words: tuple[Word, ...]
    begins: bool  # a document

    def branch(self, at: int) -> list[int]:
        """The words that hang from this one, itself among them."""
        found, more = {at}, True
        while more:
            new = {n for n, word in enumerate(self.words) if word.head in found} - found
            found |= new
            more = bool(new)
        return sorted(found)

    def written(self, first: int, last: int) -> str:
        return self.text[self.words[first].start : self.words[last].stop]


@dataclass(frozen=True, slots=True)
class Question:
    """start, stop  the characters of the answer in the passage; both 0 where it is not there"""

    asked: str
    passage: str
    start: int
    stop: int


def read(conllu: str) -> Iterator[Sentence]:
    """The sentences of a file in CoNLL-U."""
    words, text, at, begins = list[Word](), "", 0, False
    for line in [*conllu.split("\n"), ""]:
        if line.startswith("# newdoc"):
            begins = True
        elif line.startswith("# text = "):
            text = line[9:]
        elif not line:
            if words:
                yield Sentence(text, tuple(words), begins)
                begins = False
            words, at = [], 0
        else:
            number, *columns = line.split("\t")
            if number.isdigit():
                form, lemma, tag, _own, features, head, role = columns[:7]
                start = max(text.find(form, at), at)
                at = start + len(form)
                words.append(Word(form, lemma, tag, features, int(head) - 1, role, start, at))


def ask(of: Sentence) -> Iterator[tuple[str, int, int]]:
    """Questions that the sentence answers, and the characters of each answer."""
    words = of.words
    for v, verb in enumerate(words):
        below = [n for n, word in enumerate(words) if word.head == v]
        roles = {words[n].role: n for n in reversed(below)}
        subject, thing = roles.get("nsubj"), roles.get("obj")
        helps = [n for n in below if words[n].role in ("aux", "cop")]
        if subject is None or "mark" in roles or "VerbForm=Ger" in verb.features:
            continue
        who = of.branch(subject)
        if who[-1] >= min([*helps, v]) or not _whole(who) or _relative(words[subject]):
            continue
        if "cop" in roles:
            yield from _ask_what_it_is(of, v, who, helps)
        elif verb.tag == "VERB":
            yield from _ask_what_it_does(of, v, who, thing, helps)


def _ask_what_it_is(
    of: Sentence, v: int, who: Sequence[int], helps: Sequence[int]
) -> Iterator[tuple[str, int, int]]:
    rest = [n for n in of.branch(v) if n > helps[-1] and of.words[n].role != "punct"]
    if len(helps) == 1 and of.words[v].tag in ("NOUN", "PROPN") and rest and _whole(rest):
        form = of.words[helps[0]].form.lower()
        if form in ("is", "are", "was", "were") and of.words[who[0]].tag != "PRON":
            kind = "Who" if of.words[who[0]].tag == "PROPN" and len(who) < 3 else "What"
            yield _ask(kind, form, _low(of, who)), *_span(of, rest)
            yield _ask("What", form, of.written(rest[0], rest[-1])), *_span(of, who)


def _ask_what_it_does(
    of: Sentence, v: int, who: Sequence[int], thing: int | None, helps: Sequence[int]
) -> Iterator[tuple[str, int, int]]:
    words, what = of.words, [] if thing is None else of.branch(thing)
    if (what and not (v < what[0] and _whole(what))) or (thing and _relative(words[thing])):
        return
    end = what[-1] if what else v
    places = [
        (kind, place)
        for n, word in enumerate(words)
        if word.head == v and word.role in ("obl", "obl:unmarked")
        if _whole(place := of.branch(n)) and place[0] > end and (kind := _asked_by(of, place, n))
    ]
    last = end if what or not places else places[0][1][-1]
    if words[who[-1]].tag in ("NOUN", "PROPN") and last > v:
        kind = "Who" if words[who[-1]].tag == "PROPN" else "What"
        yield _ask(kind, of.written(min([*helps, v]), last)), *_span(of, who)
    if lead := _inverted(of, v, who, helps):
        if thing is not None and words[thing].tag in ("NOUN", "PROPN"):
            yield _ask("What", lead), *_span(of, what)
        rest = [of.written(what[0], what[-1])] if what else []
        for kind, place in places:
            yield _ask(kind, lead, *rest), *_span(of, place)


def _ask(*parts: str) -> str:
    return " ".join(parts) + "?"


def _inverted(of: Sentence, v: int, who: Sequence[int], helps: Sequence[int]) -> str:
    """The verb with its helper before its subject: "did the captain write"; "" where that is not simple."""
    verb, subject = of.words[v], _low(of, who)
    if helps:
        if v - helps[0] != len(helps) or of.words[helps[0]].form[:1] in "'’":
            return ""
        rest = of.written(helps[1] if len(helps) > 1 else v, v)
        return " ".join((of.words[helps[0]].form, subject, rest))
    if v != who[-1] + 1:
        return ""
    if "Tense=Past" in verb.features and "VerbForm=Fin" in verb.features:
        return " ".join(("did", subject, verb.lemma))
    if "Tense=Pres" in verb.features and "VerbForm=Fin" in verb.features:
        one = "Person=3" in verb.features and "Number=Sing" in verb.features
        return " ".join(("does" if one else "do", subject, verb.lemma))
    return ""


def _low(of: Sentence, branch: Sequence[int]) -> str:
    """A branch as it is written within a sentence."""
    said = of.written(branch[0], branch[-1])
    kept = of.words[branch[0]].tag == "PROPN" or not said[1:2].islower()
    return said if kept else said[:1].lower() + said[1:]


def _relative(word: Word) -> bool:
    return "PronType=Rel" in word.features or "PronType=Int" in word.features


def _asked_by(of: Sentence, place: Sequence[int], n: int) -> str:
    word = of.words[n]
    if word.lemma.lower() in TIMES or (word.tag == "NUM" and len(word.form) == 4):
        return "When"
    known = word.tag == "PROPN" or any(of.words[i].tag == "DET" for i in place)
    if word.role == "obl" and of.words[place[0]].form.lower() in PLACES and known:
        return "Where"
    return ""


def _whole(branch: Sequence[int]) -> bool:
    return len(branch) <= LONGEST and all(b - a == 1 for a, b in pairwise(branch))


def _span(of: Sentence, branch: Sequence[int]) -> tuple[int, int]:
    return of.words[branch[0]].start, of.words[branch[-1]].stop


def make(conllu: str, seed: int = 0) -> list[Question]:
    """Each question with the sentence that answers it and what stands around that; for each answered one, another
    that its passage does not answer: half of these have the right passage without that sentence, half have one of
    another document."""
    rng, documents = random.Random(seed), list[list[Sentence]]()
    for sentence in read(conllu):
        if sentence.begins or not documents:
            documents.append([])
        documents[-1].append(sentence)
    found, open_ones = list[Question](), list[str]()
    for document in documents:
        for at, sentence in enumerate(document):
            asked = [*ask(sentence)]
            for question, start, stop in rng.sample(asked, min(MOST, len(asked))):
                first, last = _around(document, at, rng)
                before = " ".join(one.text for one in document[first:at])
                passage = " ".join(one.text for one in document[first : last + 1])
                moved = len(before) + 1 if before else 0
                found.append(Question(question, passage, moved + start, moved + stop))
                others = [
                    one.text for n, one in enumerate(document[first : last + 1], first) if n != at
                ]
                open_ones.append(" ".join(others))
    passages = [one.passage for one in found]
    for one, rest in zip([*found], open_ones, strict=True):
        passage = rest if rest and rng.random() < 0.5 else rng.choice(passages)
        if one.passage[one.start : one.stop] not in passage:
            found.append(Question(one.asked, passage, 0, 0))
    rng.shuffle(found)
    return found


def _around(document: Sequence[Sentence], at: int, rng: random.Random) -> tuple[int, int]:
    """The first and the last sentence of a passage of at most so many words."""
    first = last = at
    count, wanted = len(document[at].words), rng.randint(0, WORDS)
    while True:
        sides = [n for n in (first - 1, last + 1) if 0 <= n < len(document)]
        sides = [n for n in sides if count + len(document[n].words) <= wanted]
        if not sides:
            return first, last
        n = rng.choice(sides)
        count += len(document[n].words)
        first, last = min(first, n), max(last, n)
