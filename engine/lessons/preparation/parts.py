"""What stands below the live pictures: the stems of the words, what a pipeline gains and loses, the danger of
"not", the ways to cut "don't", what a lemma needs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine import frame as fr
from engine.language.message import _
from engine.language.numbers import number
from engine.text.collection.beginning import beginning, by_label, left_out
from engine.text.corpora.reviews import CORPUS as REVIEWS
from engine.text.preparation import lancaster, lemma, porter, sentences, snowball, stopwords, tokens
from engine.text.preparation.base import words
from engine.text.preparation.effect import Effect, Judge, accuracy, effect
from engine.text.preparation.pipeline import STRAIGHT, Pipeline

MOST_LINES, FEW_LINES, WIDTH = 600, 20, 100
MOST_CHARACTERS = 4_000_000  # of a long text; the lines come from all over them
PLAIN = "cut at white space"
CHAINS = {
    PLAIN: "none",
    "usual order": STRAIGHT,
    "usual order, stop words": f"{STRAIGHT}-stopwords.sklearn",
    "usual order, Porter": f"{STRAIGHT}-porter",
    "usual order, lemma": f"{STRAIGHT}-lemma.en",
}
MINE, OWN = "yours", "own"
LISTS = {
    "no list": "tokens",
    **{words: f"tokens-stopwords.{id}" for id, words in stopwords.CHOICES.items()},
}
CUTS = {"kept whole": "whole", "at every sign": "apart", "as the Penn Treebank": "penn"}


def lines(id: str, typed: str) -> list[str]:
    """The lines measured on; of a long text MOST_LINES evenly spread over it."""
    text = typed if id == OWN else beginning(id, MOST_CHARACTERS)
    found = [line for line in text.splitlines() if line.strip()]
    if id == OWN and len(found) < FEW_LINES:
        found = sentences.PREPARATION.apply(" ".join(found)).after.split("\n")
    places = np.linspace(0, len(found) - 1, min(MOST_LINES, len(found))).astype(int)
    return [found[i] for i in places]


@fr.once
def measured(id: str, typed: str, written: str) -> Effect:
    return effect(lines(id, typed), Pipeline.read(written))


@fr.once
def judged(written: str) -> tuple[float, float]:
    return accuracy(REVIEWS.labelled(), Pipeline.read(written))


def compared(written: str) -> dict[str, str]:
    """The pipelines by name: the reader's own besides, unless it is one of the others."""
    mine = Pipeline.read(written).write()
    same = any(Pipeline.read(other).write() == mine for other in CHAINS.values())
    return CHAINS if same else {MINE: mine, **CHAINS}


@fr.part("Gain and loss", was=("prep_on", "prep_part", "preparation.gain.text"))
def gain(
    mine: str,
    on: str = fr.pick(
        "Measured on",
        lambda given: {
            **{c.id: label for label, c in by_label().items()},
            OWN: "what is typed here",
        },
        "reviews",
        width=320,
    ),
    pipeline: str = fr.pick(
        "Pipeline",
        tuple(CHAINS.values()),
        STRAIGHT,
        words=lambda chain: next((name for name, c in CHAINS.items() if c == chain), str(chain)),
        free=900,
        width=320,
        help="Or the steps of yours, as they stand in the address of this page.",
    ),
    *,
    sample: str = fr.typed("Your text", lambda given: given["mine"], 20_000, "Type here", tall=100),
) -> fr.Blocks:
    if on == OWN:
        yield fr.Controls(["sample"])
    elif note := left_out(on, MOST_CHARACTERS):
        yield fr.Note(note)
    try:
        count = len(lines(on, sample))
    except LookupError as problem:
        raise ValueError(str(problem)) from problem
    if count < 2:
        raise ValueError(
            "The text has too few lines or sentences to measure: type or choose another."
        )
    typed = sample if on == OWN else ""
    chains = compared(pipeline)
    found = {name: measured(on, typed, chain) for name, chain in chains.items()}
    right = {name: judged(chain) for name, chain in chains.items()}
    rows = [row(name, found[name], *right[name]) for name in chains]
    yield fr.Rows(rows, {name: fr.WHOLE for name in rows[0] if isinstance(rows[0][name], int)})
    series: fr.Series = {
        name: ([x for x, _v in m.curve], [v for _x, v in m.curve]) for name, m in found.items()
    }
    title = "Number of different tokens among the first tokens read"
    curve = fr.curves("vocabulary", title, series, "tokens read", "different tokens")
    name = next(
        n for n, c in chains.items() if Pipeline.read(c).write() == Pipeline.read(pipeline).write()
    )
    yield fr.Beside([[curve], [judge_difference(name, right, count)]], (3, 2))
    done = Pipeline.read(pipeline)
    if on == OWN:
        made = "\n".join(" ".join(done.tokens(line)) for line in sample.split("\n"))
        yield fr.Download("Save the typed text, prepared", "prepared.txt", made.encode)


def row(name: str, m: Effect, share: float, error: float) -> dict[str, Any]:
    return {
        "pipeline": name,
        "tokens": m.tokens,
        "vocabulary": m.types,
        "types / tokens": "n/a" if math.isnan(m.ratio) else f"{m.ratio:.3f}",
        "unknown": "too few lines" if math.isnan(m.unknown) else f"{100 * m.unknown:.1f} %",
        "reviews classified correctly": f"{100 * share:.1f} ± {100 * error:.1f} %",
        _("weights of {width}-d embedding", width=WIDTH): m.types * WIDTH,
    }


def judge_difference(mine: str, right: dict[str, tuple[float, float]], count: int) -> fr.Words:
    """What the table means, and whether the difference may be chance."""
    (a, error), (b, other) = right[mine], right[PLAIN]
    return _(
        "Measured on {n:,} lines. *Vocabulary*: different tokens; each needs its own row of weights in an"
        " embedding. *Unknown*: in every eleventh line, the share of tokens that no other line has."
        " *Classified correctly*: naive Bayes on short reviews that it was not trained on, with the"
        " standard error; yours differs from none by {points} points, and below {noise} it may be chance."
        " A smaller vocabulary is not better in itself: with a single word left, nothing is unknown and"
        " nothing is said. A model trained on raw text needs raw text: prepare yours as its training text"
        " was.",
        n=count,
        points=number(100 * abs(a - b)),
        noise=number(200 * math.hypot(error, other)),
    )


@fr.once
def judge(written: str) -> Judge:
    return Judge.trained(REVIEWS.labelled(), Pipeline.read(written))


@fr.part("The danger of “not”", was=("prep_film0",))
def negation(
    first: str = fr.typed("First sentence", "The movie was not very good.", 200, width=340),
    second: str = fr.typed("Second sentence", "The movie was very good.", 200, width=340),
) -> fr.Blocks:
    rows = []
    for name, written in LISTS.items():
        cut = [" ".join(Pipeline.read(written).tokens(text)) for text in (first, second)]
        p = judge(written).probability([first, second], "positive")
        rows.append(
            {
                "stop list": name,
                "first, after removal": cut[0],
                "second, after removal": cut[1],
                "first: P(positive)": f"{100 * p[0]:.1f} %",
                "second: P(positive)": f"{100 * p[1]:.1f} %",
                "same": "yes" if cut[0] == cut[1] else "no",
            }
        )
    yield fr.Rows(rows)
    yield _(
        "P(positive) comes from naive Bayes trained on {n} short reviews with the same list. Scikit-learn's"
        " list of 318 contains “not”, and “very” too: both film sentences become **movie good .** Where"
        " *same* says yes, no model of any kind can tell the sentences apart. Keeping “not” makes them"
        " different, but this classifier still does not understand negation: it counts single words and"
        " cannot tell what “not” belongs to. A model that reads in order can.",
        n=len(REVIEWS.labelled()),
    )


@fr.part("Three ways to cut “don’t”", was=("prep_cut", "preparation.contraction.text"))
def contraction(
    sample: str = fr.typed(
        "A text with contractions", "I don't know, we can't go: it's John's!", 300, width=520
    ),
) -> fr.Blocks:
    found = [tokens.PREPARATION.apply(sample, cut).after.split() for cut in CUTS.values()]
    rows = [
        (how, "   ".join(pieces), len(pieces), len({*pieces}))
        for how, pieces in zip(CUTS, found, strict=True)
    ]
    yield fr.table(("how", "tokens", "count", "different"), rows)
    yield (
        "All three are in use. *Whole*: “don't” is one word that has nothing in common with “do” or “not”."
        " *At every sign*: the “t” means nothing by itself. *Penn Treebank*: “n't” is a token of its own,"
        " so “don't”, “can't” and “isn't” share one token for the negation; but “ca” is not a word. German"
        " writes compounds as one word: Freundschaftsbezeugung (a demonstration of friendship) stays one"
        " token in all three. To split it takes a lexicon, or pieces of words (*Tokenizers*)."
    )


MOST_WORDS = 40
LEMMAS = {name: code for code, name in lemma.LANGUAGES.items()}
LANGUAGES = {id: name for id, name in snowball.LANGUAGES.items() if name in LEMMAS}


@fr.part("Every word cut four ways", was=("stems",))
def stems(
    above: str,
    sample: str = fr.typed("A text", lambda given: given["above"], 600, width=520, live=True),
    language: str = fr.pick("Language", LANGUAGES, "english"),
) -> fr.Blocks:
    yield (
        "Three stemmers cut off endings by rules; a list gives the lemma. Porter's rules are for English; the"
        " last column says what each of them made of the word."
    )
    found = list(dict.fromkeys(word[0].lower() for word in words(sample)))
    if not found:
        raise ValueError("No words to cut.")
    code = LEMMAS[LANGUAGES[language]]
    made = [
        (w, porter.stem(w), snowball.stem(w, language), lancaster.stem(w), lemma.lemma(w, code))
        for w in found[:MOST_WORDS]
    ]
    heads = ("word", "Porter", "Snowball", "Lancaster", "lemma")
    rules = [" → ".join(f"{after} ({phase})" for phase, after in porter.trace(w)) for w, *_ in made]
    rows = [(*row, how) for row, how in zip(made, rules, strict=True)]
    yield fr.table((*heads, "Porter’s rules"), rows, widths={"Porter’s rules": 320})
    yield _(
        "{n:,} different {n|word|words}; stems and lemmas that differ: {ways}.",
        n=len(found),
        ways=", ".join(
            f"{len({row[k] for row in made})} {name}" for k, name in enumerate(heads[1:], 1)
        ),
    )
    if len(found) > MOST_WORDS:
        yield fr.Note(_("The first {n} of {all:,}.", n=MOST_WORDS, all=len(found)))


@fr.part("What a lemma needs")
def lemmas() -> fr.Blocks:
    names = ("word", "part of speech", "its lemma", "as in", "what the list says")
    rows = [(*row, lemma.lemma(row[0])) for row in lemma.BY_PART]
    yield fr.table(names, rows)
    yield _(
        "A word can be two parts of speech and have two lemmas. The list sees only the word and gives one"
        " lemma: here it is wrong in {wrong} of {n} rows. The right choice needs a tagger that reads the"
        " sentence first (*Task shapes* has one). As an adjective, “worse” belongs to “bad”; the list says"
        " “wrong”. The lemma of a noun is a noun: for “democratization” it is not “democratize”. And a"
        " lemma is a valid word only if the list knows the word: unknown words stay as they are.",
        wrong=sum(row[2] != row[4] for row in rows),
        n=len(rows),
    )


PARTS = (stems, gain, negation, contraction, lemmas)
