"""Below the live part of the bag of words page: how sure the accuracy is, the strongest words, what
smoothing must not forget."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import streamlit as st

from engine.analysis.bag_of_words import logistic
from engine.analysis.bag_of_words.bayes import NaiveBayes, added, posterior
from engine.analysis.bag_of_words.evaluate import DRAWS, Result, evaluate, top_words
from engine.analysis.mistakes import Judged
from engine.live.markdown import escape
from engine.views import theme
from pages.ui import ask
from pages.ui import rows as table
from pages.ui.bag import mistakes, pictures
from pages.ui.bag.texts import Chosen

KINDS = {
    "multinomial": "Multinomial naive Bayes",
    "bernoulli": "Bernoulli naive Bayes",
    "tfidf": "TF-IDF, nearest centroid",
}
EPS = 0.01
TEN = 388  # pixels of a table of ten rows
MOST_WORDS = 40  # in the example of the small amount


@dataclass(frozen=True)
class State:
    """What is on the screen.  `share` is the prior of class `a`, None as counted; the ladder shows
    `a` against `b`."""

    text: str
    kind: str
    k: float
    share: float | None
    a: int
    b: int

    def priors(self, chosen: Chosen) -> tuple[float, ...] | None:
        """The others keep their proportions."""
        if self.share is None:
            return None
        from_C = chosen.counts.priors
        rest = 1 - from_C[self.a]
        return tuple(
            self.share if c == self.a else (1 - self.share) * float(p) / rest
            for c, p in enumerate(from_C)
        )

    def model(self, chosen: Chosen, kind: str = "") -> NaiveBayes:
        kind = kind or self.kind
        return NaiveBayes(
            chosen.counts, self.k, "multinomial" if kind == "tfidf" else kind, self.priors(chosen)
        )


def show(chosen: Chosen, s: State) -> None:
    names = [escape(theme.shorten(name, 24)) for name in chosen.counts.classes]
    if chosen.held.labels:
        st.subheader("How certain is the accuracy?", anchor="accuracy")
        accuracy(chosen, s)
        st.subheader("Which mistakes is it surest of?", anchor="mistakes")
        surest(chosen, s)
    st.subheader("Which words carry the most evidence?", anchor="words")
    strongest(chosen, s, names)
    with st.container(key="pictures"), st.expander("Pictures to save"):
        result = judge(chosen, s, s.kind) if chosen.held.labels else None
        pictures.show(chosen, s, KINDS[s.kind], result)
    with st.container(key="eps"), st.expander("Add a small amount, then renormalise"):
        amount(chosen, s, names)


def judge(chosen: Chosen, s: State, kind: str) -> Result:
    """What is on the screen, read the way of `kind`, measured on the held-out texts."""
    return _judged((chosen.key, chosen.title, kind, s.k, s.share, s.a), kind, chosen, s)


@st.cache_data(max_entries=200, show_spinner=False)
def _judged(key: tuple[object, ...], kind: str, _chosen: Chosen, _s: State) -> Result:
    predict = _chosen.centroids.predict if kind == "tfidf" else _s.model(_chosen, kind).predict
    return evaluate(predict, _chosen.counts.classes, _chosen.held.labels, _chosen.held.texts)


@st.cache_data(max_entries=20, show_spinner="Training …")
def regression(key: str, title: str, _chosen: Chosen) -> Result:
    predict = logistic.fit(_chosen.counted.labels, _chosen.counted.texts, *_chosen.weighing)
    return evaluate(predict, _chosen.counts.classes, _chosen.held.labels, _chosen.held.texts)


def accuracy(chosen: Chosen, s: State) -> None:
    results = {title: judge(chosen, s, kind) for kind, title in KINDS.items()}
    if ask.toggle(
        "Compare with logistic regression on the same TF-IDF (scikit-learn; its first call takes a"
        " few seconds)",
        "logistic",
    ):
        results["TF-IDF, logistic regression"] = regression(chosen.key, chosen.title, chosen)
    n = len(chosen.held.labels)
    rows = [(title, r.accuracy, *r.interval()) for title, r in results.items()]
    left, right = st.columns(2, gap="medium")
    with left:
        table.show(
            {
                "reading": [r[0] for r in rows],
                "accuracy": [f"{100 * r[1]:.1f} %" for r in rows],
                "95 % of resamples": [f"{100 * r[2]:.1f} % to {100 * r[3]:.1f} %" for r in rows],
            },
            "bag.accuracy",
        )
        widest = max(r[3] - r[2] for r in rows)
        doubt = (
            f"The widest interval spans {100 * widest:.1f} points; smaller differences between"
            " two classifiers mean little here."
            if widest
            else "All resamples are alike, because all texts or none are classified correctly;"
            " that does not prove that the next text will be."
        )
        st.caption(
            f"Bootstrap: the {n:,} held-out texts are resampled {DRAWS:,} times with"
            f" replacement, and the accuracy of each resample is computed. {doubt}"
        )
    with right:
        found = results[KINDS[s.kind]].by_class()
        table.show(
            {
                "class": [theme.shorten(r[0], 30) for r in found],
                "precision": [_percent(r[1]) for r in found],
                "recall": [_percent(r[2]) for r in found],
                "F1": [_percent(r[3]) for r in found],
                "texts": [r[4] for r in found],
            },
            "bag.classes",
        )
        st.caption(
            f"{KINDS[s.kind]}. Precision: share of predicted members of a class that are"
            " correct. Recall: share of its true members that are found. F1 is their harmonic"
            " mean."
        )


@st.cache_data(max_entries=50, show_spinner=False)
def _answers(key: tuple[object, ...], _chosen: Chosen, _model: NaiveBayes) -> Judged:
    """Of the held-out texts, each with its posterior; none where that is 0 / 0."""
    classes = _chosen.counts.classes
    none_C = np.full(len(classes), np.nan)
    found = [_model.read(text).posterior_C for text in _chosen.held.texts]
    p_DC = np.stack([none_C if p_C is None else p_C for p_C in found])
    place = {name: c for c, name in enumerate(classes)}
    return Judged(classes, np.array([place[name] for name in _chosen.held.labels]), p_DC)


def surest(chosen: Chosen, s: State) -> None:
    model = s.model(chosen)
    key = (chosen.key, chosen.title, model.kind, s.k, s.share, s.a)
    found = _answers(key, chosen, model)
    of = f"{KINDS[model.kind]}, {chosen.title}"
    mistakes.show(found, chosen.held.texts, of, "bag", model.kind, matrix=False)
    if s.kind == "tfidf":
        st.caption("These belong to multinomial naive Bayes; a cosine is no probability.")


def strongest(chosen: Chosen, s: State, names: list[str]) -> None:
    model = s.model(chosen)
    what = "texts with the word" if model.kind == "bernoulli" else "times it occurs there"
    rest = "the other classes together" if len(names) > 2 else "the other class"
    if s.kind == "tfidf":
        st.caption("These odds belong to multinomial naive Bayes; the centroids have none.")
    for column, c in zip(st.columns(2, gap="medium"), (s.a, s.b), strict=True):
        found = top_words(model, c)
        with column:
            st.markdown(f"**For {names[c]}, against {rest}**")
            if not found:
                st.caption("No word is evidence for it.")
                continue
            bits = ["only here" if math.isinf(r[1]) else f"{r[1]:.2f}" for r in found]
            table.show(
                {
                    "word": [theme.shorten(r[0], 30) for r in found],
                    "bits for it": bits,
                    "here": [r[2] for r in found],
                    "elsewhere": [r[3] for r in found],
                },
                f"bag.top{c}",
                tallest=TEN,
            )
    st.caption(
        f"Log-odds, log2 P(w | class) − log2 P(w | {rest}), k = {s.k:g}. Here and elsewhere:"
        f" {what}. A word with few counts can rank high by chance: look at the counts beside"
        " it."
    )


def amount(chosen: Chosen, s: State, names: list[str]) -> None:
    counts = chosen.counts
    bag, _ = counts.bag(s.text)
    words = [counts.vocab[v] for v, n in bag.items() for _ in range(n)]
    st.markdown(
        f"A common shortcut adds a small amount to every entry. With {EPS} added to each"
        f" counted P(w | class), the entries of a class no longer sum to 1 but to 1 + {EPS} ·"
        f" {len(counts.vocab):,} = {1 + EPS * len(counts.vocab):.4g}, until they are divided"
        " by that sum."
    )
    if not words or len(words) > MOST_WORDS or not counts.total_C.all():
        st.caption(f"Type 1 to {MOST_WORDS} counted words above to see what it does to them.")
        return
    one, other = (theme.shorten(counts.classes[c], 24) for c in (s.a, s.b))
    rows = []
    for again in (False, True):
        joint_C = added(counts, words, EPS, again)
        with np.errstate(divide="ignore"):
            share_C = posterior(np.log2(joint_C))
        rows.append(
            {
                "the entries": "divided" if again else "not divided",
                f"prior × likelihood, {one}": f"{joint_C[s.a]:.6g}",
                f"prior × likelihood, {other}": f"{joint_C[s.b]:.6g}",
                f"P({one})": "0 / 0" if share_C is None else f"{share_C[s.a]:.6f}",
            }
        )
    table.show(rows, "bag.eps")
    st.caption(
        "Priors as counted. The posterior is unchanged, because all classes are divided by the"
        " same number; the likelihood is not. Adding k to every count, as the slider does,"
        " keeps every class at a sum of 1, and helps a class with few words more than one with"
        " many."
    )


def _percent(value: float) -> str:
    return "none" if math.isnan(value) else f"{100 * value:.1f} %"
