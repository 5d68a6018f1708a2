"""Ratios of probabilities: a probe word tells two words apart when it stands near one of them far
more often."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

from engine.core.trace import Field, Kind
from engine.lessons.cooccurrence.counts import Rules, Typed
from engine.live.markdown import escape
from engine.runs.store import Run
from engine.text.tokenizers.words import Words
from engine.views import theme
from pages.ui import choice, plate
from pages.ui import rows as table
from pages.ui.plate import Plate
from pages.ui.show import formula
from pages.ui.typed import text as visitor_text

MOST, CHARACTERS = 16, 10_000  # probe words shown; characters of a typed text that are read
TYPED = "The text above"


@dataclass(frozen=True)
class Company:
    """How often the probe words (columns) stand near the words (rows), and near any word at all:
    totals."""

    words: tuple[str, ...]
    probes: tuple[str, ...]
    x_WK: np.ndarray
    total_W: np.ndarray
    says: str


def show(run: Run) -> None:
    st.markdown(
        "P(k | i) = X_ik / X_i: of everything near word i, the share that is the probe word k."
        " One probability says little, because common words are near everything. The **ratio**"
        " of two shows which word k goes with: far above 1 the first, far below 1 the second,"
        " near 1 both or neither."
    )
    formula(r"\frac{P(k \mid i)}{P(k \mid j)} = \frac{X_{ik} / X_i}{X_{jk} / X_j}")
    kept = run.note.get("probes")
    of = str(run.note["corpus"].get("name", "the text of this model"))
    sources = [*([of] if kept else []), TYPED]
    source = choice.one_of("Counts of", sources, "near.counted")
    company = _shipped(kept, of) if kept and source == of else _typed()
    if company is None or len(company.words) < 2 or not len(company.probes):
        st.info(
            "Type a text with several different words in the box above, then choose this again."
        )
        return
    left, right = st.columns(2)
    names = [theme.plain(word, 24) for word in company.words]

    def word(label: str, first: int, key: str, where: Any) -> int:
        key = f"near.{key}.{source}.{len(names)}"
        asked = range(len(names)), first, names.__getitem__
        return int(where.selectbox(label, *asked, key=key))

    i = word("First word i", 0, "i", left)
    j = word("Second word j", 1, "j", right)
    if i == j:
        st.info("Choose two different words.")
        return
    if source == TYPED:
        st.caption(
            "These are the words of the text in the box. “ice” and “steam” can be chosen when"
            " the text has them."
        )
    x_2K = company.x_WK[[i, j]]
    seen_K = np.flatnonzero(x_2K.sum(0) > 0)
    seen_K = seen_K[np.argsort(-x_2K[:, seen_K].sum(0), kind="stable")][:MOST]
    if not len(seen_K):
        st.info("No probe word occurs near either of the two.")
        return
    _picture(company, (i, j), seen_K)


def _picture(company: Company, pair: tuple[int, int], at_K: np.ndarray) -> None:
    x_2K, total_21 = company.x_WK[list(pair)][:, at_K], company.total_W[list(pair)][:, None]
    p_2K = x_2K / np.maximum(total_21, 1e-12)
    with np.errstate(divide="ignore"):
        ratio_K = p_2K[0] / p_2K[1]
        log_K = np.log(ratio_K)
    names, probes = [company.words[n] for n in pair], [company.probes[k] for k in at_K]
    a, b = (theme.plain(name, 24) for name in names)
    says = f"ln of P(k | {a}) / P(k | {b}): above 0 the probe goes with {a}, below 0 with {b}"
    field = Field.of("ratio", Kind.SCORE, {"word": probes}, log_K, says, unit="ln ratio")
    first, second = st.columns(2, gap="medium")
    plate.show(Plate("ratio", "bars", (field,), f"{a}-{b}", company.says, model="glove"), first)
    rows = [
        {
            "probe k": theme.plain(k, 24),
            f"X with {a}": float(x_2K[0, n]),
            f"X with {b}": float(x_2K[1, n]),
            f"P(k | {a})": f"{p_2K[0, n]:.3g}",
            f"P(k | {b})": f"{p_2K[1, n]:.3g}",
            "ratio": "∞" if np.isinf(ratio_K[n]) else f"{ratio_K[n]:.3g}",
        }
        for n, k in enumerate(probes)
    ]
    with second:
        table.show(rows, forms={name: "%.2f" for name in rows[0] if name.startswith("X")})
        rare = [escape(str(row["probe k"])) for n, row in enumerate(rows) if x_2K[:, n].min() < 1]
        if rare:
            st.caption(
                "The size of these ratios is unreliable, because the probe was counted less"
                " than once with one of the two (never together gives ∞ or ln 0 = −∞):"
                f" {', '.join(rare)}."
            )
        if set(names) == {"ice", "steam"}:
            st.caption(
                "The paper counted 6 billion words and found P(k | ice) / P(k | steam): solid 8.9,"
                " gas 0.085, water 1.36, fashion 0.96."
            )


def _shipped(kept: Mapping[str, Any], of: str) -> Company:
    counts, totals = np.array(kept["counts"], float), np.array(kept["totals"], float)
    says = f"{of}, window 10 on both sides, a word at distance d counts 1/d"
    return Company(tuple(kept["words"]), tuple(kept["probes"]), counts, totals, says)


def _typed() -> Company | None:
    tokens = Words(()).encode(visitor_text()[:CHARACTERS])
    typed = Typed.of(tokens.labels, tokens.spans)
    if len(typed.words) < 3:
        return None
    x_VV = typed.counts(Rules(window=5)).toarray()
    says = "the typed text, window 5 on both sides, each place counts 1"
    return Company(typed.words, typed.words, x_VV, x_VV.sum(1), says)
