"""Cache: what was said a moment ago becomes likelier, with no count changed."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.ngram import cache
from engine.views import theme
from pages.ui import ask, plate, show
from pages.ui.address import begin
from pages.ui.counting.context import LONGEST, clean
from pages.ui.counting.ladder import number
from pages.ui.counting.study import Chosen
from pages.ui.variants import chosen as variants

FIRST = {"cats": ("the", "dog saw dog", "dog")}  # context, recent words, the word in the formula


def section(chosen: Chosen) -> None:
    before, recently, watch = FIRST.get(
        chosen.preset.id, (chosen.preset.after, " ".join(chosen.study.lines[0].split()[:6]), "")
    )
    begin(left=before, recent=recently)
    row = ask.line()
    said = ask.text("After", "left", LONGEST, "empty: the start of a sentence", row)
    recent = ask.text("Recent words", "recent", LONGEST, "empty: nothing said so far", row)
    w = ask.share("Weight w of the cache", "weight", 0.1, row.container(width=220))
    with row.popover("Settings"):
        fade = ask.share("Decay f: a word of age a counts f^(a − 1)", "fade", 1.0, least=0.5)
        reader = variants.model(chosen)
    ids = variants.before(chosen, clean(said), False)
    said_ids = variants.encode(chosen, clean(recent)).ids
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
    all_V, where = np.arange(len(p_V)), theme.plain(said, 40) or "the start of a sentence"
    without = f"Without the cache, after “{where}”"
    mixed, both = f"With the cache, weight {w:g}", f"{said} {recent}"
    end = float(max(p_V.max(), mixed_V.max()))
    plate.row(
        variants.bars(chosen, "before", without, p_V, all_V, reader.says, said, end),
        variants.bars(chosen, "with", mixed, mixed_V, all_V, reader.says, both, end),
    )
    st.markdown(
        "A person who has just said “dog” will soon say it again. A **cache** of the last words"
        " gets a share w of the probability; the counts stay as they are."
    )
    show.formula(r"P(x) = (1 - w)\,P(x \mid h) + w\,P_{\text{cache}}(x)")
    st.caption("P_cache is the share of x among the recent words.")
    id = variants.watched(chosen, int(mixed_V.argmax()), "watch", watch)
    share = w if len(said_ids) else 0.0
    show.formula(
        rf"P = {number(1 - share)} \cdot {number(float(p_V[id]))} + {number(share)} \cdot"
        rf" {number(float(cached_V[id]))} = {number(float(mixed_V[id]))}"
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
