"""The live part of the page: what each word adds, three classifiers on the same words, and Bayes' rule with
the numbers of the typed text.

Shapes    C = classes, T = words shown, N = words of the whole text
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from engine import frame as fr
from engine.frame import picture as pic
from engine.lessons.bag.bayes import KINDS, NaiveBayes
from engine.lessons.bag.head import Chosen
from engine.lessons.bag.words import places, words
from engine.live import declared
from engine.live.reader import describe_unread
from engine.live.reply import ReadingPart, unread
from engine.live.stage import Stage
from engine.live.window import Window

READER, KS = "bag", (0.0, 0.01, 0.1, 1.0, 10.0)
TINY = np.finfo(float).tiny  # smaller numbers of 64 bits are rounded
HOW = (
    pic.Choice("rules", tuple((kind, kind.capitalize()) for kind in KINDS), KINDS[0], asks=True),
    pic.Choice("by", tuple((f"k{k:g}", f"k = {k:g}") for k in KS), "k1", asks=True),
)
LADDER = pic.Picture(
    "ladder",
    pic.Columns(
        pic.Rows("token", 30, "size"),
        (
            pic.Column("bits for {a:label} (right), against (left)", "worth", group="bits", wide=3),
            pic.Column("P({a:label}) so far", "so.far", colour="line-1"),
        ),
    ),
    "How the words add up",
    "How the words add up: {a:label} against {b:label}, in bits",
    (
        pic.If(
            "bernoulli",
            "Bernoulli naive Bayes: a word is present or absent, however often; every absent word counts too. k"
            " is added to every count.",
        ),
        "Multinomial naive Bayes: a word counts as often as it stands here; absent words do not count. k is"
        " added to every count.",
    ),
    (
        "{?none}A factor of 0 makes the product of every class 0, whatever the other words are: the answer is 0 /"
        " 0.",
        "“{token}”: {worth} bits for {a:label}. Counted {count.a:n} {count.a|time|times} in {a:label},"
        " {count.b:n} {count.b|time|times} in {b:label}. The prior is worth {prior} bits[{?bernoulli}, all absent"
        " words {rest}]; in the end P({a:label}) = {end:%}.",
        "“{token}” adds nothing: it was never counted, or is counted once. In the end P({a:label}) = {end:%}.",
        "Type a word to see its bar.",
    ),
    controls=HOW,
    table=pic.table("token", "word: {token} | bits: {worth} | so far: {so.far:%}"),
)
BESIDE = pic.Picture(
    "beside",
    pic.Columns(
        pic.Rows("label"),
        (
            pic.Column("Multinomial", "multinomial"),
            pic.Column("Bernoulli", "bernoulli.p", colour="line-1"),
            pic.Column("TF-IDF, cosine", "tfidf", colour="line-2", largest=True),
        ),
    ),
    "Three classifiers on the same words",
    says="Naive Bayes compares how often each word occurs in the classes, takes the logarithm of the ratio, and adds"
    " up: each word is so many bits of evidence, as if words were independent of each other. TF-IDF weighs a word by"
    " its count times idf = ln((1 + D) / (1 + texts with the word)) + 1, counted in D texts, and takes the class whose"
    " mean has the largest cosine.",
    tell=(
        "Multinomial: {many}. Bernoulli: {once}. Cosine: {cosines}.",
        "Cosine: {cosines}.",
        "Type a word.",
    ),
    side="left",
    parts={
        "many": pic.Series("label", "{label} {multinomial:%}", ", "),
        "once": pic.Series("label", "{label} {bernoulli.p:%}", ", "),
        "cosines": pic.Series("label", "{label} {tfidf}", ", "),
    },
    table=pic.table(
        "label",
        "class: {label} | Multinomial: {multinomial:%} | Bernoulli: {bernoulli.p:%} | TF-IDF: {tfidf}",
    ),
)
RULE = pic.Picture(
    "rule",
    pic.Columns(
        pic.Rows("label"),
        (
            pic.Words("prior", "{prior.p:%}"),
            pic.Words("× likelihood", "[{likelihood:power}][{?never}0]", wide=1.4),
            pic.Words("= product", "[{joint:power}][{?never}0]", wide=1.4),
            pic.Words("posterior", "[{posterior:%}][{?none}0 / 0]"),
        ),
    ),
    "Bayes' rule with these numbers",
    says="P(class | text) = P(class) × P(text | class) / P(text): each product divided by the sum of all products.",
    tell=(
        "{?none}Every class gives this text probability 0, so the rule gives 0 / 0, which is undefined. Add a little"
        " to every count: choose a k above 0.",
        "{?lost}Underflow: as 64-bit numbers these {factors:n} factors multiply to less than 2 × 10⁻³⁰⁸, which cannot"
        " be stored exactly. The sum of their logarithms can.",
        "P(text), the evidence, is the sum of the products: {evidence:power}.[ The {known:n} words can stand in"
        " {orders:power} orders, each as likely.]",
        "Type a word.",
    ),
    side="right",
    table=pic.table(
        "label",
        "class: {label} | prior: {prior.p:%} | likelihood: {likelihood:power} | product: {joint:power}"
        " | posterior: {posterior:%}",
    ),
)
PICTURES = pic.Live((), (LADDER, BESIDE, RULE), places={"label": pic.Place("label", "a")})


@fr.once
def fitted(of: Chosen, kind: str, k: float) -> NaiveBayes:
    return NaiveBayes(of.counts, k, kind)


def derive(of: Chosen, text: str, shown: Window, asks: Mapping[str, object]) -> pic.Derived:
    """The two classes that are likeliest are compared; of two classes the last with the first.  What is 0 / 0 is
    nan."""
    kind = str(asks.get("rules")) if asks.get("rules") in KINDS else KINDS[0]
    k = next((k for k in KS if asks.get("by") == f"k{k:g}"), 1.0)
    read = {name: fitted(of, name, k).read(text) for name in KINDS}
    model, now, counts = fitted(of, kind, k), read[kind], of.counts
    joint_C, posterior_C = now.joint_C, now.posterior_C
    b, a = (0, 1) if len(joint_C) == 2 else np.argsort(np.nan_to_num(joint_C, nan=-np.inf))[-2:]
    once, index = kind == "bernoulli", counts.index
    ids_N = np.array([index.get(word, -1) for word in words(text)], int)
    used_N = ids_N >= 0
    if once:
        used_N &= np.isin(np.arange(len(ids_N)), np.unique(ids_N, return_index=True)[1])
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        bits_N = np.log2(model.p_CV[a, ids_N]) - np.log2(model.p_CV[b, ids_N])
        sum_N = now.prior_C[a] - now.prior_C[b] + np.cumsum(np.where(used_N, bits_N, 0))
        far_N = 1 / (1 + np.exp2(-sum_N))
        likelihood_C = now.joint_C - now.prior_C
        cosine_C = of.centroids.parts(text)[1].sum(0)
    bits_N = np.where(used_N, bits_N, np.nan)
    table_CV = counts.docs_CV if once else counts.count_CV
    none_C = np.full(len(joint_C), np.nan)
    post = {n: none_C if (p := r.posterior_C) is None else p for n, r in read.items()}
    times = now.counts
    factors = 1 + (len(counts.vocab) if once else sum(times))
    orders = log2_factorial(sum(times)) - sum(map(log2_factorial, times))
    token, label = ("token",), ("label",)
    return {
        "worth": (token, bits_N[slice(*shown)]),
        "size": (token, np.abs(np.nan_to_num(bits_N[slice(*shown)], posinf=1e9, neginf=1e9))),
        "so.far": (token, far_N[slice(*shown)]),
        "count.a": (token, np.where(used_N, table_CV[a, ids_N], np.nan)[slice(*shown)]),
        "count.b": (token, np.where(used_N, table_CV[b, ids_N], np.nan)[slice(*shown)]),
        "multinomial": (label, post["multinomial"]),
        "bernoulli.p": (label, post["bernoulli"]),
        "tfidf": (label, cosine_C if now.words else none_C),
        "prior.p": (label, np.exp2(now.prior_C)),
        "likelihood": (label, finite(-likelihood_C)),
        "joint": (label, finite(-joint_C)),
        "never": (label, ~np.isfinite(joint_C)),
        "posterior": (label, post[kind]),
        "a": ((), a),
        "b": ((), b),
        "bernoulli": ((), once),
        "prior": ((), now.prior_C[a] - now.prior_C[b]),
        "rest": ((), now.rest_C[a] - now.rest_C[b]),
        "end": ((), post[kind][a] / (post[kind][a] + post[kind][b])),
        "none": ((), posterior_C is None),
        "evidence": ((), -now.evidence),
        "factors": ((), factors),
        "lost": ((), posterior_C is not None and joint_C[a] < np.log2(TINY)),
        "known": ((), sum(times)),
        "orders": ((), -orders if orders and not once else np.nan),
    }


def finite(bits: np.ndarray) -> np.ndarray:
    return np.where(np.isfinite(bits), bits, np.nan)


def log2_factorial(n: int) -> float:
    return float(np.log2(np.arange(2, n + 1)).sum())


def stage(*, labelled: Chosen) -> Stage:
    known = labelled.counts.index

    def read(
        text: str, shown: Window, asks: Mapping[str, object]
    ) -> tuple[ReadingPart, pic.Derived]:
        """The words of the part that is shown, and which of them are not counted."""
        whole = places(text)
        found = [(a, b) for a, b in whole if a >= shown[0] and b <= shown[1]]
        labels = [text[a:b] for a, b in found]
        strange = [t for t, label in enumerate(labels) if "".join(words(label)) not in known]
        part = unread(READER, labels, found, {}, strange)
        before = sum(a < shown[0] for a, _b in whole)
        part["offset"], part["total"] = before, len(whole)
        return part, derive(labelled, text, (before, before + len(labels)), asks)

    once = pic.Once({"label": labelled.counts.classes})
    reader = describe_unread(
        READER, labelled.title, "words", run=labelled.split, vocabulary=len(known)
    )
    return replace(
        declared.unread(replace(PICTURES, once=lambda _model: once), reader, read), columns=(1, 1)
    )


LIVE = stage
