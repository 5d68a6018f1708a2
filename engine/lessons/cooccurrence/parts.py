"""From counts to vectors: the largest directions of the PPMI table, GloVe on a small text, the ratios
that it was designed for, and vectors from other sources."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse

from engine import frame as fr
from engine.analysis.projection.pca import PCA
from engine.core.trace import Kind, Table
from engine.language.message import _, refusal
from engine.lessons.cooccurrence import course, sources
from engine.lessons.cooccurrence.counts import Typed, cosines, mend
from engine.lessons.cooccurrence.course import Course
from engine.live.markdown import wrong
from engine.models.abilities import Knows
from engine.models.glove import Config
from engine.nn import glove
from engine.runs.store import Run
from engine.text.collection.beginning import beginning, by_label
from engine.text.tokenizers.words import Words
from engine.vectors import ppmi
from engine.views import theme

OWN = "own"
TEXT = fr.shared(
    fr.typed(
        "Your text, one sentence per line",
        lambda given: given["mine"] or given["lesson"].example,
        course.CHARACTERS,
        tall=120,
    )
)

# ------------------------------------------------------------------ singular directions

MOST_WORDS = 60  # in the grid of cosines


@fr.part("A few numbers per word: SVD", was=("singular",))
def svd(
    lesson: Any,
    mine: str,
    text: str = TEXT,
    *,
    window: int = fr.slider("Window", 1, 10, 4),
    kept: int = fr.slider("Directions kept", 1, 30, 3),
    power: float = fr.pick(
        "Weight of each direction: σ to the power", (0.0, 0.5, 1.0), 0.5, few=True
    ),
) -> fr.Blocks:
    yield (
        "A row of the PPMI table has as many numbers as there are words, most of them 0. The"
        " singular value decomposition writes the table as a sum of products, largest first;"
        " the first few are enough to rebuild most of it."
    )
    yield fr.Controls(["window", "kept", "power"])
    tokens = Words(()).encode(mend(text[:10_000]))
    typed = Typed.of(tokens.labels, tokens.spans)
    most = 0
    if len(typed.words) > 2:
        table_VV = ppmi.ppmi(sparse.csr_array(typed.count(window)))
        u_VD, s_D, _v = ppmi.svd(table_VV, len(typed.words))
        most = int((s_D > 1e-9).sum())
    if most < 2:
        raise ValueError(
            "Too little to factorise: type a few lines of different words. The PPMI table needs"
            " numbers above 0 in two rows or more."
        )
    kept = min(kept, most)
    yield _(
        "{kept} of {most} directions hold {share:.1%} of the sum of squares of the table. No other"
        " {kept} hold more.",
        kept=kept,
        most=most,
        share=float((s_D[:kept] ** 2).sum() / (s_D**2).sum()),
    )
    note, x_D = _("the typed text, window {window}", window=window), range(1, most + 1)
    series = {"kept": (x_D[:kept], s_D[:kept]), "left out": (x_D[kept:], s_D[kept:most])}
    title = "Singular values σ of the PPMI table, largest first"
    values = fr.curves("singular", title, series, "direction", "σ", note, whole=True)
    yield fr.Beside([[values], [directions(typed, ppmi.vectors(u_VD, s_D, power), note)]])
    words = typed.words[:MOST_WORDS]
    cosine_VV = cosines(ppmi.vectors(u_VD[:, :kept], s_D[:kept], power)[: len(words)])
    title = _("Cosine between the vectors of {kept} numbers of each pair of words", kept=kept)
    axes = ("source", words), ("target", words)
    yield fr.grid("alike", title, cosine_VV, *axes, Kind.COSINE, note, symbol="cos", fluid=True)


def directions(typed: Typed, vector_VD: np.ndarray, note: fr.Words) -> fr.Chart:
    """Words with the same neighbours lie on the same place, and share a name."""
    count_V = np.bincount(typed.word_M, minlength=len(typed.words))
    places: dict[tuple[float, ...], list[int]] = {}
    for row, at in enumerate(vector_VD[:, :2].round(6) + 0.0):
        places.setdefault(tuple(at.tolist()), []).append(row)
    x, y = zip(*places, strict=True)
    columns = {
        "word": [", ".join(typed.words[i] for i in rows) for rows in places.values()],
        "x": x,
        "y": y,
        "group": [2] * len(places),
        "frequency": [int(count_V[rows].sum()) for rows in places.values()],
    }
    says = "The words by their first two directions"
    made = Table.of("directions", says, columns)
    return fr.Chart("directions", says, "scatter", (made,), note)


# ------------------------------------------------------------------ GloVe

POINTS, NAMED = 1500, 60  # pairs drawn, words with a name on the map
GROUPS = ("other words", "neighbours", "commonest words")


def corpora(given: fr.Others) -> dict[str, str]:
    return {OWN: "Your text", **{corpus.id: label for label, corpus in by_label().items()}}


@fr.part("Train GloVe")
def train(
    lesson: Any,
    mine: str,
    *,
    corpus: str = fr.pick("Text to train on", corpora),
    text: str = TEXT,
    xmax: int = fr.pick(
        "x max: pairs counted this often get weight 1", (1, 2, 5, 10, 20, 50, 100), 10, slide=True
    ),
    width: int = fr.pick("Numbers in a vector", (2, 5, 10, 20, 50), 10, slide=True),
    epochs: int = fr.pick(
        "Epochs: passes over all pairs", (10, 25, 50, 100, 200, 400), 100, slide=True
    ),
    share: int = fr.slider("Shown: so much of the training, in %", 0, 100, 100),
) -> fr.Blocks:
    yield (
        "GloVe gives every word a vector w and, as a context, a vector w̃, and two biases. It"
        " tries to make **w · w̃ + b + b̃ = ln X** for every pair that was counted (X > 0). A"
        " pair has weight f(X): rare pairs count little, and no pair counts more than 1,"
        " however frequent. The sum leaves out X = 0, because ln 0 does not exist: one pair that was"
        " never seen would make the loss no number at all."
    )
    yield fr.Formula(
        r"J = \sum_{X_{ij} > 0} f(X_{ij})\,\bigl(w_i^\top \tilde w_j + b_i + \tilde b_j - \ln"
        r" X_{ij}\bigr)^2, \qquad f(x) = \min\bigl(1, (x / x_{\max})^{0.75}\bigr)"
    )
    x = np.linspace(0, 1.5 * xmax, 61)
    told = ", ".join(f"f({n}) = {glove.weight(np.array(n), xmax):.4f}" for n in (1, 10, 50, 100))
    title = "The weight of a pair that was counted X times"
    f_X = {"f(X)": (x, glove.weight(x, xmax))}
    weight = fr.curves("weight", title, f_X, "X", "f(X)", told)
    own = ["text"] if corpus == OWN else []
    chosen = fr.Controls(["corpus", *own, "xmax", "width", "epochs"], down=True)
    yield fr.Beside([[chosen], [weight]], (2, 3))
    try:
        written = text if corpus == OWN else beginning(corpus, course.CHARACTERS)
    except LookupError as problem:
        raise refusal("{said}.", said=wrong(problem)) from problem
    vocabulary = course.VOCABULARY
    config = Config(width=width, window=5, x_max=float(xmax), vocabulary=vocabulary, epochs=epochs)
    yield fr.Progress(0.0, "Training …")
    try:
        found = trained(mend(written[: course.CHARACTERS]), config)
    except ValueError as problem:
        raise ValueError("Nothing to count yet: type a line of at least two words.") from problem
    steps = list(found.parts)
    step = steps[round(share / 100 * (len(steps) - 1))]
    yield _(
        "{words:,} words, {pairs:,} pairs with X > 0 (window 5, a word at distance d counts 1/d),"
        " {steps:,} steps. J fell from {first} to {last}.",
        words=len(found.words),
        pairs=len(found.x_P),
        steps=steps[-1],
        first=found.loss(0),
        last=found.loss(steps[-1]),
    )
    yield fr.Controls(["share"])
    yield fr.Beside([[moves(found, step)], [fit(found, step)]])
    step_N, loss_N = zip(*found.losses, strict=True)
    title = "Weighted squared error per pair, mean since the previous report"
    yield fr.curves(
        "loss",
        title,
        {"f(X) · error²": (step_N, loss_N)},
        "training step",
        "mean per pair",
        log_y=True,
        every=True,
    )


@fr.once
def trained(text: str, config: Config) -> Course:
    return course.train(text, config)


def fit(found: Course, step: int) -> fr.Chart:
    at = np.argsort(-found.x_P, kind="stable")[:POINTS]
    words = np.array(found.words, object)
    columns = {
        "word": words[found.row_P[at]],
        "neighbour": words[found.column_P[at]],
        "x": np.log(found.x_P[at]),
        "value": found.fit(step)[at],
        "weight": found.f_P[at],
    }
    of = _("The {n:,} most frequent of {all:,} pairs", n=len(at), all=len(found.x_P))
    says = _("Each pair of words at step {step:,}: fitted value against ln X", step=step)
    options = {"x": "ln X", "y": "w · w̃ + b + b̃"}
    return fr.Chart("fit", says, "fit", (Table.of("fit", says, columns),), of, options=options)


def moves(found: Course, step: int) -> fr.Chart:
    """On the principal components of the last step, so that the axes stay while the words move."""
    ends = found.parts[max(found.parts)], found.parts[step]
    last, now = (w_VD + c_VD for w_VD, c_VD, _b, _a in ends)
    pca = PCA.fit(last, 2)
    places = pca.transform(now)
    columns = {
        "word": found.words,
        "x": places[:, 0],
        "y": places[:, 1],
        "group": [2 if i < NAMED else 0 for i in range(len(found.words))],
        "frequency": found.count_V,
    }
    says = _(
        "The words at step {step:,}, on the two main directions of the last step"
        " ({shares:.0f} % of its variance)",
        step=step,
        shares=100 * pca.map.shares[:2].sum(),
    )
    made, options = Table.of("moves", says, columns), {"groups": GROUPS}
    return fr.Chart("moves", says, "scatter", (made,), options=options)


# ------------------------------------------------------------------ ratios

MOST = 16  # probe words shown
Probed = tuple[list[str], np.ndarray, np.ndarray, np.ndarray]


def counted(given: fr.Others) -> list[str]:
    return list((given["run"].note.get("probes") or {}).get("words", ["–"]))


def probabilities(probed: Mapping[str, Any], i: str, j: str) -> Probed:
    """The probes that were counted with either word, the commonest first; of both words X and P(k | word),
    and the ratio of the two."""
    at = [probed["words"].index(word) for word in (i, j)]
    x_2K, total_2 = np.array(probed["counts"], float)[at], np.array(probed["totals"], float)[at]
    seen_K = np.flatnonzero(x_2K.sum(0) > 0)
    seen_K = seen_K[np.argsort(-x_2K[:, seen_K].sum(0), kind="stable")][:MOST]
    p_2K = x_2K[:, seen_K] / np.maximum(total_2[:, None], 1e-12)
    with np.errstate(divide="ignore"):
        return [probed["probes"][k] for k in seen_K], x_2K[:, seen_K], p_2K, p_2K[0] / p_2K[1]


@fr.part("Ratios")
def ratios(
    run: Run,
    i: str = fr.pick("First word i", counted, width=160),
    j: str = fr.pick("Second word j", counted, lambda given: counted(given)[:2][-1], width=160),
) -> fr.Blocks:
    yield (
        "P(k | i) = X_ik / X_i: of everything near word i, the share that is the probe word k."
        " One probability says little, because common words are near everything. The **ratio**"
        " of two shows which word k goes with: far above 1 the first, far below 1 the second,"
        " near 1 both or neither."
    )
    yield fr.Formula(r"\frac{P(k \mid i)}{P(k \mid j)} = \frac{X_{ik} / X_i}{X_{jk} / X_j}")
    if not (probed := run.note.get("probes")):
        raise ValueError("No counts of pairs are kept with this run; the shipped GloVe has them.")
    if i == j:
        raise ValueError("Choose two different words.")
    probes, x_2K, p_2K, ratio_K = probabilities(probed, i, j)
    a, b = (theme.plain(word, 24) for word in (i, j))
    title = _(
        "ln of P(k | {a}) / P(k | {b}): above 0 the probe goes with {a}, below 0 with {b}", a=a, b=b
    )
    note = _(
        "{of}, window 10 on both sides, a word at distance d counts 1/d",
        of=run.note["corpus"].get("name", ""),
    )
    with np.errstate(divide="ignore"):
        log_K = np.log(ratio_K)
    bars = fr.bars("ratio", title, log_K, ("word", probes), Kind.SCORE, note)
    names = [theme.plain(k, 24) for k in probes]
    shares = [["∞" if np.isinf(p) else f"{p:.3g}" for p in p_K] for p_K in (*p_2K, ratio_K)]
    forms = {_("X with {word}", word=word): "%.2f" for word in (a, b)}
    heads = ("probe k", *forms, f"P(k | {a})", f"P(k | {b})", "ratio")
    table = fr.table(heads, zip(names, *x_2K, *shares, strict=True), forms=forms)
    said = (
        "The size of a ratio is unreliable where the probe was counted less than once with one of the"
        " two. The paper counted 6 billion words and found P(k | ice) / P(k | steam): solid 8.9,"
        " gas 0.085, water 1.36, fashion 0.96."
    )
    yield fr.Beside([[bars], [table, fr.Note(said)]])


# ------------------------------------------------------------------ sources

KINDS = {
    "random": "random numbers",
    "counted": "counts: PPMI and SVD",
    "trained": "trained with a small net",
    "large": "the model of this page",
}


@fr.part("Sources")
def compared(
    model: Knows,
    *,
    kind: str = fr.pick("Source of the vectors", KINDS, "trained", width=230),
    width: int = fr.pick("Numbers in a vector", (2, 4, 8, 16, 32), 16, width=150),
    step: int = fr.slider("Training step", 0, sources.STEPS, sources.STEPS, sources.EVERY, 190),
) -> fr.Blocks:
    yield (
        "A word becomes a row of numbers. They can be drawn at random, so that words are told apart and"
        " nothing more; counted from what stands near the word; or learned together with a task, here by a"
        " net that foretells a word from the two before it, in a toy text of five classes of words. Its"
        " training begins with the random ones."
    )
    yield fr.Controls(["kind", "width", "step"])
    words = sources.toy()[0]
    vector_TVD, loss_N = sources.trained(width)
    found = {
        "random": sources.random(width),
        "counted": sources.count_vectors(width),
        "trained": vector_TVD[step // sources.EVERY],
        "large": find_vectors(model, words),
    }
    kinds = {name: n for n, name in enumerate(sources.GRAMMAR)}
    order = sorted(range(len(words)), key=lambda i: kinds.get(sources.CLASS.get(words[i], ""), 9))
    names = [words[i] for i in order]
    title = _("Cosine of every two words: {kinds}", kinds=_(KINDS[kind]))
    axes, cosine_VV = (("source", names), ("target", names)), cosines(found[kind][order])
    yield fr.grid("sources", title, cosine_VV, *axes, Kind.COSINE, fluid=True)
    yield (
        "How often the nearest other word of a class (animals, persons, food, places, verbs) is of the same"
        " class:"
    )
    shares = [(KINDS[name], sources.measure_classes(words, v)) for name, v in found.items()]
    yield fr.table(("source of the vectors", "share"), shares, bars=["share"])
    yield fr.Note(
        _(
            "The net has {width} numbers for a word; after {steps} steps its loss is {last:.3f} nats a"
            " word, at first {first:.3f}. At step 0 its vectors are the random ones.",
            width=width,
            steps=sources.STEPS,
            last=loss_N[-1],
            first=loss_N[0],
        )
    )


def find_vectors(model: Knows, words: tuple[str, ...]) -> np.ndarray:
    """The vectors of the model of this page; zeros for a word that it doesn't know."""
    found = np.zeros((len(words), model.space.values.shape[1]), np.float32)
    for i, word in enumerate(words):
        if (row := model.space.row(word)) is not None:
            found[i] = model.space.values[row]
    return found


PARTS = (svd, train, ratios, compared)
