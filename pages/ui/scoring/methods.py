"""All methods on the same text, and what the wrong distribution costs after one context:
cross-entropy, entropy, divergence."""

from __future__ import annotations

import math

import numpy as np
import streamlit as st

from engine.core.trace import Field, Kind
from engine.live.markdown import escape
from engine.ngram.smoothing.mle import MLE
from engine.views import theme
from pages.ui import plate, rows
from pages.ui.counting.context import Context
from pages.ui.scoring.methods_compared import BASES, Scored
from pages.ui.scoring.numbers import entropy, perplexity
from pages.ui.show import formula

SHOWN = 12
ALL = 10_000  # pixels: the table of methods never scrolls


def table(s: Scored) -> None:
    """Every method of the registry; the switches do not matter here, as both ways to count the end
    are columns."""
    measures = {
        id: (f.whole, f.without_ends) if s.unknown else (f.without_unknown, f.without_both)
        for id, f in s.found.items()
    }
    named = [s.models[id].method.title for id in measures]
    scores = ["" if s.found[id].is_probability else " (scores)" for id in measures]
    frame = {
        "method": [name + more for name, more in zip(named, scores, strict=True)],
        "log2 P": [
            f"{-w.bits:.5f}" if not w.impossible else f"{w.impossible:,} impossible"
            for w, _ in measures.values()
        ],
        f"{s.unit} per token": [entropy(w, s.base) for w, _ in measures.values()],
        "perplexity": [perplexity(w) for w, _ in measures.values()],
        f"{s.unit}, no </s>": [entropy(e, s.base) for _, e in measures.values()],
        "perplexity, no </s>": [perplexity(e) for _, e in measures.values()],
    }
    rows.show(frame, "methods", tallest=ALL)
    st.caption(
        "Lower is better, among methods with the same vocabulary on the same text. “Of the"
        " rest”: impossible tokens are left out, which makes the method look better than it"
        " is."
    )


def row(s: Scored, context: Context) -> None:
    """H(p, q) = H(p) + KL(p, q) with p = shares of what followed and q = the chosen method."""
    study = s.chosen.study
    mle = study.smoothed(MLE())
    p_V, q_V = (m.distributions(context.places(m))[0].astype(np.float64) for m in (mle, s.model))
    some = np.flatnonzero(p_V > 0)
    said = escape(context.said)
    if not len(some):
        st.info(
            f"“{context.said[:60]}” is never a context in this text, so p has no row. Choose a"
            " word that occurs."
        )
        return
    some = some[np.argsort(-p_V[some], kind="stable")]
    p, q = p_V[some], q_V[some]
    if (q <= 0).any():
        st.info(
            f"{s.title} gives probability 0 to {int((q <= 0).sum())} tokens that did follow:"
            " they would cost infinitely many bits."
        )
        return
    per = math.log2(s.base)
    h, cross = float(-(p * np.log2(p)).sum()) / per, float(-(p * np.log2(q)).sum()) / per
    formula(
        r"H(p, q) = -\sum_w p(w) \log q(w) = H(p) + D_{\mathrm{KL}}(p \,\|\, q)",
        r"H(p) = -\sum_w p(w) \log p(w), \quad D_{\mathrm{KL}} = \sum_w p(w) \log"
        r" \frac{p(w)}{q(w)}",
        rf"{cross:.5f} = {max(h, 0):.5f} + {max(cross - h, 0):.5f} \text{{ {s.unit}}} \quad (\log ="
        rf" \log_{{{BASES[s.unit]}}})",
    )
    st.markdown(
        f"After “{said}”, **p** is what followed in the counted text and **q** is"
        f" {escape(s.title)}. H(p) is a cost that no model can avoid."
    )
    if s.mine.is_probability:
        st.markdown("The divergence is the extra cost of using q.")
    else:
        st.markdown("The divergence is no true one here, because the scores do not sum to 1.")
    left, right = st.columns(2, gap="medium")
    likely = np.argsort(-q_V, kind="stable")
    others = likely[(q_V[likely] > 0) & ~np.isin(likely, some)]
    columns = np.r_[some[:SHOWN], others[: max(0, SHOWN - len(some))]]
    axes = {
        "method": ("p: " + MLE.title, "q: " + s.title),
        "next": [study.vocab[i] for i in columns],
    }
    says = f"p and q after “{theme.plain(context.said, 60)}”"
    both = np.stack([p_V[columns], q_V[columns]])
    made = Field.of("pair", Kind.PROBABILITY, axes, both, says)
    seen = min(SHOWN, len(some))
    plate.show(s.chosen.plate("pair", "compare", made, context.said, seen=seen), left)
    with right:
        terms = {
            "token": [theme.visible(study.vocab[i]) for i in some[:SHOWN]],
            "p": [f"{v:.6g}" for v in p[:SHOWN]],
            "q": [f"{v:.6g}" for v in q[:SHOWN]],
            "−p log q": [f"{v:.5f}" for v in (-p * np.log2(q) / per)[:SHOWN]],
            "−p log p": [f"{v:.5f}" for v in (-p * np.log2(p) / per)[:SHOWN]],
            "p log p/q": [f"{v:.5f}" for v in (p * np.log2(p / q) / per)[:SHOWN]],
        }
        rows.show(terms, "terms")
        if len(some) > SHOWN:
            st.caption(
                f"The first {SHOWN} of {len(some):,} tokens that followed; the sums are over all."
            )
