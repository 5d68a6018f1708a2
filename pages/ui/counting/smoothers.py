"""Every smoothing method with the reader's settings: the sliders, the idea of each, and the
distributions side by side."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import streamlit as st

from engine.core.registry import smoothings
from engine.core.trace import Field, Kind
from engine.ngram.smoothed import Smoothed
from engine.ngram.smoothing.base import Smoothing
from engine.views import theme
from pages.ui import ask
from pages.ui.counting.context import Context
from pages.ui.counting.study import Chosen

SEEN, UNSEEN = 7, 5  # columns of the comparison
DISCOUNT = """For absolute discounting, Kneser-Ney and back-off. Estimated, each order takes n1 / (n1 + 2 n2), \
from how many n-grams were counted once and twice."""


def sliders(order: int) -> dict[str, Smoothing]:
    """The controls, and every method by id with what they say."""
    k = ask.slider("k of add-k", "k", 0.01, 2.0, 0.1, 0.01)
    d = discount(DISCOUNT)
    alpha = ask.slider("Factor a of stupid back-off", "a", 0.0, 1.0, 0.4, 0.05)
    katz = ask.slider("Katz: correct counts up to", "katz", 1, 10, 5, 1)
    settings = {"k": k, "discount": d, "alpha": alpha, "katz_k": katz, "lambdas": _lambdas(order)}
    made: dict[str, Smoothing] = {}
    for id in smoothings.listed():
        kind: Any = smoothings.get(id)
        own = [f.name for f in fields(kind) if f.init and f.name in settings]
        made[id] = kind(**{name: settings[name] for name in own})
    return made


def discount(says: str) -> float:
    """What is subtracted from every count; 0, which no method subtracts, where it is estimated."""
    set_by_hand = "d" in st.query_params or st.session_state.get("d")
    if ask.toggle("Estimate the discount d from the counts", "auto", not set_by_hand):
        return 0.0
    return ask.slider("Discount d", "d", 0.05, 1.0, 0.5, 0.05, help=says)


def _lambdas(order: int) -> str:
    if not ask.toggle(
        "Set Jelinek-Mercer's weights by hand",
        "byhand",
        help="Off: fitted by expectation maximisation, on some of the counted lines set aside for that.",
    ):
        return ""
    first, orders = {1: 0.2, 2: 0.3, 3: 0.5}, range(order, 0, -1)
    found = [
        ask.slider(f"λ of order {m}", f"l{m}", 0.0, 1.0, first.get(m, 0.5), 0.05) for m in orders
    ]
    if not sum(found):
        st.caption("All weights are 0, so they are fitted instead.")
        return ""
    shares = (f"λ{m} = {x / sum(found):.3f}" for m, x in zip(orders, found, strict=True))
    st.caption(f"Normalised to sum to 1: {', '.join(shares)}")
    return ",".join(f"{x:g}" for x in found)


@dataclass(frozen=True)
class Rows:
    """`field` (method, next) holds the columns that are shown, the first `seen` of tokens that
    followed the context."""

    field: Field
    seen: int
    p_RV: np.ndarray  # per method the whole row
    words: tuple[int, ...]  # ids of the columns that are one token


def rows(chosen: Chosen, models: dict[str, Smoothed], context: Context) -> Rows:
    """Every method's distribution after the context, cut to the columns that tell most; the rest is
    summed."""
    study = chosen.study
    found = [m.distributions(context.places(m))[0] for m in models.values()]
    p_RV = np.stack(found).astype(np.float64)
    follow, counts = followers(chosen, context)
    first = follow[np.argsort(-counts, kind="stable")]
    others = np.setdiff1d(np.flatnonzero(p_RV.sum(0) > 0), follow)
    likely = others[np.argsort(-p_RV[:, others].mean(0), kind="stable")]
    shown, more = first[:SEEN], likely[:UNSEEN]
    columns, labels = [p_RV[:, shown]], [study.vocab[i] for i in shown]
    if len(first) > SEEN:
        columns.append(p_RV[:, first[SEEN:]].sum(1, keepdims=True))
        labels.append("other-seen")
    seen = len(labels)
    columns.append(p_RV[:, more])
    labels += [study.vocab[i] for i in more]
    if len(likely) > UNSEEN:
        columns.append(p_RV[:, likely[UNSEEN:]].sum(1, keepdims=True))
        labels.append("everything-else")
    says = f"What each method expects after “{theme.plain(context.said, 60)}”"
    axes = {"method": [m.method.title for m in models.values()], "next": labels}
    field = Field.of("comparison", Kind.PROBABILITY, axes, np.concatenate(columns, 1), says)
    return Rows(field, seen, p_RV, (*shown.tolist(), *more.tolist()))


def followers(chosen: Chosen, context: Context) -> tuple[np.ndarray, np.ndarray]:
    """(ids, plain counts) of the tokens that followed the context in the counted text."""
    raw = chosen.study.raw
    m = min(len(raw.orders), len(context.ids) + 1)
    grams = raw.orders[m - 1]
    if m == 1:
        ids = np.flatnonzero(grams.count_G > 0)
        return ids, grams.count_G[ids]
    place = int(raw.places(context.ids)[-1, m - 1])
    if place < 0:
        return np.zeros(0, int), np.zeros(0, int)
    a, b = grams.first_P[place : place + 2].tolist()
    return grams.word_G[a:b].astype(int), grams.count_G[a:b]


def held_out(chosen: Chosen, model: Smoothed) -> str:
    """Perplexity of the held-out lines in words; what is impossible is counted, never an
    infinity."""
    found = _held_out(chosen.key, repr(model.method), model, chosen.study.held_stream)
    scores = not model.method.is_probability and chosen.study.held_stream is not None
    return f"{found} of scores: no perplexity" if scores else found


@st.cache_data(max_entries=500, show_spinner=False)
def _held_out(key: str, method: str, _model: Smoothed, _stream: np.ndarray | None) -> str:
    if _stream is None:
        return "nothing is held out"
    p_T = _model.probabilities(_stream)
    fine = p_T[p_T > 0]
    if not len(fine):
        return f"all {len(p_T):,} tokens impossible"
    rest = f"{2 ** float(-np.log2(fine).mean()):.4g}"
    if len(fine) == len(p_T):
        return rest
    zero = f"{len(p_T) - len(fine):,} of {len(p_T):,} tokens impossible"
    return f"{zero}; perplexity of the rest {rest}"
