"""Below the live pictures of the sentence classifier: what a filter looks for, and how often the classifier is"
" right."""

from __future__ import annotations

import numpy as np

from engine import frame as fr
from engine.analysis import mistakes
from engine.core.trace import Field, Kind
from engine.language.message import _
from engine.models.textcnn import TextCNN
from engine.runs.store import Run
from engine.text.corpora.reviews import CORPUS

MOST = 6  # phrases of a filter


@fr.once
def matched(model: TextCNN) -> list[list[tuple[str, float, str]]]:
    """Per filter the best matches, one a review: the phrase, how well, the label of the review."""
    found: list[list[tuple[str, float, str]]] = [[] for _filter in model.filters]
    for label, text in CORPUS.labelled():
        trace = model.trace(text, fields=("response",))
        c_TU = trace.field("response").values
        for u, t in enumerate(c_TU.argmax(0).tolist()):
            words = trace.tokens[max(0, t - covers(model, u) + 1) : t + 1]
            found[u].append((" ".join(words), float(c_TU[t, u]), label))
    return [sorted(some, key=lambda one: (-one[1], one[0]))[:MOST] for some in found]


def covers(model: TextCNN, unit: int) -> int:
    return model.config.covers[unit // model.config.filters]


def towards(given: fr.Others) -> dict[int, str]:
    """Each filter, with the label whose score it adds most to."""
    model = given["model"]
    weight_KU = model.net.head.weight.detach().numpy()
    return {
        u: f"{u}, {model.names[int(weight_KU[:, u].argmax())]}" for u in range(len(model.filters))
    }


def opened(model: TextCNN, unit: int, vector_TD: np.ndarray, last: int) -> tuple[np.ndarray, float]:
    """Of each word that a filter covers, up to the last one, its products by channel (w, D); and the sum of all with
    the bias.  Before the first word there are zeros."""
    bank, place = divmod(unit, model.config.filters)
    w, weights = covers(model, unit), model.weights()
    seen_WD = np.zeros((w, vector_TD.shape[1]))
    there = vector_TD[max(0, last - w + 1) : last + 1]
    seen_WD[w - len(there) :] = there
    product_WD = seen_WD * weights[f"banks.{bank}.weight"][place].T
    return product_WD, float(product_WD.sum() + weights[f"banks.{bank}.bias"][place])


@fr.part("What a filter looks for", was=("products", "unit", "picks"))
def filters(
    model: TextCNN, above: str, seeks: int = fr.pick("Filter", towards, width=260)
) -> fr.Blocks:
    yield (
        "Nobody told a filter what to look for. These phrases of the built-in short reviews match it best, one of each"
        " review."
    )
    heads = "phrase", "match", "the review is"
    yield fr.table(heads, matched(model)[seeks], forms={"match": "%.2f"}, width=560)
    if not above.strip():
        raise ValueError("Type a sentence above to see what the filter makes of it.")
    trace = model.trace(above, fields=("response", "vector"))
    last = int(trace.field("response").values[:, seeks].argmax())
    product_WD, total = opened(model, seeks, trace.field("vector").values, last)
    w, width = product_WD.shape
    yield _(
        "In the sentence above. A word is a row of numbers, its **channels**; the filter has a weight for each channel"
        " of each word. {w} words of {width} channels are {n} products; with the bias they sum to **{total:.2f}**, and"
        " ReLU makes that {match:.2f}.",
        w=w,
        width=width,
        n=w * width,
        total=total,
        match=max(0.0, total),
    )
    words = ["zeros"] * max(0, w - last - 1) + [*trace.tokens[max(0, last - w + 1) : last + 1]]
    rows = [
        f"{n}. {word}: {of.sum():.2f}"
        for n, (word, of) in enumerate(zip(words, product_WD, strict=True), 1)
    ]
    title = "Every product of the best match: a row for each word, with its sum, a column for each channel"
    axes = {"row": rows, "column": [str(d + 1) for d in range(width)]}
    most = max(1e-9, float(np.abs(product_WD).max()))
    field = Field.of("products", Kind.STATE, axes, product_WD, title, domain=(-most, most))
    yield fr.Chart("products", title, "heatmap", (field,), "", above, fluid=True)


SAID = ("accuracy", "accuracy_of_reviews")
COUNTED = ("bag_of_words", "bag_of_words_of_reviews")


@fr.part("How often it is right", was=("part-its-surest-mistakes",))
def tested(run: Run, model: TextCNN) -> fr.Blocks:
    test = run.note.get("test", {})
    if not set(SAID) <= set(test):
        raise ValueError("This run was not tested on unseen reviews.")
    rows = [("convolution over words", *(test[name] for name in SAID))]
    if set(COUNTED) <= set(test):
        rows.append(("bag of words (logistic regression)", *(test[name] for name in COUNTED)))
    heads = "model", "passages of 1 to 3 sentences", "whole reviews"
    yield fr.table(heads, rows, forms=dict.fromkeys(heads[1:], fr.SHARE))
    yield fr.Note(
        _(
            "{passages:,} passages of {reviews} reviews that neither has seen; both learned from the same"
            " passages of 1,800 others. A passage has the label of its review, even where it only tells the"
            " plot, so nobody can be right always.",
            passages=test["passages"],
            reviews=test["reviews"],
        )
    )

    pairs = CORPUS.labelled()
    found = errors(model)
    yield _(
        "Of the {all} built-in short reviews it gets **{wrong}** wrong. Its surest mistakes:",
        all=len(pairs),
        wrong=len(found.worst()),
    )
    worst = (
        (float(found.confidence_D[d]), pairs[d][0], found.classes[found.said_D[d]], pairs[d][1])
        for d in found.worst()[:MOST]
    )
    yield fr.table(("sure", "true", "said", "text"), worst, forms={"sure": fr.SHARE})


@fr.once
def errors(model: TextCNN) -> mistakes.Judged:
    pairs = CORPUS.labelled()
    return mistakes.judge(model, [name for name, _text in pairs], [text for _name, text in pairs])


PARTS = (filters, tested)
