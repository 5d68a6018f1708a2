"""What every n-gram is worth: Stolcke's divergence for all n-grams of one order, drawn and
listed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

from engine.ngram import backoff, sparsity
from engine.ngram.counts import sums
from engine.ngram.prune import divergence, histories
from engine.views import theme
from pages.ui import rows
from pages.ui.plate import Plate
from pages.ui.size.counted import BY_MODEL, Base

COLUMNS = {
    name: st.column_config.NumberColumn(format=form, width=wide)
    for name, form, wide in (
        ("D, nats", "%.3g", 72),
        ("perplexity, + %", "%.3g", 120),
        ("P before", "%.3g", 74),
        ("P after", "%.3g", 72),
        ("γ′", "%.3g", 56),
    )
}
FEW = 10  # cheapest, and dearest


@dataclass(frozen=True)
class Costs:
    """Stolcke's formula for every n-gram of one order, and all that goes into it; `left` is 1 minus
    the sum of the listed p."""

    nats_G: np.ndarray
    p_G: np.ndarray
    lower_G: np.ndarray
    often_G: np.ndarray
    gamma_G: np.ndarray
    left_G: np.ndarray
    free_G: np.ndarray
    after_G: np.ndarray  # gamma without the n-gram
    rank_G: np.ndarray  # places, cheapest first
    ids_Gm: np.ndarray


@st.cache_resource(max_entries=12, show_spinner=False, hash_funcs=BY_MODEL)
def costs(base: Base, m: int) -> Costs:
    model, p = base.model, backoff.listed(base.model)
    first_P, lower_G = model.counts.orders[m - 1].first_P, backoff.lower(model, m, p[m - 2])
    often_P, gamma_P = histories(model, p, base.chosen.study.raw)[m - 1], model.gamma[m - 1]
    nats_G = divergence(p[m - 1], lower_G, first_P, gamma_P, often_P)
    free_P = np.maximum(1 - sums(first_P, lower_G), 0)
    often_G, gamma_G, free_G = (
        np.repeat(value_P, np.diff(first_P)) for value_P in (often_P, gamma_P, free_P)
    )
    left_G = gamma_G * free_G
    with np.errstate(divide="ignore", invalid="ignore"):
        after_G = (left_G + p[m - 1]) / (free_G + lower_G)
    rank_G = np.argsort(nats_G, kind="stable")
    ids_Gm = backoff.spelled(model.counts, m, np.arange(len(nats_G)))
    numbers = nats_G, p[m - 1], lower_G, often_G, gamma_G, left_G, free_G, after_G
    return Costs(*numbers, rank_G, ids_Gm)


def ranked(base: Base, m: int, threshold: float) -> Plate:
    """All n-grams of one order by what they are worth, with the line at which they are cut."""
    found = costs(base, m)
    rank = sparsity.spread(len(found.nats_G), 300)
    change = np.expm1(found.nats_G[found.rank_G[rank - 1]])
    goes, ends = change < threshold, np.array([1, len(found.nats_G)])
    series = {
        "below": (rank[goes], 100 * change[goes]),
        "above": (rank[~goes], 100 * change[~goes]),
        "threshold": (ends, np.full(2, 100 * threshold)),
    }
    says, y = f"What each {m}-gram is worth, cheapest first", "growth of the perplexity (%)"
    scales = {"log_x": True, "log_y": True, "every": True}
    return base.curve("ranked", says, series, m, threshold, x="rank", y=y, **scales)


def word(base: Base, id: int, begins: bool) -> str:
    study = base.chosen.study
    if id == study.tokenizer.boundary:
        return "<s>" if begins else "</s>"
    return theme.visible(study.vocab[id])


def spelled(base: Base, found: Costs, place: int) -> str:
    gap = "" if base.chosen.cut == "characters" else " "
    return gap.join(word(base, int(id), not n) for n, id in enumerate(found.ids_Gm[place]))


def listing(base: Base, m: int) -> dict[str, int]:
    """The cheapest and the dearest n-grams as they are read, with their places."""
    found = costs(base, m)
    rank = found.rank_G
    if len(rank) > 2 * FEW:
        rank = np.r_[rank[:FEW], rank[-FEW:]]
    return {spelled(base, found, place): place for place in rank.tolist()}


def tables(base: Base, m: int) -> None:
    """What goes first and what goes last."""
    found = costs(base, m)
    rank, count = found.rank_G, len(found.rank_G)
    if count <= 2 * FEW:
        st.caption(f"All {count} {m}-grams, cheapest first.")
        rows.show(_rows(base, found, rank), forms=COLUMNS)
        return
    ends = {"Cheapest": rank[:FEW], "Dearest": rank[: -FEW - 1 : -1]}
    for column, (says, places) in zip(st.columns(2), ends.items(), strict=True):
        column.caption(f"{says}, of {count:,} {m}-grams.")
        rows.show(_rows(base, found, places), forms=COLUMNS, where=column)


def _rows(base: Base, found: Costs, places: np.ndarray) -> dict[str, Any]:
    return {
        "n-gram": [spelled(base, found, place) for place in places.tolist()],
        "D, nats": found.nats_G[places],
        "perplexity, + %": 100 * np.expm1(found.nats_G[places]),
        "P before": found.p_G[places],
        "P after": (found.after_G * found.lower_G)[places],
        "γ′": found.after_G[places],
    }
