"""What stands below the live pictures: held-out texts and how sure the accuracy is, the surest mistakes, the strongest
words, what smoothing must not forget."""

from __future__ import annotations

import math
from operator import eq

import numpy as np

from engine import frame as fr
from engine.analysis.mistakes import Judged
from engine.core.trace import Kind
from engine.language.message import _, refusal
from engine.lessons.bag.bayes import NaiveBayes, added, posterior
from engine.lessons.bag.evaluate import DRAWS, Result, evaluate, top_words
from engine.lessons.bag.head import Chosen
from engine.views.theme import shorten

NAIVE = {"multinomial": "Multinomial naive Bayes", "bernoulli": "Bernoulli naive Bayes"}
KINDS = {**NAIVE, "tfidf": "TF-IDF, nearest centroid"}
EPS, MOST_WORDS, LISTED = 0.01, 40, 12
K = fr.shared(fr.number("Smoothing k", 0.0, 1000.0, 1.0, 0.05, "%g"))
NONE_HELD = "No text is held out of these: choose others in the head of the page."


@fr.once
def judged(of: Chosen, kind: str, k: float) -> Result:
    """Measured on the held-out texts."""
    read = of.centroids if kind == "tfidf" else NaiveBayes(of.counts, k, kind)
    return evaluate(read.predict, of.counts.classes, of.held.labels, of.held.texts)


@fr.once
def answered(of: Chosen, kind: str, k: float) -> Judged:
    """The held-out texts, each with its posterior; none where that is 0 / 0."""
    classes, model = of.counts.classes, NaiveBayes(of.counts, k, kind)
    found = [model.read(text).posterior_C for text in of.held.texts]
    none_C = np.full(len(classes), np.nan)
    p_DC = np.stack([none_C if p_C is None else p_C for p_C in found])
    return Judged(classes, np.array([classes.index(name) for name in of.held.labels]), p_DC)


def percent(value: float) -> str:
    return "none" if math.isnan(value) else f"{100 * value:.1f} %"


@fr.part(
    "Does it work on held-out texts?",
    was=("accuracy", "judge", "How certain is the accuracy?", "part-how-certain-is-the-accuracy"),
)
def accuracy(
    labelled: Chosen, kind: str = fr.pick("Classes of", KINDS, width=260), k: float = K
) -> fr.Blocks:
    if not labelled.held.labels:
        raise ValueError(NONE_HELD)
    results = {title: judged(labelled, id, k) for id, title in KINDS.items()}
    one, guess = results[KINDS[kind]], int(labelled.counts.docs_C.argmax())
    yield _(
        "{right:,} of {n:,} are classified correctly: {share}. Always predicting the most common class would"
        " get {commonest}.",
        right=sum(map(eq, one.true, one.said)),
        n=len(one.true),
        share=percent(one.accuracy),
        commonest=percent(one.true.count(one.classes[guess]) / len(one.true)),
    )
    ends = {title: found.interval() for title, found in results.items()}
    intervals = fr.table(
        ("reading", "accuracy", "95 % of resamples"),
        [
            (title, percent(found.accuracy), " to ".join(map(percent, ends[title])))
            for title, found in results.items()
        ],
    )
    by_class = fr.table(
        ("class", "precision", "recall", "F1", "texts"),
        [
            (shorten(name, 30), *map(percent, shares), texts)
            for name, *shares, texts in one.by_class()
        ],
    )
    names = [shorten(name, 24) for name in one.classes]
    said = [*names, "no answer"] if None in one.said else names
    title, how = "Confusion matrix", "true classes in rows, predicted ones in columns"
    counts = one.confusion[:, : len(said)].astype(float)
    axes = ("row", names), ("column", said)
    confusion = fr.grid("confusion", title, counts, *axes, Kind.COUNT, how, fluid=True)
    yield fr.Beside([[confusion], [intervals, by_class]], (2, 3))
    widest = max(high - low for low, high in ends.values())
    yield fr.Note(
        _(
            "Bootstrap: the {n:,} held-out texts are resampled {draws:,} times with replacement, and the"
            " accuracy of each resample is computed. The widest interval spans {points:.1f} points; smaller"
            " differences between two classifiers mean little here. Precision: share of predicted members of"
            " a class that are correct. Recall: share of its true members that are found. F1 is their"
            " harmonic mean.",
            n=len(labelled.held.labels),
            draws=DRAWS,
            points=100 * widest,
        )
    )


@fr.part("Which mistakes is it surest of?", was=("mistakes",))
def mistakes(
    labelled: Chosen, kind: str = fr.pick("Classifier", NAIVE, width=260), k: float = K
) -> fr.Blocks:
    if not labelled.held.labels:
        raise ValueError(NONE_HELD)
    found = answered(labelled, kind, k)
    worst, total = found.worst(), int(found.answered_D.sum())
    if not worst:
        yield _("All {n:,} answers are right: there is no mistake to look at.", n=total)
        return
    yield _(
        "**{wrong:,} of {total:,}** answers are wrong. Where it is right, it is {sure:.0f} % sure on average;"
        " where it is wrong, {unsure:.0f} %.",
        wrong=len(worst),
        total=total,
        sure=100 * found.sure(True),
        unsure=100 * found.sure(False),
    )
    names = [shorten(name, 24) for name in found.classes]
    rows = [
        (
            float(found.confidence_D[d]),
            f"{names[found.true_D[d]]} → {names[found.said_D[d]]}",
            shorten(labelled.held.texts[d], 200),
        )
        for d in worst[:LISTED]
    ]
    yield fr.table(("sure", "true → predicted", "text"), rows, forms={"sure": fr.SHARE})
    if len(worst) > LISTED:
        yield fr.Note(_("The first {n} of {all:,}.", n=LISTED, all=len(worst)))


@fr.part("Which words carry the most evidence?", was=("words",))
def words(
    labelled: Chosen,
    kind: str = fr.pick("Classifier", NAIVE, width=260),
    k: float = K,
    label: str = fr.pick("For", lambda given: given["labelled"].counts.classes, width=260),
) -> fr.Blocks:
    classes = labelled.counts.classes
    found = top_words(NaiveBayes(labelled.counts, k, kind), classes.index(label))
    if not found:
        raise ValueError("No word is evidence for it.")
    yield fr.table(
        ("word", "bits for it", "here", "elsewhere"),
        [
            (shorten(word, 30), "only here" if math.isinf(bits) else f"{bits:.2f}", here, there)
            for word, bits, here, there in found
        ],
        width=480,
    )
    yield fr.Note(
        _(
            "Log-odds, log2 P(w | class) − log2 P(w | {rest}). Here and elsewhere: {what}. A word with few"
            " counts can rank high by chance: look at the counts beside it.",
            rest=_("the other class" if len(classes) == 2 else "the other classes together"),
            what=_("texts with the word" if kind == "bernoulli" else "times it occurs there"),
        )
    )


def begun(given: fr.Others) -> str:
    """What stands above, where a word of it is counted."""
    of: Chosen = given["labelled"]
    above: str = given["above"]
    return above if of.counts.bag(above)[0] else of.counted.texts[0]


@fr.part("Add a small amount, then renormalise", was=("eps",))
def amount(
    labelled: Chosen, above: str, sample: str = fr.typed("A text", begun, 300, width=520, live=True)
) -> fr.Blocks:
    counts = labelled.counts
    yield _(
        "A common shortcut adds a small amount to every entry. With {eps:g} added to each counted P(w |"
        " class), the entries of a class no longer sum to 1 but to 1 + {eps:g} · {words:,} = {sum:.4g}, until"
        " they are divided by that sum.",
        eps=EPS,
        words=len(counts.vocab),
        sum=1 + EPS * len(counts.vocab),
    )
    known = [counts.vocab[v] for v, n in counts.bag(sample)[0].items() for _n in range(n)]
    if not 0 < len(known) <= MOST_WORDS or not counts.total_C.all():
        raise refusal("Type 1 to {MOST_WORDS} counted words to see what it does to them.")
    names = [shorten(name, 24) for name in counts.classes]
    rows = []
    for again in (False, True):
        joint_C = added(counts, known, EPS, again)
        with np.errstate(divide="ignore"):
            share_C = posterior(np.log2(joint_C))
        row = {"the entries": "divided" if again else "not divided"}
        row |= {
            _("prior × likelihood, {names}", names=names[c]): f"{joint_C[c]:.6g}" for c in (-1, 0)
        }
        row[f"P({names[-1]})"] = "0 / 0" if share_C is None else f"{share_C[-1]:.6f}"
        rows.append(row)
    yield fr.Rows(rows)
    yield fr.Note(
        "Priors as counted. The posterior is unchanged, because all classes are divided by the same number;"
        " the likelihood is not. Adding k to every count, as the slider does, keeps every class at a sum of"
        " 1, and helps a class with few words more than one with many."
    )


PARTS = (accuracy, mistakes, words, amount)
