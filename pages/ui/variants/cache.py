"""Cache: what was said a moment ago becomes likelier, with no count changed."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.ngram import cache
from engine.views import theme
from pages.ui import plate
from pages.ui.address import begin, recall, remember
from pages.ui.counting.context import LONGEST, clean
from pages.ui.counting.ladder import number
from pages.ui.counting.study import Chosen
from pages.ui.variants import chosen as variants

FIRST = {"cats": ("the", "dog saw dog", "dog")}  # context, recent words, the word in the formula


def show(chosen: Chosen) -> None:
    st.markdown(
        "A person who has just said “dog” will soon say it again. A **cache** of the last words"
        " gets a share w of the probability; the counts stay as they are."
    )
    before, recently, watch = FIRST.get(
        chosen.preset.id, (chosen.preset.after, " ".join(chosen.study.lines[0].split()[:6]), "")
    )
    begin(left=before, recent=recently)
    left, right = st.columns(2, gap="medium")
    said = left.text_input(
        "After",
        key="left",
        bind="query-params",
        max_chars=LONGEST,
        placeholder="empty: the start of a sentence",
    )
    recent = right.text_input(
        "Recent words",
        key="recent",
        bind="query-params",
        max_chars=LONGEST,
        placeholder="empty: nothing said so far",
    )
    reader = variants.ask(chosen)
    recall("weight", 0.1, (0.0, 1.0))
    recall("fade", 1.0, (0.5, 1.0))
    left, right = st.columns(2, gap="medium")
    w = float(left.slider("Weight w of the cache", 0.0, 1.0, step=0.01, key="weight"))
    fade = float(
        right.slider("Decay f: a word of age a counts f^(a − 1)", 0.5, 1.0, step=0.01, key="fade")
    )
    remember("weight")
    remember("fade")
    st.latex(r"P(x) = (1 - w)\,P(x \mid h) + w\,P_{\text{cache}}(x)", width="content")

    st.caption("P_cache is the share of x among the recent words.")
    ids = variants.typed(chosen, clean(said or ""), False)
    said_ids = variants.encode(chosen, clean(recent or "")).ids
    p_V = variants.after(reader, ids)
    cached_V = cache.cache_distribution(said_ids, len(p_V), fade)
    mixed_V = cache.with_cache(p_V, said_ids, w, fade)
    if not len(said_ids):
        st.info("The cache is empty, so nothing changes. Type some recent words.")
    if not mixed_V.sum():
        st.info(
            "This context never occurs, and the method reserves nothing for that case. Choose"
            " another method or a shorter context."
        )
        return
    all_V, where = np.arange(len(p_V)), theme.plain(said or "", 40) or "the start of a sentence"
    left, right = st.columns(2, gap="medium")
    with left:
        plate.show(
            variants.bars(
                chosen,
                "before",
                f"Without the cache, after “{where}”",
                p_V,
                all_V,
                reader.says,
                said or "",
            )
        )
    with right:
        plate.show(
            variants.bars(
                chosen,
                "with",
                f"With the cache, weight {w:g}",
                mixed_V,
                all_V,
                reader.says,
                f"{said} {recent}",
            )
        )
    id = variants.watched(chosen, int(mixed_V.argmax()), "watch", watch)
    share = w if len(said_ids) else 0.0
    st.latex(
        rf"P = {number(1 - share)} \cdot {number(float(p_V[id]))} + {number(share)} \cdot"
        rf" {number(float(cached_V[id]))} = {number(float(mixed_V[id]))}",
        width="content",
    )
    st.caption(f"This is for “{variants.word(chosen, id)}”. The row sums to {mixed_V.sum():.4g}.")
    best = np.unique(np.r_[np.argsort(-mixed_V)[:10], np.flatnonzero(cached_V)[:20], id])
    rows = [
        {
            "word": theme.visible(chosen.study.vocab[i]),
            "without": float(p_V[i]),
            "cache alone": float(cached_V[i]),
            "with": float(mixed_V[i]),
        }
        for i in best[np.argsort(-mixed_V[best], kind="stable")].tolist()
    ]
    variants.numbers(rows)
