"""Every smoothing method with the reader's settings: what each expects after a context, and how well
it predicts the lines that are held out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from engine import frame as fr
from engine.analysis.study import Study
from engine.core.registry import smoothings
from engine.core.trace import Field, Kind
from engine.language.message import _
from engine.lessons.counting_context import LONGEST, Context
from engine.lessons.counting_texts import Counted
from engine.ngram.smoothed import Smoothed
from engine.ngram.smoothing.base import Smoothing
from engine.views import theme

SEEN, UNSEEN = 7, 5  # columns of the comparison
FIRST = "modified_kneser_ney"


def titles(given: fr.Others | None = None) -> dict[str, str]:
    return {id: smoothings.get(id).title for id in smoothings.listed()}


def begins(given: fr.Others) -> str:
    """What the reader has typed on another page, or what fits the text."""
    return str(given["mine"] or given["study"].preset.after)


AFTER = fr.shared(
    fr.typed("After", begins, LONGEST, "empty: the start of a sentence", width=300, along=True)
)
START = fr.shared(
    fr.switch("A sentence begins here"), "Put the start of a sentence before these words."
)
METHOD = fr.shared(fr.pick("Method", titles, FIRST, width=235))
K = fr.shared(fr.slider("k of add-k", 0.01, 2.0, 0.1, 0.01))
D = fr.shared(
    fr.slider("Discount d", 0.0, 1.0, 0.0, 0.05),
    "Subtracted from every count. At 0 it is estimated: n1 / (n1 + 2 n2) of each order.",
)
A = fr.shared(fr.slider("Factor a of stupid back-off", 0.0, 1.0, 0.4, 0.05))
SETTINGS = ("k", "d", "a")


def models(study: Study, k: float, d: float, a: float) -> dict[str, Smoothed]:
    """Every method by id."""
    known = {"k": k, "discount": d, "alpha": a}
    return {id: study.smoothed(with_settings(id, known)) for id in titles()}


def with_settings(id: str, known: Mapping[str, Any]) -> Any:
    """The method, with those of the settings that it has."""
    kind: Any = smoothings.get(id)
    return kind(**{f.name: known[f.name] for f in fields(kind) if f.init and f.name in known})


@dataclass(frozen=True)
class Expected:
    """`field` (method, next) holds the columns that are shown, the first `seen` of tokens that
    followed the context."""

    field: Field
    seen: int
    sum_R: np.ndarray  # per method that of the whole row


def expected(study: Study, models: Mapping[str, Smoothed], context: Context) -> Expected:
    """Every method's distribution after the context, cut to the columns that tell most; the rest is
    summed."""
    found = [m.distributions(context.places(m))[0] for m in models.values()]
    p_RV = np.stack(found).astype(np.float64)
    follow, counts = followers(study, context)
    first = follow[np.argsort(-counts, kind="stable")]
    others = np.setdiff1d(np.flatnonzero(p_RV.sum(0) > 0), follow)
    likely = others[np.argsort(-p_RV[:, others].mean(0), kind="stable")]
    columns, labels, seen = list[np.ndarray](), list[str](), 0
    for ids, most, rest in ((first, SEEN, "other-seen"), (likely, UNSEEN, "everything-else")):
        columns.append(p_RV[:, ids[:most]])
        labels += [study.vocab[i] for i in ids[:most]]
        if len(ids) > most:
            columns.append(p_RV[:, ids[most:]].sum(1, keepdims=True))
            labels.append(rest)
        seen = seen or len(labels)
    says = _("What each method expects after “{said}”", said=theme.plain(context.said, 60))
    axes = {"method": [m.method.title for m in models.values()], "next": labels}
    made = Field.of("comparison", Kind.PROBABILITY, axes, np.concatenate(columns, 1), says)
    return Expected(made, seen if len(first) else 0, p_RV.sum(1))


def followers(study: Study, context: Context) -> tuple[np.ndarray, np.ndarray]:
    """(ids, plain counts) of the tokens that followed the context in the counted text."""
    m = min(study.order, len(context.ids) + 1)
    grams = study.raw.orders[m - 1]
    if m == 1:
        ids = np.flatnonzero(grams.count_G > 0)
        return ids, grams.count_G[ids]
    place = int(study.raw.places(context.ids)[-1, m - 1])
    a, b = grams.first_P[place : place + 2].tolist() if place >= 0 else (0, 0)
    return grams.word_G[a:b].astype(int), grams.count_G[a:b]


@fr.once
def measured(counted: Counted, method: Smoothing) -> tuple[int, int, float]:
    """(tokens of the held-out lines, how many of them are impossible, perplexity of the rest)."""
    study = counted.study
    assert study.held_stream is not None
    p_T = study.smoothed(method).probabilities(study.held_stream)
    fine = p_T[p_T > 0]
    found = float(2 ** -np.log2(fine).mean()) if len(fine) else np.nan
    return len(p_T), len(p_T) - len(fine), found


def held_out(counted: Counted, model: Smoothed) -> fr.Words:
    """Perplexity of the held-out lines in words; what is impossible is counted, never an
    infinity."""
    if counted.study.held_stream is None:
        return "nothing is held out"
    n, zero, found = measured(counted, model.method)
    if zero == n:
        return _("all {n:,} tokens impossible", n=n)
    if not model.method.is_probability:
        return _("{found:.4g} of scores: no perplexity", found=found)
    said = "{zero:,} of {n:,} tokens impossible; perplexity of the rest {found:.4g}"
    return _(said, zero=zero, n=n, found=found) if zero else f"{found:.4g}"
