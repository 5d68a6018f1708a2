"""All methods on the same text, and what the wrong distribution costs after one context: cross-entropy, entropy, divergence."""

from __future__ import annotations

import math

import numpy as np
import streamlit as st

from engine.ngram.smoothing.mle import MLE
from engine.trace import Axis, Field, FieldSpec, Kind
from engine.views import theme
from pages.ui import plate
from pages.ui.counts.context import Context
from pages.ui.counts.scoring import BASES, Scored
from pages.ui.counts.scoring_numbers import entropy, perplexity
from pages.ui.plain import escape
from pages.ui.plate import Plate

SHOWN = 12


def table(s: Scored) -> None:
    """Every method of the registry; the switches do not matter here, as both ways to count the end are columns."""
    measures = {id: (f.whole, f.without_ends) if s.unknown else (f.without_unknown, f.without_both) for id, f in s.found.items()}
    frame = {
        "method": [s.models[id].method.title + ("" if s.found[id].is_probability else " (scores)") for id in measures],
        "log2 P": [f"{-w.bits:.5f}" if not w.impossible else f"{w.impossible:,} impossible" for w, _ in measures.values()],
        f"{s.unit} per token": [entropy(w, s.base) for w, _ in measures.values()],
        "perplexity": [perplexity(w) for w, _ in measures.values()],
        f"{s.unit}, no </s>": [entropy(e, s.base) for _, e in measures.values()],
        "perplexity, no </s>": [perplexity(e) for _, e in measures.values()],
    }
    st.dataframe(frame, hide_index=True, key="methods", height=35 * (len(measures) + 1) + 3)
    st.caption(
        "Lower is better, among methods with the same vocabulary on the same text. “Of the rest”: some tokens are impossible and left out, "
        "which makes the number look better than the method is."
    )


def row(s: Scored, context: Context) -> None:
    """H(p, q) = H(p) + KL(p, q) with p = shares of what followed and q = the chosen method."""
    study = s.chosen.study
    mle = study.smoothed(MLE())
    p_V, q_V = (m.distributions(context.places(m))[0].astype(np.float64) for m in (mle, s.model))
    some = np.flatnonzero(p_V > 0)
    said = escape(context.said)
    if not len(some):
        st.info(f"“{context.said[:60]}” was never a context in this text, so p has no row. Take a word that was counted.")
        return
    some = some[np.argsort(-p_V[some], kind="stable")]
    p, q = p_V[some], q_V[some]
    if (q <= 0).any():
        st.info(f"{s.title} gives probability 0 to {int((q <= 0).sum())} tokens that did follow: no number of bits is enough for them.")
        return
    per = math.log2(s.base)
    h, cross = float(-(p * np.log2(p)).sum()) / per, float(-(p * np.log2(q)).sum()) / per
    st.latex(r"H(p, q) = -\sum_w p(w) \log q(w) = H(p) + D_{\mathrm{KL}}(p \,\|\, q)", width="content")
    st.latex(r"H(p) = -\sum_w p(w) \log p(w), \quad D_{\mathrm{KL}} = \sum_w p(w) \log \frac{p(w)}{q(w)}", width="content")
    st.latex(rf"{cross:.5f} = {max(h, 0):.5f} + {max(cross - h, 0):.5f} \text{{ {s.unit}}} \quad (\log = \log_{{{BASES[s.unit]}}})", width="content")
    st.markdown(
        f"After “{said}”, **p** is what followed in the counted text and **q** is {escape(s.title)}. H(p) is what no model can save; the divergence is "
        + ("what believing q costs." if s.mine.is_probability else "no true divergence here, as the scores do not sum to 1.")
    )
    left, right = st.columns(2, gap="medium")
    likely = np.argsort(-q_V, kind="stable")
    columns = np.concatenate([some[:SHOWN], likely[(q_V[likely] > 0) & ~np.isin(likely, some)][: max(0, SHOWN - len(some))]])
    axes = (Axis("method", ("p: " + MLE.title, "q: " + s.title)), Axis("next", tuple(study.vocab[i] for i in columns)))
    spec = FieldSpec("pair", Kind.PROBABILITY, ("method", "next"), f"p and q after “{theme.plain(context.said, 60)}”")
    with left:
        plate.show(Plate("pair", "compare", (Field(spec, np.stack([p_V[columns], q_V[columns]]), axes),), f"study-{s.chosen.id}", s.chosen.says, context.said, {"seen": min(SHOWN, len(some))}))
    with right:
        terms = {
            "token": [theme.visible(study.vocab[i]) for i in some[:SHOWN]], "p": [f"{v:.6g}" for v in p[:SHOWN]], "q": [f"{v:.6g}" for v in q[:SHOWN]],
            "−p log q": [f"{v:.5f}" for v in (-p * np.log2(q) / per)[:SHOWN]], "−p log p": [f"{v:.5f}" for v in (-p * np.log2(p) / per)[:SHOWN]],
            "p log p/q": [f"{v:.5f}" for v in (p * np.log2(p / q) / per)[:SHOWN]],
        }  # fmt: skip
        st.dataframe(terms, hide_index=True, key="terms")
        if len(some) > SHOWN:
            st.caption(f"The first {SHOWN} of {len(some):,} tokens that followed; the sums are over all.")
